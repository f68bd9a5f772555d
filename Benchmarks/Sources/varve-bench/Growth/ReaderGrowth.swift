import VarveCore
import VarveStore

/// One to eight readers that find by id, beside one writer of small transactions, and without one,
/// each on a thread of its own.
/// Readers should neither stop the writer nor be stopped; together they can be no faster than the
/// cores there are.
enum ReaderGrowth {
  private static let readerCounts = [1, 2, 3, 4, 6, 8]
  private static let itemCount = 100_000
  private static let readName = "finds by id, all readers together"
  private static let writeName = "updates by the writer beside them"

  /// The operations in a period.
  private struct Rates {
    var reads = 0.0
    var writes = 0.0
  }

  static func measure(_ context: Context, into curves: inout GrowthCurves) async throws {
    let items = ItemGenerator.small(context.scaled(itemCount))
    let path = context.workspace.freshPath("varve")
    let database = try await VarveItems(path)
    try await database.insert(items)
    let ids = items.map(\.id)
    let duration: Duration = .milliseconds(context.options.isQuick ? 200 : 1_000)
    let run = Run(store: database.store, ids: ids, duration: duration)
    var writes: [Double] = []
    for _ in 0..<context.options.repetitionCount {
      writes.append(try await run.rates(readers: 0, hasWriter: true).writes)
    }
    curves.add(writes, to: writeName, at: 0, .readers, .perSecond)
    for readers in readerCounts {
      var beside: [Rates] = []
      var alone: [Rates] = []
      for _ in 0..<context.options.repetitionCount {
        beside.append(try await run.rates(readers: readers, hasWriter: true))
        alone.append(try await run.rates(readers: readers, hasWriter: false))
      }
      func add(_ values: [Double], _ name: String, _ contestant: String) {
        curves.add(values, to: name, of: contestant, at: readers, .readers, .perSecond)
      }
      add(beside.map(\.reads), readName, "beside a writer")
      add(alone.map(\.reads), readName, "without a writer")
      add(beside.map(\.writes), writeName, Contestants.varve)
    }
    try await database.store.close()
    context.workspace.discard(path)
  }

  /// Tasks that read and write until time is up.
  private struct Run {
    let store: Store
    let ids: [EntityID]
    let duration: Duration

    func rates(readers: Int, hasWriter: Bool) async throws -> Rates {
      let clock = ContinuousClock()
      let start = clock.now
      let end = start + duration
      let counts = try await withThrowingTaskGroup(of: (isWriter: Bool, count: Int).self) { group in
        for reader in 0..<readers {
          group.addTask(executorPreference: OwnThread()) {
            (false, try await read(until: end, seed: UInt64(reader)))
          }
        }
        if hasWriter {
          group.addTask(executorPreference: OwnThread()) { (true, try await write(until: end)) }
        }
        var counts = (reads: 0, writes: 0)
        for try await (isWriter, count) in group {
          if isWriter { counts.writes += count } else { counts.reads += count }
        }
        return counts
      }
      // A last transaction may end after time is up.
      let elapsed = (clock.now - start).seconds
      return Rates(reads: Double(counts.reads) / elapsed, writes: Double(counts.writes) / elapsed)
    }

    private func read(until end: ContinuousClock.Instant, seed: UInt64) async throws -> Int {
      var random = SeededGenerator(state: seed)
      var count = 0
      while ContinuousClock.now < end {
        let id = ids[Int(random.next() % UInt64(ids.count))]
        guard try await store.entity(id) != nil else {
          throw RawError(description: "an item is missing")
        }
        count += 1
      }
      return count
    }

    private func write(until end: ContinuousClock.Instant) async throws -> Int {
      var random = SeededGenerator(state: 99)
      var count = 0
      while ContinuousClock.now < end {
        let id = ids[Int(random.next() % UInt64(ids.count))]
        try await store.set(id, "count", .int(Int64(count)))
        count += 1
      }
      return count
    }
  }
}
