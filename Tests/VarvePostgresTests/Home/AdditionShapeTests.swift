#if CommandLine && Server
import Foundation
import Testing
import VarveCore
import VarvePostgres
import VarveStore
import VarveTestSupport

/// The statements that add commits to a home, as the server's log shows them.
///
/// A worker of Citus commits alone what one row with its space adds. Rows of a subquery would make each
/// commit one of two phases.
@Suite(
  .enabled(
    if: PostgresCluster.absence == nil,
    "PostgreSQL is not installed: make setup-tests does it"
  )
)
struct AdditionShapeTests {
  @Test func `a commit is one row a statement, a merge of many one statement`() async throws {
    let cluster = try await PostgresCluster(["log_statement=all"])
    let home = try await PostgresHome(cluster.url)
    let store = try await Store.open(.space("hats", at: home, index: .inMemory))
    try await store.create("Hat", id: "first")

    let single = try await additions(cluster) { try await store.create("Hat", id: "hat") }
    #expect(single.count { $0.contains("varve.arrivals") } == 1)
    #expect(single.count { $0.contains("varve.blocks") } == 1)
    #expect(single.allSatisfy { $0.contains("VALUES") && !$0.contains("unnest") }, "\(single)")

    let copy = try await Store.open(.inMemory)
    for number in 0..<20 { try await copy.create("Cap", id: EntityID("cap-\(number)")) }
    let merge = try await additions(cluster) { try await store.merge(from: copy) }
    #expect(merge.count { $0.contains("varve.arrivals") } == 1)
    #expect(merge.allSatisfy { $0.contains("unnest") }, "\(merge)")

    #expect(try await store.check().findings == [])
    let other = try await Store.open(
      .space("hats", at: try await PostgresHome(cluster.url), index: .inMemory)
    )
    #expect(try await other.types().map(\.count) == [20, 2])
    #expect(try await other.frontier() == store.frontier())
    for store in [store, other, copy] { try await store.close() }
  }

  /// Returns the statements of a body that add rows, each on one line.
  private func additions(
    _ cluster: PostgresCluster,
    _ body: () async throws -> Void
  ) async throws -> [String] {
    let before = try log(cluster).count
    try await body()
    let statements = try log(cluster).dropFirst(before).split(separator: "execute ")
    let additions = statements.filter { $0.contains("INSERT INTO") }
    return additions.map { String($0).replacing("\n", with: " ") }
  }

  private func log(_ cluster: PostgresCluster) throws -> String {
    try String(contentsOfFile: "\(cluster.folder)/log", encoding: .utf8)
  }
}
#endif
