import Foundation
import Testing
import VarveCore
import VarveJSON
import VarveStore
import VarveStoreTestSupport

/// The shortest forms of histories by which simulations of stores found errors. Sessions 0
/// and 1 share a file where there are four.
@Suite("Histories found by simulation")
struct FoundHistoryTests {
  let cast = StoreCast(seed: 0)
  var owner: EntityID { cast.ids[0] }
  var owned: EntityID { cast.ids[1] }

  /// Plays steps; expects that nothing is wrong after any of them.
  func expectSense(
    _ steps: [StoreStep],
    sessions: Int = 1,
    habits: StoreHabits = .undoes,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    var plan = StorePlan(seed: 0, thoroughEvery: 1)
    plan.sessionCount = sessions
    plan.habits = habits
    let (failure, tally) = try await StoreSimulation(plan).run(steps)
    #expect(failure == nil, "\(failure?.description ?? "")", sourceLocation: sourceLocation)
    #expect(tally.stepCount == steps.count, sourceLocation: sourceLocation)
  }

  func write(_ session: Int, _ operations: StoreOperation...) -> StoreStep {
    .write(session, operations, at: nil, .commits)
  }

  func create(_ id: EntityID, _ type: EntityType = "Hat", at time: Date? = nil)
    -> StoreOperation
  {
    .create(id, type, [:], at: time)
  }

  func own(_ owner: EntityID, _ owned: EntityID) -> StoreOperation {
    .relate(owner, .owns, owned, named: "", at: nil)
  }

  func set(_ id: EntityID, _ value: Int64, at time: Date? = nil) -> StoreOperation {
    .set(id, "name", .int(value), semanticType: nil, at: time)
  }

  func erase(_ id: EntityID) -> StoreOperation { .erase([id], strict: false, at: nil) }

  @Test func `an entity is created in place of one that clocks ahead created and erased`()
    async throws
  {
    try await expectSense(
      [
        write(0, create(owner)), .jump(2, milliseconds: -600_000), .jump(1, milliseconds: -360_000),
        write(0, erase(owner)), .sync(0, 2), write(2, create(owner, "Shop")),
      ],
      sessions: 2
    )
  }

  @Test(arguments: [0, 3])
  func `a dated import replaces what was imported within its millisecond`(copy: Int) async throws {
    try await expectSense(
      [
        write(0, create(owner)), .merge(from: 0, into: 3, percent: 100),
        .importing(
          copy,
          document: #"[{"k":"a","name":"red"}]"#,
          .replace,
          isComplete: false,
          at: nil
        ),
        .importing(
          copy,
          document: #"[{"k":"a","name":null}]"#,
          .assign,
          isComplete: false,
          at: cast.dates[2]
        ),
      ],
      sessions: 2,
      habits: .imports
    )
  }

  @Test func `two sessions on a file keep each other's history if one writes nothing`() async throws
  {
    try await expectSense(
      [
        write(0, create(owner), create(owned)), write(0, erase(owned)), .undo(1, ago: 1),
        write(0, erase(cast.ids[2])), write(0, create(owner, "Shop"), set(owner, 2)),
        write(1, erase(cast.ids[2])), write(0, set(owner, 3)), write(1, set(owner, 4)),
      ],
      sessions: 2
    )
  }

  @Test func `relations from before two concurrent re-creations of an owner end on every store`()
    async throws
  {
    try await expectSense(
      [
        write(0, create(owner, "Shop")), .sync(0, 1), .sync(1, 2),
        write(0, own(owner, cast.ids[3]), erase(owner), create(owner)),
        write(2, erase(owner), create(owner, at: cast.dates[0])), .sync(0, 2), .sync(0, 1),
      ]
    )
  }

  @Test func `two re-creations for later dates give the same past in any order of arrival`()
    async throws
  {
    try await expectSense(
      [
        write(0, create(owner, "Shop")), write(0, erase(owner)), .sync(0, 1), .sync(1, 2),
        write(0, create(owner, at: cast.dates[3])),
        write(2, create(owner, "Shop", at: cast.dates[4])), .sync(0, 2),
        .merge(from: 0, into: 1, percent: 100),
      ]
    )
  }

  @Test func `a death whose owner was re-created is settled by confirming it`() async throws {
    try await expectSense(
      [
        write(0, create(owner), create(owned)), write(0, own(owner, owned)), .sync(0, 1),
        write(0, erase(owner), create(owner)), write(1, set(owned, 3)), .sync(0, 1),
        .settle(0, pick: 0, .death), .settle(1, pick: 0, .death),
      ]
    )
  }

  @Test func `a value returns to one that was written before for the same instant`() async throws {
    let steps = [1, 2, 1].map { write(0, set(owner, $0, at: cast.dates[0])) }
    try await expectSense([write(0, create(owner))] + steps + [.sync(0, 2)])
  }

  @Test func `a to-many property of a new life, set for a date before it, is one on every store`()
    async throws
  {
    func arrange(_ targets: [EntityID], _ kind: CollectionKind) -> StoreOperation {
      .arrange(owner, "list", .set, targets, kind, at: nil)
    }
    try await expectSense(
      [
        write(0, create(owner)), write(0, arrange([owned, owned, cast.ids[2]], .list)), .sync(0, 1),
        write(1, erase(owner), create(owner)), .sync(1, 0), .sync(0, 2),
        .write(
          2,
          [arrange([cast.ids[2], owner, cast.ids[2]], .orderedSet)],
          at: cast.dates[1],
          .commits
        ),
        .sync(2, 0),
      ]
    )
  }

  @Test(arguments: 0..<3)
  func `an observer receives an owner that was declared before it was created`(copy: Int)
    async throws
  {
    try await expectSense(
      [
        write(copy, create(owned)), write(copy, own(owner, owned), create(owner)),
        write(copy, own(cast.ids[2], owned), create(cast.ids[2], "Shop", at: cast.dates[4])),
      ],
      habits: .watches
    )
  }

  @Test(arguments: 0..<3)
  func `an observer receives the first type of an entity that was created twice`(copy: Int)
    async throws
  {
    try await expectSense(
      [
        write(0, create(owner)), write(1, create(owner, "Shop")), .sync(0, 1), .sync(1, 2),
        .advance(milliseconds: 1), write(copy, erase(owner)),
      ],
      habits: .watches
    )
  }

  @Test(arguments: 0..<3)
  func `an observer receives the type of a former owner`(copy: Int) async throws {
    try await expectSense(
      [
        write(copy, create(owner), create(owned, "Shop")), write(copy, own(owner, owned)),
        write(copy, erase(owned), create(owned, "Shop")),
      ],
      habits: .watches
    )
  }

  @Test func `a copied file has the past of the file that it was copied from`() async throws {
    try await expectSense(
      [write(3, create(owner)), write(0, create(owned)), .fork, write(3, set(owned, 1))],
      habits: .forks
    )
  }

  @Test(arguments: [0, 1])
  func `a new life has no value of the former if the clock was set back`(copy: Int) async throws {
    try await expectSense(
      [
        write(2, create(owner, "Shop"), set(owner, 0, at: cast.dates[3])),
        write(copy, create(owner), erase(owner)), .sync(copy, 2),
        .jump(copy, milliseconds: -360_000), write(copy, create(owner)),
      ],
      habits: .jumps
    )
  }

  @Test(arguments: 0..<3)
  func `a value for the date of a new life that begins within it holds`(copy: Int) async throws {
    try await expectSense(
      [
        write(copy, create(owner)),
        write(copy, .erase([owner], strict: false, at: cast.dates[3])),
        write(copy, create(owner, "Shop"), set(owner, 1, at: cast.dates[3])),
      ]
    )
  }

  @Test func `a withheld purge may be carried out in some stores only`() async throws {
    try await expectSense(
      [
        write(0, create(owner), set(owner, 1)), .sync(0, 1), .jump(0, milliseconds: 360_000),
        write(0, .purge([owner])), .sync(0, 2), .sync(2, 1), .advance(milliseconds: 360_000),
        write(1, set(owned, 1)), .sync(1, 2),
      ],
      habits: [.jumps, .purges]
    )
  }

  @Test func `a removal of elements that are withheld is not listed, in any store`() async throws {
    func arrange(_ ids: [EntityID]) -> StoreStep {
      write(0, .arrange(owner, "list", .set, ids, .orderedSet, at: nil))
    }
    try await expectSense(
      [
        write(0, create(owner)), .jump(0, milliseconds: 600_000),
        arrange([owner, owned]), .jump(0, milliseconds: -600_000), arrange([owned]),
        .sync(0, 2), .sync(2, 1),
      ],
      habits: [.jumps]
    )
  }

  @Test(arguments: [0, 1, 3_600]
  )
  func `an ownership ended for a date ends its reference, one of the same millisecond too`(
    secondsBefore: Double
  ) async throws {
    let (stall, cap) = (cast.stalls[0], cast.caps[0])
    let date = Date(timeIntervalSince1970: 1_700_000_000 - secondsBefore)
    try await expectSense(
      [
        write(0, .saveCap(cap, "red", nil, stall: stall)),
        write(0, .saveStall(stall, "b", caps: nil, shelf: nil)),
        write(0, .unrelate(stall, .owns, cap, named: "caps", nil, at: date)),
        .undo(0, ago: 0), .undo(0, ago: 0), write(0, .makeRoot(cap, at: date)), .undo(0, ago: 0),
      ],
      habits: [.undoes, .saves]
    )
  }
}
