#if CommandLine && Server
import Testing
import VarveCore
import VarvePostgres
import VarveTestSupport

@Suite("The URL of a database")
struct PostgresAddressTests {
  @Test(arguments: [
    "postgres://ben:s3cret@127.0.0.1:1/db",
    "postgres://ben:s3cret@127.0.0.1:1/db?sslmode=nonsense",
    "postgres://ben:s3cret@[::1/db", "postgres://ben:s3cret%@host/db", "http://ben:s3cret@host/",
    "host=127.0.0.1 password=s3cret", "postgres://ben@127.0.0.1:1/db?password=s3cret",
    "postgres://ben:s3cret@127.0.0.1:1/db?nonsense=s3cret",
    // Special characters of the password that should be escaped.
    "postgres://ben:p@s3cret@127.0.0.1:1/db", "postgres://ben:p/s3cret@127.0.0.1:1/db",
    "postgres://ben:p?s3cret@127.0.0.1:1/db",
    "postgres://ben:1/s3cret@127.0.0.1:1/db", "postgres://ben:p@s3cret:x@127.0.0.1:1/db",
    "postgres://ben:s3cret/db", "postgres://ben:s3cret?host=127.0.0.1",
    "postgres://ben:p#@s3cret@127.0.0.1:1/db", "postgres://127.0.0.1:1?password=p@s3cret",
  ]
  )
  func `the URL of a database is in no error, and neither is its password`(url: String) async throws
  {
    do {
      _ = try await PostgresHome(url)
      Issue.record("there is no such database")
    } catch let error as VarveError {
      #expect(!"\(error)".contains("s3cret"), "\(error)")
      #expect([.inputOutput, .invalidArgument].contains(error.code), "\(error)")
    }
  }

  @Test(
    .enabled(
      if: PostgresCluster.absence == nil,
      "PostgreSQL is not installed: make setup-tests does it"
    )
  )
  func `an address of several servers leads to the one that takes writes`() async throws {
    let cluster = try await PostgresCluster.shared.value
    let silent = try CuttingProxy(to: cluster.folder, isSilent: true)
    let folders = ["/tmp/no such folder", silent.folder, cluster.folder]
    func url(_ folders: [String]) -> String {
      let hosts = folders.joined(separator: ",").replacing("/", with: "%2F")
        .replacing(" ", with: "%20")
      let options = "target_session_attrs=read-write&connect_timeout=1&password=it%27s%5C"
      return "postgres://varve@/varve?host=\(hosts)&\(options)"
    }
    for folders in [folders, folders.reversed()] {
      let home = try await PostgresHome(url(folders))
      #expect(try await home.spaceNames().count >= 0)
      await home.close()
    }
    do {
      _ = try await PostgresHome(url([silent.folder, "/tmp/no such folder"]))
      Issue.record("no server is there")
    } catch let error as VarveError {
      #expect(error.code == .inputOutput)
      #expect(!"\(error)".contains("it's"), "\(error)")
    }
  }
}
#endif
