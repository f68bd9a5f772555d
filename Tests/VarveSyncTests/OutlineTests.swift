import Foundation
import Testing
import VarveCore
import VarveSQLite
import VarveStore
import VarveSync
import VarveTestSupport

@Suite("A first synchronisation that brings the present before history")
struct OutlineTests {
  private let clock = TestClock()

  private func backend(skew: Int64 = 0) async throws -> SQLiteBackend {
    var configuration = SQLiteBackend.Configuration()
    configuration.wallMilliseconds = clock.reading(skew: skew)
    return try await SQLiteBackend.open(.inMemory, configuration: configuration)
  }

  /// Twenty hats, each written twenty times, with something that does not compress.
  private func manyVersions() async throws -> SQLiteBackend {
    let store = try await backend()
    for n in 0..<20 { try await store.create(EntityID("\(n)"), ["size": .int(0), "color": "red"]) }
    for version in 1...20 {
      clock.advance(by: 1_000)
      for n in 0..<20 {
        let value = Value.data(noise(400, seed: UInt64(version * 100 + n)))
        try await store.write([.set(EntityID("\(n)"), Assignment("picture", value), time: nil)])
      }
    }
    return store
  }

  /// Receives all commits of another store as outlines.
  private func takeOutlines(
    _ here: SQLiteBackend,
    of there: SQLiteBackend,
    partByteCount: Int = .max
  ) async throws -> Int {
    let horizon = try #require(try await there.outlineHorizon())
    try await here.expectOutlines(of: horizon)
    var byteCount = 0
    var cover = CommitCover()
    while true {
      let items = try await there.items(
        beyond: cover.frontier,
        atMost: partByteCount,
        wholeUpTo: .max,
        outline: horizon
      )
      let commits = items.compactMap { if case .commit(let commit) = $0 { commit } else { nil } }
      guard !commits.isEmpty else { return byteCount }
      byteCount += commits.reduce(0) { $0 + $1.byteCount }
      for commit in commits { cover.insert(commit) }
      _ = try await here.append(commits, outline: horizon)
    }
  }

  /// Returns all commits of a store as outlines up to a horizon.
  private func outlines(of there: SQLiteBackend, upTo horizon: Horizon) async throws -> [Commit] {
    try await there.items(beyond: .empty, atMost: .max, wholeUpTo: .max, outline: horizon)
      .compactMap { if case .commit(let commit) = $0 { commit } else { nil } }
  }

  /// Receives the complete commits for those that are partial here.
  private func complete(_ here: SQLiteBackend, from there: any Backend) async throws -> Int {
    var count = 0
    for range in try await here.awaited(from: 0, atMost: .max).ranges {
      let items = try await there.items(of: range, from: 0, atMost: .max, wholeUpTo: .max).items
      let commits = items.compactMap { if case .commit(let commit) = $0 { commit } else { nil } }
      count += try await here.append(commits).completedCount
    }
    return count
  }

  @Test func `superseded cells are not sent at first, and all effective ones are`() async throws {
    let there = try await manyVersions()
    let here = try await backend()
    let byteCount = try await takeOutlines(here, of: there)
    let whole = try await there.commits(beyond: .empty, atMost: .max).reduce(0) {
      $0 + $1.byteCount
    }
    #expect(byteCount < whole / 2)
    let exports = (try await CanonicalExport(of: there), try await CanonicalExport(of: here))
    #expect(exports.0.firstDifference(from: exports.1) == nil)
    #expect(try await here.frontier() == there.frontier())
    #expect(try await here.check { _ in }.findings == [])
    try await here.rebuild()
    #expect(try await CanonicalExport(of: here) == exports.0)
  }

  @Test func `a connection that has read nothing else counts what is still in part`() async throws {
    let there = try await manyVersions()
    let here = try await backend()
    _ = try await takeOutlines(here, of: there)
    let tally = try await here.read(at: .now) { try await $0.tally { _ in } }
    #expect(tally.partialCount == 380)
  }

  @Test func `until the present is there, nothing is read or written; then all but history is`()
    async throws
  {
    let there = try await manyVersions()
    let backend = try await backend()
    let here = Store(backend: backend, configuration: Store.Configuration())
    let horizon = try #require(try await there.outlineHorizon())
    try await backend.expectOutlines(of: horizon)
    let commits = try await outlines(of: there, upTo: horizon)
    _ = try await backend.append(Array(commits.dropLast()), outline: horizon)
    await expectAwaited { _ = try await here.entity("1") }
    await expectAwaited { _ = try await here.entity("nobody") }
    await expectAwaited { _ = try await here.count(Query("Hat")) }
    await expectAwaited { _ = try await here.diff(from: .now) }
    await expectAwaited { try await here.create("Hat", id: "new") }
    _ = try await backend.append([commits[commits.count - 1]], outline: horizon)

    #expect(try await here.require("1")["color"] == "red")
    #expect(try await here.entity("nobody") == nil)
    try await here.create("Hat", id: "new")
    try await here.set("1", "color", "green")
    await expectAwaited { _ = try await here.history(of: "1") }
    await expectAwaited {
      _ = try await here.asOf(Date(timeIntervalSince1970: 1)).count(Query("Hat"))
    }
    await expectAwaited { _ = try await here.asOf(Frontier([commits[3].id])).count(Query("Hat")) }
    await expectAwaited { try await here.purge(["1"]) }
    await expectAwaited { try await here.compact(before: Date(timeIntervalSince1970: 1)) }
    await expectAwaited { _ = try await here.undo(commits[30].id) }
    #expect(try await complete(backend, from: there) > 0)
    #expect(try await here.history(of: "1", "picture").count == 20)
    #expect(try await here.check().isClean)
    try await here.purge(["1"])
  }

  @Test(
    arguments: Seeds.first(15, of: 0..<40)
  )
  func `conflicts and unseen deaths, in random histories`(seed: UInt64) async throws {
    let count = 2 + Int(seed % 3)
    var backends: [SQLiteBackend] = []
    for replica in Fleet.replicas(count: count, seed: seed) {
      var configuration = SQLiteBackend.Configuration()
      configuration.wallMilliseconds = clock.reading()
      configuration.replica = replica
      backends.append(try await SQLiteBackend.open(.inMemory, configuration: configuration))
    }
    let fleet = Fleet(backends, clock: clock)
    var generator = HistoryGenerator(seed: seed, replicaCount: count)
    try await fleet.run(generator.steps(60))
    if seed % 2 == 0 { try await fleet.mergeAll() }
    let there = backends[0]
    let here = try await backend()
    guard try await there.outlineHorizon() != nil else { return }
    _ = try await takeOutlines(here, of: there, partByteCount: 2_000)
    let present = (try await CanonicalExport(of: there), try await CanonicalExport(of: here))
    #expect(present.0.firstDifference(from: present.1) == nil, "seed \(seed)")
    #expect(try await here.conflicts() == there.conflicts(), "seed \(seed)")
    #expect(try await here.check { _ in }.findings == [], "seed \(seed)")
    // Writes on both sides in between do not affect the commits that arrive.
    try await here.create("new here")
    try await there.create("new there")
    _ = try await complete(here, from: there)
    try await here.catchUp(with: there)
    try await there.catchUp(with: here)
    #expect(try await here.awaited(from: 0, atMost: 1).ranges == [], "seed \(seed)")
    let ids = generator.ids
    let all = (
      try await CanonicalExport(of: there, ids: ids), try await CanonicalExport(of: here, ids: ids)
    )
    #expect(all.0.firstDifference(from: all.1) == nil, "seed \(seed)")
    #expect(try await here.conflicts() == there.conflicts(), "seed \(seed)")
    #expect(try await here.check { _ in }.findings == [], "seed \(seed)")
    let blocks = (
      try await there.commits(beyond: .empty, atMost: .max).map { $0.blocks.map(\.stored) },
      try await here.commits(beyond: .empty, atMost: .max).map { $0.blocks.map(\.stored) }
    )
    #expect(blocks.0 == blocks.1, "seed \(seed)")
  }

  @Test func `a store that has commits in part is merged from as it is synchronised with`()
    async throws
  {
    let there = try await manyVersions()
    let here = try await backend()
    await #expect(throws: VarveError.self) { try await first(here, there, cutAt: .want) }
    try await here.create("mine")
    let (merged, synchronised) = (try await backend(), try await backend())
    let report = try await Store(backend: merged).merge(from: Store(backend: here))
    let (_, held) = try await synchronize(synchronised, here)
    #expect(report.heldBackCount == held.heldBackCount && report.heldBackCount > 0)
    #expect(try await merged.frontier() == synchronised.frontier())
    #expect(try await merged.commits(beyond: .empty, atMost: .max).allSatisfy { !$0.isOutline })
    _ = try await complete(here, from: there)
    let rest = try await Store(backend: merged).merge(from: Store(backend: here))
    #expect(rest.heldBackCount == 0)
    try await expectEqual(merged, here)
  }

  @Test
  func `a second synchronisation that ends before does not show the first one's part as whole`()
    async throws
  {
    let there = try await manyVersions()
    let here = try await backend()
    let horizon = try #require(try await there.outlineHorizon())
    try await here.expectOutlines(of: horizon)
    // The other one has nothing, so that nothing is awaited when it ends.
    _ = try await first(here, backend())
    #expect(try await here.read(at: .now) { try await $0.entity("1") } == nil)
    let commits = try await outlines(of: there, upTo: horizon)
    _ = try await here.append(Array(commits.dropLast()), outline: horizon)
    await expectAwaited { _ = try await here.read(at: .now) { try await $0.entity("1") } }
    _ = try await here.append(commits.suffix(1), outline: horizon)
    try await expectEqual(here, there)
    await expectAwaited { _ = try await history(of: "1", here) }
    #expect(try await complete(here, from: there) == 380)
    #expect(try await history(of: "1", here) == history(of: "1", there))
    #expect(try await here.check { _ in }.findings == [])
  }

  @Test func `the same, part by part, and with one that completes its own commits before`()
    async throws
  {
    let there = try await manyVersions()
    let other = try await backend()
    for range in 1...3 { try await other.create(EntityID("other \(range)"), ["size": .int(1)]) }
    for size in 2...9 {
      let assignment = Assignment("size", .int(Int64(size)))
      try await other.write([.set("other 1", assignment, time: nil)])
    }
    let here = try await backend()
    let horizon = try #require(try await there.outlineHorizon())
    try await here.expectOutlines(of: horizon)
    let report = try await first(here, other).left
    #expect(report.completedCount > 0 && report.isComplete)
    #expect(try await here.read(at: .now) { try await $0.entity("other 1") } != nil)
    let commits = try await outlines(of: there, upTo: horizon)
    var parts = commits.dropLast().flatMap { commit in
      [CommitPart.header(commit.header)] + commit.blocks.map { .block($0) }
    }[...]
    _ = try await here.append(outline: horizon) { parts.popFirst() }
    await expectAwaited { _ = try await here.read(at: .now) { try await $0.entity("other 1") } }
    _ = try await here.append(commits.suffix(1), outline: horizon)
    await expectAwaited { _ = try await history(of: "other 1", here) }
    #expect(try await complete(here, from: there) == 380)
    try await there.catchUp(with: other)
    try await expectEqual(here, there)
    #expect(try await history(of: "1", here) == history(of: "1", there))
    #expect(try await here.check { _ in }.findings == [])
  }

  @Test
  func `an outline that no horizon goes with is refused, whole and in parts, and stores nothing`()
    async throws
  {
    let there = try await manyVersions()
    let here = try await backend()
    let horizon = try #require(try await there.outlineHorizon())
    let commits = try await outlines(of: there, upTo: horizon)
    let first = commits.firstIndex { $0.isOutline }
    let place = try #require(first)
    await expect(.unsupported) { _ = try await here.append(Array(commits[...place])) }
    var parts = commits[...place].flatMap { commit in
      [CommitPart.header(commit.header)] + commit.blocks.map { .block($0) }
    }[...]
    await expect(.unsupported) { _ = try await here.append { parts.popFirst() } }
    #expect(try await here.commitCount(beyond: .empty) == 0)
    try await here.catchUp(with: there)
    try await expectEqual(here, there)
  }

  @Test func `a block whose salt was taken away is completed, although its content is the same`()
    async throws
  {
    let there = try await manyVersions()
    let commits = try await there.commits(beyond: .empty, atMost: .max)
    let bare = commits.map { commit in
      commit.with(commit.blocks.map { Block(salt: [], digest: $0.digest, stored: $0.stored) })
    }
    let here = try await backend()
    _ = try await here.append(bare)
    #expect(try await here.partialCount() == commits.count)
    #expect(try await here.append(commits).completedCount == commits.count)
    #expect(try await here.partialCount() == 0)
    try await expectEqual(here, there)
    #expect(try await history(of: "1", here) == history(of: "1", there))
    #expect(try await here.check { _ in }.findings == [])
  }

  @Test func `merging into it completes what is here in part, from a store that has all of it`()
    async throws
  {
    let there = try await manyVersions()
    let here = try await backend()
    await #expect(throws: VarveError.self) { try await first(here, there, cutAt: .want) }
    let report = try await Store(backend: here).merge(from: Store(backend: there))
    #expect(report.completedCount == 380 && report.commitCount == 0)
    #expect(try await history(of: "1", here) == history(of: "1", there))
    #expect(try await here.check { _ in }.findings == [])
  }

  @Test func `one call brings both, one after the other`() async throws {
    let there = try await manyVersions()
    let here = try await backend()
    let (ours, theirs) = try await first(here, there)
    #expect(ours.receivedCount == 420 && ours.completedCount == 380 && ours.isComplete)
    #expect(theirs.sentCount == 420)
    try await expectEqual(here, there)
    #expect(try await history(of: "1", here) == history(of: "1", there))
    let (again, _) = try await first(here, there)
    #expect(again == SyncReport())
  }

  @Test func `interrupted before history, the present is there; another store sends the rest`()
    async throws
  {
    let there = try await manyVersions()
    let other = try await backend()
    try await other.catchUp(with: there)
    let here = try await backend()
    await #expect(throws: VarveError.self) { try await first(here, there, cutAt: .want) }
    let exports = (try await CanonicalExport(of: there), try await CanonicalExport(of: here))
    #expect(exports.0.firstDifference(from: exports.1) == nil)
    await expectAwaited { _ = try await history(of: "1", here) }
    // A third store receives neither the partial commits nor those that depend on them.
    let third = try await backend()
    try await here.create("mine")
    let (_, held) = try await synchronize(third, here)
    #expect(held.heldBackCount > 0)
    #expect(try await third.commits(beyond: .empty, atMost: .max).allSatisfy { !$0.isOutline })
    let report = try await synchronize(here, other).left
    #expect(report.completedCount == 380)
    try await expectEqual(here, other)
    #expect(try await history(of: "1", here) == history(of: "1", other))
    #expect(try await here.check { _ in }.findings == [])
  }

  @Test func `interrupted in the middle of the present, it continues from there`() async throws {
    let there = try await manyVersions()
    let here = try await backend()
    await #expect(throws: VarveError.self) { try await first(here, there, cutAt: .data, after: 12) }
    #expect(try await here.commitCount(beyond: .empty) > 0)
    await expectAwaited { _ = try await here.read(at: .now) { try await $0.entity("1") } }
    try await there.create("meanwhile")
    let report = try await first(here, there).left
    #expect(report.receivedCount < 421 && report.completedCount > 0)
    try await expectEqual(here, there)
    #expect(try await history(of: "1", here) == history(of: "1", there))
  }

  @Test func `cells purged while history is received do not return with it`() async throws {
    let there = try await manyVersions()
    let here = try await backend()
    await #expect(throws: VarveError.self) { try await first(here, there, cutAt: .want) }
    let store = Store(backend: there, configuration: Store.Configuration())
    try await store.purge(["3"])
    let report = try await synchronize(here, there).left
    #expect(report.isComplete)
    try await expectEqual(here, there)
    #expect(try await history(of: "3", here) == history(of: "3", there))
    #expect(try await history(of: "3", here).allSatisfy { $0.content.key == nil })
    #expect(try await here.check { _ in }.findings == [])
  }

  @Test func `cells redacted for a reason that never arrived are requested, and received`()
    async throws
  {
    let there = try await manyVersions()
    let other = try await backend()
    try await other.catchUp(with: there)
    let store = Store(backend: there, configuration: Store.Configuration())
    try await store.purge(["3"])
    let commits = try await there.commits(beyond: .empty, atMost: .max)
    let here = try await backend()
    // The purge itself is lost, with the only store that had it.
    _ = try await here.append(Array(commits.dropLast()))
    #expect(try await !here.awaited(from: 0, atMost: 9).ranges.isEmpty)
    let report = try await synchronize(here, other).left
    #expect(report.completedCount > 0)
    try await expectEqual(here, other)
    #expect(try await history(of: "3", here) == history(of: "3", other))
    #expect(try await here.check { _ in }.findings == [])
    // When the redaction arrives, it is applied, and nothing is awaited any more.
    _ = try await here.append([commits[commits.count - 1]])
    #expect(try await here.awaited(from: 0, atMost: 9).ranges == [])
    #expect(try await history(of: "3", here).allSatisfy { $0.content.key == nil })
  }

  @Test func `a purged folder is not rewritten by a store that has outlines only`() async throws {
    let there = try await manyVersions()
    let scratch = try Scratch()
    let folder = try SyncFolder(scratch.path("shared"))
    _ = try await folder.synchronize(there)
    let here = try await backend()
    await #expect(throws: VarveError.self) { try await first(here, there, cutAt: .want) }
    try await Store(backend: there, configuration: Store.Configuration()).purge(["3"])
    try await here.catchUp(with: there)
    _ = try await folder.synchronize(here)
    let newcomer = try await backend()
    _ = try await folder.synchronize(there)
    _ = try await folder.synchronize(newcomer)
    try await expectEqual(newcomer, there)
    #expect(try await history(of: "4", newcomer) == history(of: "4", there))
  }

  @Test func `a folder brings the rest, and the report counts the commits that are still partial`()
    async throws
  {
    let there = try await manyVersions()
    let here = try await backend()
    await #expect(throws: VarveError.self) { try await first(here, there, cutAt: .want) }
    let store = Store(backend: here, configuration: Store.Configuration())
    let folder = try Scratch()
    let before = try await store.sync(folder: folder.path("shared"))
    #expect(before.partialCount == 380 && !before.isComplete)
    let check = try await store.check()
    #expect(check.partialCount == 380 && check.isClean)
    #expect(try await store.tally().partialCount == 380)
    await expectAwaited { _ = try await store.changes(since: .empty) }
    _ = try await SyncFolder(folder.path("shared")).synchronize(there)
    let report = try await store.sync(folder: folder.path("shared"))
    #expect(report.completedCount == 380 && report.partialCount == 0 && report.isComplete)
    #expect(try await history(of: "1", here) == history(of: "1", there))
    #expect(try await store.check().partialCount == 0)
  }

  @Test func `stores without commits, or without superseded cells, synchronise as always`()
    async throws
  {
    let (here, there) = (try await backend(), try await backend())
    #expect(try await first(here, there).left == SyncReport())
    try await there.create("one")
    let report = try await first(here, there).left
    #expect(report.receivedCount == 1 && report.completedCount == 0)
    #expect(try await history(of: "one", here).count > 0)
  }

  // MARK: What the tests are made of

  private func history(of id: EntityID, _ backend: any Backend) async throws -> [Version] {
    try await backend.read(at: .now) { try await $0.history(of: id, key: nil, limit: nil) }
  }

  private func expectAwaited(
    sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () async throws -> Void
  ) async {
    await expect(.historyAwaited, sourceLocation: sourceLocation, body)
  }

  /// Expects an error with a code, a place and a remedy.
  private func expect(
    _ code: VarveError.Code,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () async throws -> Void
  ) async {
    do {
      try await body()
      Issue.record("nothing was refused", sourceLocation: sourceLocation)
    } catch {
      let error = error as? VarveError
      #expect(error?.code == code, sourceLocation: sourceLocation)
      #expect(error?.place != nil && error?.remedy != nil, sourceLocation: sourceLocation)
    }
  }

  /// Synchronises, the left side asking for the present first; the connection ends where the left
  /// side sends, or would take in, a frame of a kind.
  private func first(
    _ left: SQLiteBackend,
    _ right: SQLiteBackend,
    cutAt kind: Frame.Kind? = nil,
    after count: Int = 0
  ) async throws -> (left: SyncReport, right: SyncReport) {
    let (here, there) = InProcessChannel.pair()
    var limits = SyncLimits()
    (limits.frame, limits.part, limits.append) = (1_000, 4_000, 4_000)
    let channel = CutChannel(here, at: kind, after: count)
    async let theirs = Peer(right, there, limits: limits).run()
    let ours = try await Peer(left, channel, limits: limits, wantsOutlines: true).run()
    return (ours, try await theirs)
  }
}

/// A connection that ends at a frame of one kind, after some of them.
private actor CutChannel: FrameChannel {
  private let channel: InProcessChannel
  private let kind: Frame.Kind?
  private var count: Int

  init(_ channel: InProcessChannel, at kind: Frame.Kind?, after count: Int) {
    self.channel = channel
    self.kind = kind
    self.count = count
  }

  func send(_ frame: [UInt8]) async throws {
    if try cuts(frame) { return await channel.close() }
    try await channel.send(frame)
  }

  func receive() async throws -> [UInt8]? {
    guard let frame = try await channel.receive() else { return nil }
    if try cuts(frame) {
      await channel.close()
      return nil
    }
    return frame
  }

  func close() async { await channel.close() }

  private func cuts(_ frame: [UInt8]) throws -> Bool {
    guard let kind, try Frame(encoded: frame).kind == kind.rawValue else { return false }
    count -= 1
    return count < 0
  }
}
