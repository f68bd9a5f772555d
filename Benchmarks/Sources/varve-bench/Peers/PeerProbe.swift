import Foundation
import VarveCore
import VarveStore

/// One phase of the work Varve's peers do, in this process, for `Benchmarks/Peers/run.py`: the
/// figures are printed as a JSON object of the shape `phases.py` prints.
struct PeerProbe {
  private let arguments: PeerArguments
  private let workload: PeerWorkload

  static func run(_ arguments: [String]) async throws {
    let arguments = try PeerArguments(arguments)
    let workload = try PeerWorkload(isQuick: arguments.isQuick)
    let probe = PeerProbe(arguments: arguments, workload: workload)
    switch arguments.phase {
    case .write: try show(await probe.write())
    case .reopen: try show(await probe.reopen())
    case .merge: try show(await probe.merge())
    }
  }

  private static func show(_ figures: some Encodable) throws {
    Report.show(String(decoding: try JSONEncoder().encode(figures), as: UTF8.self))
  }

  private var storeFolder: URL { arguments.folder.appending(path: "store") }
  private var mark: URL { arguments.folder.appending(path: "mark") }
  private static let fileName = "items.varve"

  /// Steps one and two.
  private func write() async throws -> WriteFigures {
    let files = FileManager.default
    try files.createDirectory(at: storeFolder, withIntermediateDirectories: true)
    let store = try await Store.open(storeFolder.appending(path: Self.fileName).path)
    let startMemory = Machine.residentMemory
    let add = try await step(workload.commitsOfItems) { try await self.add($0, to: store) }
    guard !add.isExtrapolated else {
      throw UsageError("the entities were not added within \(arguments.limitSeconds) seconds")
    }
    try await keepMark()
    let change = try await step(workload.changes) { try await self.set([$0], in: store) }
    let checksum = try await checksum(of: store)
    try await store.close()
    let sizes = try files.contentsOfDirectory(
      at: storeFolder,
      includingPropertiesForKeys: [.fileSizeKey]
    ).map { try $0.resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0 }
    return WriteFigures(
      add: add,
      change: change,
      bytes: sizes.reduce(0, +),
      peakMemoryBytes: Machine.peakMemory,
      startMemoryBytes: startMemory,
      checksum: checksum
    )
  }

  /// Records the time between the steps. Waiting keeps the commits on either side out of its
  /// millisecond.
  private func keepMark() async throws {
    try await Task.sleep(for: .milliseconds(5))
    let now = Date().timeIntervalSince1970
    try await Task.sleep(for: .milliseconds(5))
    try Data(String(now).utf8).write(to: mark)
  }

  /// Opens the store again, and reads values as they were after step one.
  private func reopen() async throws -> ReopenFigures {
    let path = storeFolder.appending(path: Self.fileName).path
    let processor = Cost.processorSeconds
    let clock = ContinuousClock()
    let start = clock.now
    let store = try await Store.open(path)
    _ = try await count(of: workload.items[0].id, in: store)
    let opened = Cost(
      seconds: (clock.now - start).seconds,
      cpuSeconds: Cost.processorSeconds - processor
    )
    let checksum = try await checksum(of: store)
    let items = workload.items
    let chosen = stride(
      from: 0,
      to: items.count,
      by: max(1, items.count / PeerWorkload.oldValueCount)
    )
    .map { items[$0] }
    guard let then = Double(try String(contentsOf: mark, encoding: .utf8)) else {
      throw RawError(description: "there is no time in \(mark.path)")
    }
    let view = try store.asOf(Date(timeIntervalSince1970: then))
    var costs: [Cost] = []
    for item in chosen {
      var old: Int64?
      costs.append(try await Cost.of { old = try await count(of: item.id, in: view) })
      guard old == item.count else {
        throw RawError(description: "an old value is \(old ?? -1) instead of \(item.count)")
      }
    }
    try await store.close()
    return ReopenFigures(
      open: opened,
      checksum: checksum,
      firstOld: costs[0],
      nextOldSeconds: Sample(costs.dropFirst().map(\.seconds)).median,
      peakMemoryBytes: Machine.peakMemory
    )
  }

  /// Step three: two changed copies exchange their commits. The second copy is a replica, because a
  /// copied file would be a fork.
  private func merge() async throws -> MergeFigures {
    let copies = (0..<2).map { arguments.folder.appending(path: "copy-\($0)") }
    try FileManager.default.copyItem(at: storeFolder, to: copies[0])
    try FileManager.default.createDirectory(at: copies[1], withIntermediateDirectories: true)
    let one = try await Store.open(copies[0].appending(path: Self.fileName).path)
    let other = try await Store.open(copies[1].appending(path: Self.fileName).path)
    try await other.merge(from: one)
    for (store, seed) in zip([one, other], PeerWorkload.copySeeds) {
      for commit in workload.commitsOfCopy(seed) { try await set(commit, in: store) }
    }
    let cost = try await Cost.of {
      try await one.merge(from: other)
      try await harden(one)
      try await other.merge(from: one)
      try await harden(other)
    }
    for item in workload.items {
      guard try await count(of: item.id, in: one) == count(of: item.id, in: other) else {
        throw RawError(description: "the copies are not equal")
      }
    }
    try await one.close()
    try await other.close()
    return MergeFigures(
      seconds: cost.seconds,
      cpuSeconds: cost.cpuSeconds,
      peakMemoryBytes: Machine.peakMemory
    )
  }
}

// MARK: - One commit

extension PeerProbe {
  private func add(_ items: ArraySlice<PeerItem>, to store: Store) async throws {
    let rows = items.lazy.map { ($0.id, $0.values) }
    try await store.create(PeerItem.type, keys: PeerItem.keys, rows: rows)
    try await harden(store)
  }

  private func set(_ changes: ArraySlice<PeerWorkload.Change>, in store: Store) async throws {
    try await store.write { transaction in
      for change in changes {
        try await transaction.set(workload.items[change.index].id, "count", .int(change.count))
      }
    }
    try await harden(store)
  }

  /// Flushes the commits to the disk, if requested.
  private func harden(_ store: Store) async throws {
    if arguments.isSynchronized { try await store.flush() }
  }

  private func count(of id: EntityID, in state: some Reading) async throws -> Int64 {
    guard case .int(let count)? = try await state.entity(id)?["count"] else {
      throw RawError(description: "\(id) has no count")
    }
    return count
  }

  private func checksum(of store: Store) async throws -> Int64 {
    var sum: Int64 = 0
    for item in workload.items { sum += try await count(of: item.id, in: store) }
    return sum
  }

  /// Applies commits until all are done or the time is up. The rest is extrapolated.
  private func step<Commit>(
    _ commits: [Commit],
    _ apply: (Commit) async throws -> Void
  ) async throws -> StepFigures {
    let processor = Cost.processorSeconds
    let clock = ContinuousClock()
    let start = clock.now
    var done = 0
    var elapsed = 0.0
    for commit in commits {
      try await apply(commit)
      done += 1
      elapsed = (clock.now - start).seconds
      if elapsed > arguments.limitSeconds { break }
    }
    let factor = Double(commits.count) / Double(done)
    return StepFigures(
      seconds: elapsed * factor,
      cpuSeconds: (Cost.processorSeconds - processor) * factor,
      commits: done,
      isExtrapolated: done < commits.count
    )
  }
}
