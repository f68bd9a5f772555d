import VarveCore

/// A past state of a store, which is read like the present one.
///
/// ```swift
/// let monday = try store.asOf(lastMonday)
/// let hats = try await monday.fetch(Query("Hat"))
/// ```
///
/// Inside a write of the store, and therefore in a hook, reading a past state throws
/// `nestedTransaction`; read it before the write.
public struct PastState: Reading {
  let store: Store
  let moment: Moment

  /// Reads the state.
  public func reading<Result>(
    _ body: (StateReader) async throws -> Result
  ) async throws -> Result {
    try store.refuseInsideOwnWrite("asOf")
    return try await store.backend.read(at: moment) {
      try await body(StateReader(reader: $0, rules: store.rules))
    }
  }

  /// Performs several reads of the state, which is computed once.
  ///
  /// - Parameter body: the reads. The snapshot is valid until it returns.
  /// - Throws: the errors of the body, or ``VarveError``.
  public func read<Result>(
    _ body: (Snapshot) async throws -> Result
  ) async throws -> Result {
    try store.refuseInsideOwnWrite("asOf")
    return try await store.backend.read(at: moment) {
      try await Snapshot.with($0, store.rules, body)
    }
  }
}
