import Testing
import VarveCore
import VarveStore
import VarveStoreTestSupport

/// The shortest forms of histories by which simulations found errors in what subscribers receive.
/// The sessions are those of a file, of a store in memory and of a reference backend.
@Suite("Watched histories found by simulation")
struct WatchedHistoryTests {
  private let cast = StoreCast(seed: 0)
  private var id: EntityID { cast.ids[0] }

  /// Plays steps; expects that every subscriber receives what changes.
  private func expectAllReceived(
    _ steps: [StoreStep],
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    var plan = StorePlan(seed: 0, thoroughEvery: 1)
    plan.sessionCount = 1
    plan.habits = [.watches, .compacts, .purges]
    let (failure, tally) = try await StoreSimulation(plan).run(steps)
    #expect(failure == nil, "\(failure?.description ?? "")", sourceLocation: sourceLocation)
    #expect(tally.stepCount == steps.count, sourceLocation: sourceLocation)
    #expect(tally.watchedCount > 0, sourceLocation: sourceLocation)
  }

  private func write(_ session: Int, _ operations: StoreOperation...) -> StoreStep {
    .write(session, operations, at: nil, .commits)
  }

  private func set(_ value: Int64, at place: Int? = nil) -> StoreOperation {
    let date = place.map { cast.dates[$0] }
    return .set(id, "name", .int(value), semanticType: nil, at: date)
  }

  private var creation: StoreOperation { .create(id, "Hat", [:], at: nil) }

  @Test(arguments: [1, 2])
  func `a write comes after the commits that fell due with it`(session: Int) async throws {
    try await expectAllReceived([
      .jump(1, milliseconds: -600_000), write(0, creation),
      .merge(from: 0, into: session, percent: 100), .advance(milliseconds: 660_000),
      write(session, set(2)),
    ])
  }

  @Test(arguments: [1, 2])
  func `what a merge revives before a horizon is received`(session: Int) async throws {
    try await expectAllReceived([
      write(0, creation, .relate(id, .owns, cast.ids[1], named: "", at: nil)),
      write(0, .create(cast.ids[1], "Hat", [:], at: nil)), write(0, set(1)), write(0, set(2)),
      write(0, .erase([id], strict: false, at: nil)), .merge(from: 0, into: session, percent: 100),
      .undo(0, ago: 0), write(0, set(3)), .advance(milliseconds: 1_000),
      .compact(0, milliseconds: 1), .merge(from: 0, into: session, percent: 100),
    ])
  }

  @Test(arguments: [1, 2])
  func `what a merge erases before a horizon is received`(session: Int) async throws {
    try await expectAllReceived([
      write(0, creation, .relate(id, .owns, cast.ids[1], named: "", at: nil)),
      write(0, .create(cast.ids[1], "Hat", [:], at: nil)), write(0, set(1)), write(0, set(2)),
      .merge(from: 0, into: session, percent: 100), write(0, set(3)),
      write(0, .erase([id], strict: false, at: nil)), .advance(milliseconds: 1_000),
      .compact(0, milliseconds: 1), .merge(from: 0, into: session, percent: 100),
    ])
  }

  @Test(arguments: [0, 1, 2])
  func `what a purge took is among the keys of sets that are joined`(session: Int) async throws {
    try await expectAllReceived([
      write(session, .create(id, "Hat", ["name": StoredEntity.Property(.int(1))], at: nil)),
      .interleave(session, session, [.purge([id])], [.restore(id, .asRoot, at: nil)]),
    ])
  }

  @Test(arguments: [1, 2])
  func `what an owner's return revives has changed since it died`(session: Int) async throws {
    let owner = cast.ids[1]
    try await expectAllReceived([
      write(
        0,
        .create(id, "Hat", [:], at: nil),
        .create(owner, "Hat", [:], at: nil),
        .relate(owner, .owns, id, named: "", at: nil)
      ),
      .sync(0, session),
      .interleave(
        session,
        session,
        [.erase([owner], strict: false, at: nil)],
        [.restore(owner, .asRoot, at: nil), set(3)]
      ),
    ])
  }

  @Test(arguments: [1, 2]
  )
  func `a purge by a store that saw the entity dead is received where it lives`(session: Int)
    async throws
  {
    try await expectAllReceived([
      write(0, .create(id, "Hat", ["name": StoredEntity.Property(.int(1))], at: nil)),
      write(0, .erase([id], strict: false, at: nil)), .sync(0, session),
      write(session, .restore(id, .asRoot, at: nil)), write(0, .purge([id])),
      .merge(from: 0, into: session, percent: 100), .sync(0, session),
    ])
  }

  @Test(arguments: [1, 2]
  )
  func `a purge by a store that saw the owner dead is received where both live`(session: Int)
    async throws
  {
    let owner = cast.ids[1]
    try await expectAllReceived([
      write(
        0,
        .create(id, "Hat", ["name": StoredEntity.Property(.int(1))], at: nil),
        .create(owner, "Hat", [:], at: nil),
        .relate(owner, .owns, id, named: "", at: nil)
      ),
      write(0, .erase([owner], strict: false, at: nil)), .sync(0, session),
      write(session, .restore(owner, .asRoot, at: nil)), write(0, .purge([id])),
      .merge(from: 0, into: session, percent: 100), .sync(0, session),
    ])
  }

  @Test func `a value that a purge by another store leaves in place of a newer one is received`()
    async throws
  {
    try await expectAllReceived([
      write(0, .create(id, "Hat", ["name": StoredEntity.Property(.int(1))], at: nil)),
      .merge(from: 0, into: 2, percent: 100), .sync(0, 1), write(2, set(2, at: 0)),
      write(1, .purge([id])), write(1, .restore(id, .ifOwned, at: nil)), .sync(1, 2),
    ])
  }
}
