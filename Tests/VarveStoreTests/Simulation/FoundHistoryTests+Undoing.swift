import Foundation
import Testing
import VarveCore
import VarveStore
import VarveStoreTestSupport

/// Histories with undos.
extension FoundHistoryTests {
  @Test(arguments: 0..<3)
  func `an undone change restores a list`(copy: Int) async throws {
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

  @Test(arguments: 0..<3)
  func `undoing continues past undone commits`(copy: Int) async throws {
    try await expectSense(
      [
        write(copy, create(owner)), write(copy, set(owner, 1)),
        write(copy, .arrange(owner, "list", .set, [owned], .orderedSet, at: nil)),
        write(copy, .update(owner, ["size": .some(.init(.int(1)))], at: cast.dates[3])),
        .undoBack(copy), .undoBack(copy), .undoBack(copy), .undoBack(copy),
      ]
    )
  }

  @Test(arguments: 0..<3)
  func `a value of a new life is undone if one of a former life is greater`(copy: Int) async throws
  {
    try await expectSense(
      [
        write(copy, create(owner), set(owner, 2)), write(copy, erase(owner), create(owner)),
        write(copy, set(owner, 1, at: cast.dates[1])), .undo(copy, ago: 0),
      ]
    )
  }

  @Test(arguments: 0..<3)
  func `an undone move of a reference gives an owned entity its place again`(copy: Int) async throws
  {
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

  @Test func `an erasure is known to those who undid and repeated it`() async throws {
    let insert = StoreOperation.insert(
      "Hat",
      "name",
      owner,
      ["name": .init(.string("red"), semanticType: "string")],
      at: nil
    )
    try await expectSense([
      .write(0, [insert], at: cast.dates[4], .commits),
      write(0, create(cast.ids[2], at: cast.dates[2]), erase(cast.ids[2])),
      .undo(0, ago: 0), .undo(0, ago: 0),
    ])
  }

  @Test func `an undone creation is no owner in the preview of an erasure`() async throws {
    try await expectSense([
      write(0, own(owner, owned)), write(0, create(owned)), write(0, own(owned, owner)),
      write(0, create(owner)), .undo(0, ago: 0),
    ])
  }

  @Test func `an undo revives what an owner owned before its commit created it anew`() async throws
  {
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

  @Test
  func `an entity that an unknown owner kept alive stays when that owner's creation is undone`()
    async throws
  {
    let other = cast.ids[2]
    try await expectSense([
      .write(0, [own(owner, owned)], at: cast.dates[4], .commits), write(0, create(other)),
      write(0, create(owned)), write(0, own(other, owned)), write(0, erase(other)),
      write(0, create(owner)), .undo(0, ago: 0),
    ])
  }

  @Test func `an undone addition ends although all elements had been stated for a future date`()
    async throws
  {
    let (other, date) = (cast.ids[2], cast.dates[4])
    try await expectSense([
      write(0, create(owner)), write(0, .arrange(owner, "list", .set, [owned], .set, at: date)),
      write(0, .arrange(owner, "list", .add, [owned, other], .list, at: nil)), .undo(0, ago: 0),
    ])
  }

  @Test(arguments: [false, true]
  )
  func `a circle below an erased owner is dead again when the creation that freed it is undone`(
    isReborn: Bool
  ) async throws {
    let (other, date) = (cast.ids[2], cast.dates[4])
    try await expectSense([
      .write(0, [own(owner, owned)], at: date, .commits),
      .write(0, [own(owned, owner)], at: date, .commits),
      write(0, create(other)), write(0, create(owned)), write(0, own(other, owned)),
      .write(0, [erase(other)] + (isReborn ? [create(other)] : []), at: nil, .commits),
      write(0, create(owner)), .undo(0, ago: 0),
    ])
  }

  @Test(arguments: 0..<2)
  func `an undo of an undo gives dated references their edges from their dates`(order: Int)
    async throws
  {
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

  @Test func `a reference from before its owner's creation gets its edge again from that date on`()
    async throws
  {
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

  @Test func `an owner that is erased again takes nothing by a reference whose edge it had lost`()
    async throws
  {
    let (stall, cap) = (cast.stalls[0], cast.caps[0])
    try await expectSense(
      [
        .write(0, [.saveCap(cap, "red", 1, stall: stall)], at: cast.dates[2], .commits),
        write(0, .saveStall(stall, "a", caps: [], shelf: nil)),
        .undo(0, ago: 0), .undo(0, ago: 0), .undo(0, ago: 0), .undo(0, ago: 0),
      ],
      habits: [.undoes, .saves]
    )
  }

  @Test
  func `a past life stays when the creation of its owner is undone, although it was created anew`()
    async throws
  {
    try await expectSense([
      write(2, create(owned)), .merge(from: 2, into: 0, percent: 100), write(0, erase(owned)),
      .sync(0, 2), write(2, create(owned, "Shop", at: cast.dates[3])),
      write(0, .restore(owned, .asRoot, at: nil), own(owner, owned)), .sync(0, 2),
      write(2, create(owner, at: cast.dates[2])), .undo(2, ago: 0),
    ])
  }
}
