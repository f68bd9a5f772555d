package import VarveCore

/// Commits that arrived before their dependencies: kept up to a number of bytes, and only counted
/// beyond it.
package struct CausalBuffer: Sendable {
  private struct Waiter: Sendable {
    let commit: Commit
    let byteCount: Int
  }

  private var waiters: [CommitID: [Waiter]] = [:]
  private var counts: [CommitID: Int] = [:]
  /// The number of bytes kept.
  package private(set) var byteCount = 0
  private let limit: Int

  package init(limit: Int) { self.limit = limit }

  /// Keeps a commit until another arrives; beyond the limit the commit is only counted.
  package mutating func add(_ commit: Commit, needing needed: CommitID) {
    counts[needed, default: 0] += 1
    let size = commit.byteCount
    guard byteCount + size <= limit else { return }
    byteCount += size
    waiters[needed, default: []].append(Waiter(commit: commit, byteCount: size))
  }

  /// Counts a commit that waits for another and is not kept.
  package mutating func count(needing needed: CommitID) { counts[needed, default: 0] += 1 }

  /// Removes and returns the commits that waited for the given ones.
  package mutating func release(_ ids: [CommitID]) -> [Commit] {
    var ready: [Commit] = []
    for id in ids {
      for waiter in waiters.removeValue(forKey: id) ?? [] {
        ready.append(waiter.commit)
        byteCount -= waiter.byteCount
        counts[id, default: 0] -= 1
      }
      if counts[id] == 0 { counts[id] = nil }
    }
    return ready.sorted {
      CommitOrder(stamp: $0.header.stamp, hash: $0.id.hash)
        < CommitOrder(stamp: $1.header.stamp, hash: $1.id.hash)
    }
  }

  /// The missing commits, in order of replica and number.
  package var waiting: [Waiting] {
    counts.filter { $0.value > 0 }.sorted { $0.key < $1.key }
      .map { Waiting(needed: $0.key, commitCount: $0.value) }
  }

  /// Traps if the byte count is not that of the commits kept.
  package func checkInvariants() {
    let sum = waiters.values.joined().reduce(0) { $0 + $1.byteCount }
    precondition(sum == byteCount && byteCount <= limit, "what waits is counted and bounded")
  }
}
