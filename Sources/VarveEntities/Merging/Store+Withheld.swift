import VarveCore

extension Store {
  /// Returns whether a withheld commit has fallen due (R11), which a store that is open for writing
  /// applies by itself. One that is read-only shows the state without it.
  ///
  /// - Complexity: O(bytes of the withheld commits).
  package func hasDueCommits() async throws -> Bool {
    guard let next = try await commitsWithheldByTime().first else { return false }
    let due = next.header.time.millisecondsSince1970 - configuration.toleranceMilliseconds
    return due <= configuration.wallMilliseconds()
  }

  /// Returns the commits that are withheld because of their stamps; others of a sealed space wait for
  /// something else (R29).
  func commitsWithheldByTime() async throws -> [Commit] {
    let waiting = try await backend.standings()
    return try await backend.withheldCommits().filter { waiting[$0.id] == nil }
  }
}
