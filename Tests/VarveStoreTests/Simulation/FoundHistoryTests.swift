import Foundation
import Testing
import VarveCore
import VarveStore
import VarveStoreTestSupport

/// The shortest forms of histories by which simulations of stores found errors. Sessions 0
/// and 1 share a file where there are four.
@Suite("Histories found by simulation")
struct FoundHistoryTests {
  private let cast = StoreCast(seed: 0)
  private var owner: EntityID { cast.ids[0] }
  private var owned: EntityID { cast.ids[1] }

  /// Plays steps; expects that nothing is wrong after any of them.
  private func expectSense(
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

  private func write(_ session: Int, _ operations: StoreOperation...) -> StoreStep {
    .write(session, operations, at: nil, .commits)
  }

  private func create(_ id: EntityID, _ type: EntityType = "Hat", at time: Date? = nil)
    -> StoreOperation
  {
    .create(id, type, [:], at: time)
  }

  private func own(_ owner: EntityID, _ owned: EntityID) -> StoreOperation {
    .relate(owner, .owns, owned, named: "", at: nil)
  }

  private func set(_ id: EntityID, _ value: Int64, at time: Date? = nil) -> StoreOperation {
    .set(id, "name", .int(value), semanticType: nil, at: time)
  }

  private func erase(_ id: EntityID) -> StoreOperation { .erase([id], strict: false, at: nil) }

  @Test("Two sessions on a file keep each other's history if one writes nothing")
  func staleTouches() async throws {
    try await expectSense(
      [
        write(0, create(owner), create(owned)), write(0, erase(owned)), .undo(1, ago: 1),
        write(0, erase(cast.ids[2])), write(0, create(owner, "Shop"), set(owner, 2)),
        write(1, erase(cast.ids[2])), write(0, set(owner, 3)), write(1, set(owner, 4)),
      ],
      sessions: 2
    )
  }

  @Test("Relations from before two concurrent re-creations of an owner end on every store")
  func doublyRecreated() async throws {
    try await expectSense(
      [
        write(0, create(owner, "Shop")), .sync(0, 1), .sync(1, 2),
        write(0, own(owner, cast.ids[3]), erase(owner), create(owner)),
        write(2, erase(owner), create(owner, at: cast.dates[0])), .sync(0, 2), .sync(0, 1),
      ]
    )
  }

  @Test("Two re-creations for later dates give the same past in any order of arrival")
  func postdatedRecreations() async throws {
    try await expectSense(
      [
        write(0, create(owner, "Shop")), write(0, erase(owner)), .sync(0, 1), .sync(1, 2),
        write(0, create(owner, at: cast.dates[3])),
        write(2, create(owner, "Shop", at: cast.dates[4])), .sync(0, 2),
        .merge(from: 0, into: 1, percent: 100),
      ]
    )
  }

  @Test("A death whose owner was re-created is settled by confirming it")
  func confirmedDeath() async throws {
    try await expectSense(
      [
        write(0, create(owner), create(owned)), write(0, own(owner, owned)), .sync(0, 1),
        write(0, erase(owner), create(owner)), write(1, set(owned, 3)), .sync(0, 1),
        .settle(0, pick: 0, .death), .settle(1, pick: 0, .death),
      ]
    )
  }

  @Test("A value returns to one that was written before for the same instant")
  func datedReturn() async throws {
    let steps = [1, 2, 1].map { write(0, set(owner, $0, at: cast.dates[0])) }
    try await expectSense([write(0, create(owner))] + steps + [.sync(0, 2)])
  }

  @Test("An undone change restores a list", arguments: 0..<3)
  func undoneList(copy: Int) async throws {
    let (one, other) = (cast.ids[2], cast.ids[3])
    func arrange(_ arranging: StoreOperation.Arranging, _ ids: [EntityID], _ kind: CollectionKind)
      -> StoreStep
    {
      write(copy, .arrange(owner, "list", arranging, ids, kind, at: nil))
    }
    try await expectSense(
      [
        write(copy, create(owner), create(one), create(other)),
        arrange(.add, [one, one, other, "never heard of"], .orderedSet),
        arrange(.set, ["never heard of", other, one], .list), .undo(copy, ago: 0),
        arrange(.remove, [one], .list), .undoBack(copy), .undo(copy, ago: 0),
      ]
    )
  }

  @Test("Undoing continues past undone commits", arguments: 0..<3)
  func undoneBack(copy: Int) async throws {
    try await expectSense(
      [
        write(copy, create(owner)), write(copy, set(owner, 1)),
        write(copy, .arrange(owner, "list", .set, [owned], .orderedSet, at: nil)),
        write(copy, .update(owner, ["size": .some(.init(.int(1)))], at: cast.dates[3])),
        .undoBack(copy), .undoBack(copy), .undoBack(copy), .undoBack(copy),
      ]
    )
  }

  @Test("A to-many property of a new life, set for a date before it, is one on every store")
  func datedCollectionOfANewLife() async throws {
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

  @Test("A value of a new life is undone if one of a former life is greater", arguments: 0..<3)
  func undoneInANewLife(copy: Int) async throws {
    try await expectSense(
      [
        write(copy, create(owner), set(owner, 2)), write(copy, erase(owner), create(owner)),
        write(copy, set(owner, 1, at: cast.dates[1])), .undo(copy, ago: 0),
      ]
    )
  }

  @Test("An undone move of a reference gives an owned entity its place again", arguments: 0..<3)
  func undoneMove(copy: Int) async throws {
    let (stalls, caps) = (cast.stalls, cast.caps)
    func save(_ cap: EntityID, in stall: EntityID?) -> StoreStep {
      write(copy, .saveCap(cap, "red", 1, stall: stall))
    }
    try await expectSense(
      [
        write(copy, .saveStall(stalls[0], "a", caps: nil, shelf: nil)),
        write(copy, .saveStall(stalls[1], "a", caps: nil, shelf: nil)),
        save(caps[0], in: stalls[1]), save(caps[2], in: stalls[1]), save(caps[0], in: stalls[0]),
        .undoBack(copy), save(caps[0], in: nil), .undoBack(copy),
      ],
      habits: [.undoes, .saves]
    )
  }

  @Test("An observer receives an owner that was declared before it was created", arguments: 0..<3)
  func declaredOwner(copy: Int) async throws {
    try await expectSense(
      [
        write(copy, create(owned)), write(copy, own(owner, owned), create(owner)),
        write(copy, own(cast.ids[2], owned), create(cast.ids[2], "Shop", at: cast.dates[4])),
      ],
      habits: .watches
    )
  }

  @Test("An observer receives the first type of an entity that was created twice", arguments: 0..<3)
  func doublyCreated(copy: Int) async throws {
    try await expectSense(
      [
        write(0, create(owner)), write(1, create(owner, "Shop")), .sync(0, 1), .sync(1, 2),
        .advance(milliseconds: 1), write(copy, erase(owner)),
      ],
      habits: .watches
    )
  }

  @Test("An observer receives the type of a former owner", arguments: 0..<3)
  func formerOwner(copy: Int) async throws {
    try await expectSense(
      [
        write(copy, create(owner), create(owned, "Shop")), write(copy, own(owner, owned)),
        write(copy, erase(owned), create(owned, "Shop")),
      ],
      habits: .watches
    )
  }

  @Test("A copied file has the past of the file that it was copied from")
  func forgottenPast() async throws {
    try await expectSense(
      [write(3, create(owner)), write(0, create(owned)), .fork, write(3, set(owned, 1))],
      habits: .forks
    )
  }

  @Test("A new life has no value of the former if the clock was set back", arguments: [0, 1])
  func newLifeAfterSettingBack(copy: Int) async throws {
    try await expectSense(
      [
        write(2, create(owner, "Shop"), set(owner, 0, at: cast.dates[3])),
        write(copy, create(owner), erase(owner)), .sync(copy, 2),
        .jump(copy, milliseconds: -360_000), write(copy, create(owner)),
      ],
      habits: .jumps
    )
  }

  @Test("A value for the date of a new life that begins within it holds", arguments: 0..<3)
  func valueWithinTheFirstDate(copy: Int) async throws {
    try await expectSense(
      [
        write(copy, create(owner)),
        write(copy, .erase([owner], strict: false, at: cast.dates[3])),
        write(copy, create(owner, "Shop"), set(owner, 1, at: cast.dates[3])),
      ]
    )
  }

  @Test("An undone creation is no owner in the preview of an erasure")
  func undoneOwnerInPreview() async throws {
    try await expectSense([
      write(0, own(owner, owned)), write(0, create(owned)), write(0, own(owned, owner)),
      write(0, create(owner)), .undo(0, ago: 0),
    ])
  }

  @Test("An undo revives what an owner owned before its commit created it anew")
  func undoneRebirth() async throws {
    try await expectSense([
      write(0, create(owned)), write(0, create(owner)), .undo(0, ago: 0),
      write(
        0,
        .restore(owner, .asRoot, at: nil),
        own(owner, owned),
        erase(owner),
        create(owner, at: cast.dates[0])
      ),
      .undo(0, ago: 0),
    ])
  }

  @Test("An entity that an unknown owner kept alive stays when that owner's creation is undone")
  func undoneLastOwner() async throws {
    let other = cast.ids[2]
    try await expectSense([
      .write(0, [own(owner, owned)], at: cast.dates[4], .commits), write(0, create(other)),
      write(0, create(owned)), write(0, own(other, owned)), write(0, erase(other)),
      write(0, create(owner)), .undo(0, ago: 0),
    ])
  }

  @Test("A withheld purge may be carried out in some stores only")
  func withheldPurge() async throws {
    try await expectSense(
      [
        write(0, create(owner), set(owner, 1)), .sync(0, 1), .jump(0, milliseconds: 360_000),
        write(0, .purge([owner])), .sync(0, 2), .sync(2, 1), .advance(milliseconds: 360_000),
        write(1, set(owned, 1)), .sync(1, 2),
      ],
      habits: [.jumps, .purges]
    )
  }

  @Test("An undone addition ends although all elements had been stated for a future date")
  func undoneAdditionBeforeStatement() async throws {
    let (other, date) = (cast.ids[2], cast.dates[4])
    try await expectSense([
      write(0, create(owner)), write(0, .arrange(owner, "list", .set, [owned], .set, at: date)),
      write(0, .arrange(owner, "list", .add, [owned, other], .list, at: nil)), .undo(0, ago: 0),
    ])
  }

  @Test(
    "A circle below an erased owner is dead again when the creation that freed it is undone",
    arguments: [false, true]
  )
  func undoneFreeing(isReborn: Bool) async throws {
    let (other, date) = (cast.ids[2], cast.dates[4])
    try await expectSense([
      .write(0, [own(owner, owned)], at: date, .commits),
      .write(0, [own(owned, owner)], at: date, .commits),
      write(0, create(other)), write(0, create(owned)), write(0, own(other, owned)),
      .write(0, [erase(other)] + (isReborn ? [create(other)] : []), at: nil, .commits),
      write(0, create(owner)), .undo(0, ago: 0),
    ])
  }

  @Test("An undo of an undo gives dated references their edges from their dates", arguments: 0..<2)
  func restoredDatedReference(order: Int) async throws {
    let (stall, date) = (cast.stalls[0], cast.dates[1])
    let caps = order == 0 ? [cast.caps[0]] : [cast.caps[1], cast.caps[0]]
    let saves = caps.sorted().map { StoreOperation.saveCap($0, "red", nil, stall: stall) }
    let statement = StoreOperation.saveStall(stall, "b", caps: caps, shelf: nil)
    try await expectSense(
      [
        .write(0, saves + [statement], at: date, .commits), .undo(0, ago: 0), .undo(0, ago: 0),
      ],
      habits: [.undoes, .saves]
    )
  }

  @Test("A reference from before its owner's creation gets its edge again from that date on")
  func restoredReferenceToLaterOwner() async throws {
    let (stall, cap) = (cast.stalls[0], cast.caps[0])
    try await expectSense(
      [
        .write(0, [.saveCap(cap, "red", nil, stall: stall)], at: cast.dates[0], .commits),
        .write(0, [.saveStall(stall, "b", caps: nil, shelf: nil)], at: cast.dates[1], .commits),
        .undo(0, ago: 0), .undo(0, ago: 0),
      ],
      habits: [.undoes, .saves]
    )
  }
}
