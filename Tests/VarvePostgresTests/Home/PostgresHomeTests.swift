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
  @Test(arguments: HomeTrial.Rule.allCases)
  func `keeps the rules of homes`(rule: HomeTrial.Rule) async throws {
    var trial = try await HomeTrial(PostgresSubject())
    try await trial.play(rule)
  }

  @Test(arguments: IndexTrial.Rule.allCases)
  func `keeps the rules of indexes`(rule: IndexTrial.Rule) async throws {
    try await IndexTrial(PostgresSubject()).play(rule)
  }
}
#endif
