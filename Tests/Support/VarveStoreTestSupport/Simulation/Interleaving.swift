import VarveCore
import VarveStore
import VarveTestSupport

extension StoreSimulation {
  /// Begins a write of one session in the middle of a write of another on the same copy. Returns
  /// the copies that changed.
  func interleave(
    _ first: Int,
    _ operations: [StoreOperation],
    _ second: Int,
    _ others: [StoreOperation]
  ) async throws -> [Int] {
    let (one, other) = (fleet.sessions[first], fleet.sessions[second])
    guard one.copy == other.copy else { return [] }
    // Only a file can be read while it is written.
    let readsMeanwhile = fleet.keeping(ofSession: first) == .file && first != second
    let before = try await StoreShape(other.store.asOf(Moment.now), cast)
    written[one.copy] = nil
    for case .purge(let ids) in operations + others { purged.formUnion(ids) }
    var (intruder, refusalCount): (Intruder?, Int) = (nil, 0)
    var commits: [CommitSummary?] = []
    do {
      commits.append(
        try await one.store.commit(author: "sim") { transaction in
          for operation in operations.prefix(operations.count / 2) {
            refusalCount += try await operation.isRefused(in: transaction) ? 1 : 0
          }
          intruder = Intruder(other.store, others, readsMeanwhile ? cast : nil)
          try await intruder?.hasBegun()
          for operation in operations.dropFirst(operations.count / 2) {
            refusalCount += try await operation.isRefused(in: transaction) ? 1 : 0
          }
        }.commit
      )
    } catch {
      guard Self.isRefusal(error) else { throw error }
      refusalCount += 1
    }
    let outcome = try await intruder?.outcome()
    commits.append(outcome?.commit)
    tally.refusalCount += refusalCount + (outcome?.refusalCount ?? 0)
    tally.interleavedCount += 1
    if let seen = outcome?.seen, let difference = before.firstDifference(from: seen) {
      try fail(.isolation, "2 was read in the middle of a write: \(difference)")
    }
    let ids = commits.compactMap(\.self).map(\.id)
    tally.commitCount += ids.count
    let held = try await one.backend.held(among: ids)
    if held.count < ids.count { try fail(.isolation, "a write was lost by another") }
    return [one.copy]
  }
}

/// A write in a task of its own, which waits for its turn.
private struct Intruder {
  struct Outcome: Sendable {
    var commit: CommitSummary?
    var refusalCount = 0
    /// What was read before the write.
    var seen: StoreShape?
  }

  private let task: Task<Outcome, any Error>
  private let beginnings: AsyncStream<Void>

  /// Begins the write.
  ///
  /// - Parameter cast: the cast to read before, if anything is read.
  init(_ store: Store, _ operations: [StoreOperation], _ cast: StoreCast?) {
    let (beginnings, begins) = AsyncStream.makeStream(of: Void.self)
    self.beginnings = beginnings
    let source = Randomness.source
    // A task that inherited the write's scope would be nested in it.
    task = Task.detached {
      try await Randomness.$source.withValue(source) {
        defer { begins.finish() }
        var outcome = Outcome()
        if let cast { outcome.seen = try await StoreShape(store.asOf(Moment.now), cast) }
        begins.yield()
        do {
          let (refusalCount, commit) = try await store.commit(author: "sim") { transaction in
            var refusalCount = 0
            for operation in operations {
              refusalCount += try await operation.isRefused(in: transaction) ? 1 : 0
            }
            return refusalCount
          }
          (outcome.commit, outcome.refusalCount) = (commit, refusalCount)
        } catch {
          guard StoreSimulation.isRefusal(error) else { throw error }
          outcome.refusalCount += 1
        }
        return outcome
      }
    }
  }

  /// Waits until the write waits for its turn, as far as that can be known.
  func hasBegun() async throws {
    for await _ in beginnings { break }
    for _ in 0..<10 { await Task.yield() }
  }

  func outcome() async throws -> Outcome { try await task.value }
}

extension StoreOperation {
  /// Performs the operation. Returns whether the rules refuse it.
  fileprivate func isRefused(in transaction: WriteTransaction) async throws -> Bool {
    do {
      try await apply(to: transaction)
      return false
    } catch {
      guard StoreSimulation.isRefusal(error) else { throw error }
      return true
    }
  }
}
