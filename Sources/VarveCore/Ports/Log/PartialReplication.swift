/// Outlines, by which a log receives and sends the present before history (R27).
package protocol PartialReplication: Sendable {
  /// Returns the present as a horizon up to which outlines can be sent; nil if they cannot be.
  func outlineHorizon() async throws -> Horizon?

  /// Returns whether the log can take outlines: it is empty, or already awaits the rest of others.
  func takesOutlines() async throws -> Bool

  /// Records that commits up to a horizon will arrive as outlines, unless that is recorded. Until
  /// all of them are here, reading and writing throw `historyAwaited`.
  func expectOutlines(of horizon: Horizon) async throws

  /// Returns ranges of partially replicated commits whose rest is awaited, starting at a place; at
  /// most the given number.
  func awaited(from place: Int64, atMost count: Int) async throws -> AwaitedCommits
}

/// A log that takes whole commits only.
extension PartialReplication {
  package func outlineHorizon() async throws -> Horizon? { nil }

  package func takesOutlines() async throws -> Bool { false }

  package func expectOutlines(of horizon: Horizon) async throws {
    throw VarveError(.unsupported, "this log takes whole commits only")
  }

  package func awaited(from place: Int64, atMost count: Int) async throws -> AwaitedCommits {
    AwaitedCommits()
  }

  /// Returns the number of partially replicated commits.
  package func partialCount() async throws -> Int {
    try await awaited(from: 0, atMost: .max).ranges.reduce(0) { $0 + $1.count }
  }
}
