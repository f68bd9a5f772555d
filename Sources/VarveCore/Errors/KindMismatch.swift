/// The kind of object that was asked for, and the kind there is.
public struct KindMismatch: Hashable, Sendable {
  /// The kind asked for.
  public let expected: EntityType
  /// The kind that is stored.
  public let actual: EntityType
}

extension VarveError {
  /// The error of an object that is of another kind than the one asked for, with both in
  /// ``mismatch``.
  ///
  /// ```swift
  /// let error = VarveError.kindMismatch(of: "shape-1", expected: "Circle", actual: "Square")
  /// print(error.mismatch?.actual ?? "")  // Square
  /// ```
  public static func kindMismatch(
    of id: EntityID,
    expected: EntityType,
    actual: EntityType
  ) -> VarveError {
    VarveError(
      .kindMismatch,
      "the object \"\(id)\" is a \"\(actual)\", not a \"\(expected)\"",
      at: "entity \(id)",
      remedy: "Load it as what it is, or as a kind above.",
      violations: [],
      mismatch: KindMismatch(expected: expected, actual: actual)
    )
  }
}
