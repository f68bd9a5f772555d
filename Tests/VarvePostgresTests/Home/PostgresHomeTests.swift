#if CommandLine && Server
import Testing
import VarveStoreTestSupport
import VarveTestSupport

@Suite(
  "A log at home in PostgreSQL, with SQLite files as its indexes",
  .enabled(
    if: PostgresCluster.absence == nil,
    "PostgreSQL is not installed: make setup installs it"
  )
)
struct PostgresHomeTests {
  @Test("keeps the rules of homes", arguments: HomeTrial.Rule.allCases)
  func home(rule: HomeTrial.Rule) async throws {
    var trial = try await HomeTrial(PostgresSubject())
    try await trial.play(rule)
  }

  @Test("keeps the rules of indexes", arguments: IndexTrial.Rule.allCases)
  func index(rule: IndexTrial.Rule) async throws {
    try await IndexTrial(PostgresSubject()).play(rule)
  }
}
#endif
