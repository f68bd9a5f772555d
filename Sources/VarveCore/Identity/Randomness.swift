/// The source of fresh ids and salts: the system, or, so that a run can be reproduced exactly, a
/// source of the current task.
package struct Randomness: RandomNumberGenerator {
  /// The source of the current task, if it has one.
  @TaskLocal package static var source: RandomSource?

  package init() {}

  package mutating func next() -> UInt64 {
    if let source = Self.source { return source.next() }
    return SystemRandomness.next()
  }
}

/// A source of random numbers for a task.
///
/// It is a class because Swift 6.3 miscompiles a closure as a task-local value: an optimised
/// program crashes.
package final class RandomSource: Sendable {
  package let next: @Sendable () -> UInt64

  package init(_ next: @escaping @Sendable () -> UInt64) { self.next = next }
}
