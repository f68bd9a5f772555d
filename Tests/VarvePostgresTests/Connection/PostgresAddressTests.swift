import Testing
import VarveCore
import VarvePostgres
import VarveTestSupport

@Suite("The URL of a database")
struct PostgresAddressTests {
  @Test(
    "is in no error, and neither is its password",
    arguments: [
      "postgres://ben:s3cret@127.0.0.1:1/db",
      "postgres://ben:s3cret@127.0.0.1:1/db?sslmode=nonsense",
      "postgres://ben:s3cret@[::1/db", "postgres://ben:s3cret%@host/db", "http://ben:s3cret@host/",
      "host=127.0.0.1 password=s3cret", "postgres://ben@127.0.0.1:1/db?password=s3cret",
      "postgres://ben:s3cret@127.0.0.1:1/db?nonsense=s3cret",
    ]
  )
  func secrets(url: String) async throws {
    do {
      _ = try await PostgresHome(url)
      Issue.record("there is no such database")
    } catch let error as VarveError {
      #expect(!"\(error)".contains("s3cret"), "\(error)")
      #expect([.inputOutput, .invalidArgument].contains(error.code), "\(error)")
    }
  }
}
