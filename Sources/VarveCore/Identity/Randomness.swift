/// Where fresh ids and salts come from: the system, or for a run that is to be played again exactly,
/// a source of the current task.
package struct Randomness: RandomNumberGenerator {
  /// The source of the current task, if it has one.
  @TaskLocal package static var source: RandomSource?

  package init() {}

  package mutating func next() -> UInt64 {
    if let source = Self.source { return source.next() }
    var system = SystemRandomNumberGenerator()
    return system.next()
  }
}

/// A source of random numbers that a task may have.
///
/// A class, because Swift 6.3 makes a program that crashes where a closure is a task's own value and the
/// optimiser takes the call apart.
package final class RandomSource: Sendable {
  package let next: @Sendable () -> UInt64

  package init(_ next: @escaping @Sendable () -> UInt64) { self.next = next }
}
