/// Where fresh ids and salts come from: the system, or for a run that is to be played again exactly,
/// a source of the current task.
package struct Randomness: RandomNumberGenerator {
  /// The source of the current task, if it has one.
  @TaskLocal package static var source: (@Sendable () -> UInt64)?

  package init() {}

  package mutating func next() -> UInt64 {
    if let source = Self.source { return source() }
    var system = SystemRandomNumberGenerator()
    return system.next()
  }
}
