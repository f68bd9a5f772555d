/// The expected kind of an object, and its actual kind.
public struct KindMismatch: Hashable, Sendable {
  /// The kind asked for.
  public let expected: EntityType
  /// The kind that is stored.
  public let actual: EntityType
}

extension VarveError {
  /// Returns the error of an object whose kind differs from the requested one; ``mismatch``
  /// contains both.
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
      remedy: "Load it as its own kind, or as a superclass's.",
      violations: [],
      detail: .mismatch(KindMismatch(expected: expected, actual: actual)),
      entity: id
    )
  }

  /// Returns the error of an object for whose kind no class is registered; ``mismatch`` also
  /// contains the kind asked for.
  package static func unregisteredKind(
    of id: EntityID,
    expected: EntityType,
    actual: EntityType
  ) -> VarveError {
    VarveError(
      .unregisteredKind,
      "the object \"\(id)\", asked for as a \"\(expected)\", is a \"\(actual)\", for which no class is "
        + "registered",
      at: "entity \(id)",
      remedy: "Register its class with the context.",
      violations: [],
      detail: .mismatch(KindMismatch(expected: expected, actual: actual)),
      entity: id
    )
  }
}
