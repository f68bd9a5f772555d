#if CommandLine && Server
import Testing
import VarveCore
import VarvePostgres
import VarveTestSupport

/// Names of spaces that differ in case only, created at the same moment.
@Suite(
  .enabled(
    if: PostgresCluster.absence == nil,
    "PostgreSQL is not installed: make setup-tests does it"
  )
)
struct AlikeNamesTests {
  @Test func `two hosts make one of two spaces whose names differ in case only`() async throws {
    let homes = [
      try await PostgresHome(PostgresCluster.url()), try await PostgresHome(PostgresCluster.url()),
    ]
    for _ in 0..<20 {
      let name = "a\(SpaceID.random().text.lowercased())"
      let made = try await withThrowingTaskGroup(of: Bool.self) { group in
        for (home, name) in zip(homes, [name, name.uppercased()]) {
          group.addTask {
            do {
              _ = try await home.create(name)
              return true
            } catch let error as VarveError where error.code == .duplicateIdentifier {
              return false
            }
          }
        }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      #expect(made.count { $0 } == 1)
      let names = try await homes[0].spaces().map(\.name).filter { $0.lowercased() == name }
      #expect(names.count == 1, "\(names)")
    }
    for home in homes { await home.close() }
  }
}
#endif
