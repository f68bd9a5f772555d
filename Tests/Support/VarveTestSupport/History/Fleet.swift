package import VarveCore

/// Several replicas with one clock, on which a history is played.
package struct Fleet: Sendable {
  package let backends: [any Backend]
  package let clock: TestClock

  /// Replicas that exist.
  package init(_ backends: [any Backend], clock: TestClock) {
    self.backends = backends
    self.clock = clock
  }

  /// Creates a fleet of empty reference backends. Two fleets of one seed write under the same
  /// replica ids.
  package static func reference(count: Int, seed: UInt64, skews: [Int64] = []) -> Fleet {
    let clock = TestClock()
    let backends = replicas(count: count, seed: seed).enumerated().map { index, replica in
      let skew = index < skews.count ? skews[index] : 0
      return ReferenceBackend(replica: replica, wallMilliseconds: clock.reading(skew: skew))
    }
    return Fleet(backends, clock: clock)
  }

  /// Returns the replica ids of a seed.
  package static func replicas(count: Int, seed: UInt64) -> [ReplicaID] {
    var random = SplitMix64(seed: seed ^ 0x5245_504C_4943_4153)
    return (0..<count).map { _ in ReplicaID.random(using: &random) }
  }

  /// Plays one event.
  package func run(_ step: HistoryStep) async throws {
    switch step {
    case .advance(let milliseconds): clock.advance(by: milliseconds)
    case .write(let replica, let operations):
      let request = WriteRequest(author: "author \(replica)", message: "")
      _ = try await backends[replica].write(request) { writer in
        for operation in operations { try await operation.apply(to: writer) }
      }
    case .merge(let from, let into, let percent):
      try await merge(from: from, into: into, percent: percent)
    }
  }

  /// Plays events, one after another.
  package func run(_ steps: [HistoryStep]) async throws {
    for step in steps { try await run(step) }
  }

  /// Gives all replicas everything.
  package func mergeAll() async throws {
    for _ in 0..<2 {
      for from in backends.indices {
        for into in backends.indices where into != from {
          try await merge(from: from, into: into, percent: 100)
        }
      }
    }
  }

  private func merge(from: Int, into: Int, percent: Int) async throws {
    let missing = try await backends[from].commits(
      beyond: backends[into].frontier(),
      atMost: .max
    )
    // A prefix in order of stamp is closed under "had seen".
    let part = missing.prefix((missing.count * percent + 99) / 100)
    guard !part.isEmpty else { return }
    _ = try await backends[into].append(Array(part))
  }
}

extension Backend {
  /// Gets everything another has that this one lacks.
  @discardableResult
  package func catchUp(with other: any Backend) async throws -> AppendReport {
    try await append(other.commits(beyond: frontier(), atMost: .max))
  }
}
