import Synchronization

/// A seeded generator that several parts of a run share.
package final class SharedRandom: Sendable {
  private let random: Mutex<SplitMix64>

  package init(seed: UInt64) { random = Mutex(SplitMix64(seed: seed)) }

  package func next() -> UInt64 { random.withLock { $0.next() } }
}
