import Testing
import VarveCore
import VarveSQLite
import VarveTestSupport

@Suite("Removals that arrive before their adds")
struct EarlyRemovalTests {
  private let clock = TestClock()
  private let ids: [EntityID] = ["team", "ana", "ben"]

  /// An add, and a removal of it stamped earlier, as by an author whose clock was ahead and was put
  /// right: it cannot name the add's commit among what it had seen.
  private func commits() -> (first: Commit, add: Commit, removal: Commit) {
    let (team, ana): (EntityID, EntityID) = ("team", "ana")
    var (one, two, three) = (ScriptedReplica(1), ScriptedReplica(2), ScriptedReplica(3))
    let now = clock.now
    let first = one.commit(at: now - 9_000, [team.isCreated(), ana.isCreated()])
    let members = Relation(.member, "members")
    let add = two.commit(
      at: now - 1_000,
      seen: [first.id],
      [
        team.says(.collection("members")),
        team.says(.add(members, target: "ana", position: nil)),
        team.says(.add(members, target: "ben", position: nil)),
        team.owns(ana),
      ]
    )
    let removal = three.commit(
      at: now - 5_000,
      seen: [first.id],
      [
        team.says(
          .remove(members, target: "ana", adds: [AddID(commit: add.id, ordinal: 1)])
        ),
        team.says(
          .remove(Relation(.owns), target: "ana", adds: [AddID(commit: add.id, ordinal: 3)])
        ),
      ]
    )
    return (first, add, removal)
  }

  @Test(arguments: [0, 1, 2])
  func `take effect in any order of arrival, and so does a rebuild`(order: Int) async throws {
    let (first, add, removal) = commits()
    let backend = try await openBackend(clock: clock)
    switch order {
    case 0: _ = try await backend.append([first, add, removal])
    case 1: _ = try await backend.append([first, removal, add])
    default:
      for commit in [first, removal, add] { _ = try await backend.append([commit]) }
    }
    try await backend.expectFold(ids, clock: clock)
    let (elements, owners) = try await backend.read(at: .now) { reader in
      (
        try await reader.elements(of: "team", key: "members").map(\.target),
        try await reader.edges(to: "ana", of: .owns)
      )
    }
    #expect(elements == ["ben"])
    #expect(owners == [])
    #expect(try await backend.check { _ in }.findings == [])
    try await backend.rebuild()
    try await backend.expectFold(ids, clock: clock)
    #expect(try await backend.check { _ in }.findings == [])
    try await backend.close()
  }

  @Test(arguments: [false, true])
  func `removals that arrive before their adds take effect when a withheld add is due`(
    isRemovalFirst: Bool
  ) async throws {
    let (first, add, removal) = commits()
    // To this one, the add is of the future.
    let behind: Int64 = -3_600_000
    let backend = try await openBackend(clock: clock, skew: behind)
    clock.advance(by: 3_600_000 - 5_000 - HybridClock.defaultToleranceMilliseconds + 100)
    _ = try await backend.append([first])
    let rest = isRemovalFirst ? [removal, add] : [add, removal]
    for commit in rest { _ = try await backend.append([commit]) }
    #expect(try await backend.withheldCommits().map(\.id) == [add.id])
    #expect(try await backend.check { _ in }.findings == [])
    clock.advance(by: 3_600_000)
    _ = try await backend.append([])
    let elements = try await backend.read(at: .now) { reader in
      try await reader.elements(of: "team", key: "members").map(\.target)
    }
    #expect(elements == ["ben"])
    #expect(try await backend.check { _ in }.findings == [])
    try await backend.rebuild()
    #expect(try await backend.check { _ in }.findings == [])
    try await backend.close()
  }
}
