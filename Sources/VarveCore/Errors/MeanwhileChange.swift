/// A property whose value differs from the one that a writer expected.
public struct MeanwhileChange: Hashable, Sendable {
  /// The entity.
  public let id: EntityID
  /// The property.
  public let key: PropertyKey
  /// The value that the writer expected; nil if it expected none.
  public let expected: Value?
  /// The present value; nil if there is none.
  public let present: Value?
}

extension VarveError {
  /// Returns the error of a write that expected another present value; ``change`` contains both.
  ///
  /// ```swift
  /// let error = VarveError.changedMeanwhile("hat-1", "price", expected: 39, present: 41)
  /// print(error.change?.key ?? "")  // price
  /// ```
  public static func changedMeanwhile(
    _ id: EntityID,
    _ key: PropertyKey,
    expected: Value?,
    present: Value?
  ) -> VarveError {
    let isOther = present.flatMap { now in expected.map { now.sortRank != $0.sortRank } } ?? false
    return changedMeanwhile(
      MeanwhileChange(id: id, key: key, expected: expected, present: present),
      "is \(text(present, named: isOther)), not \(text(expected, named: isOther)) as expected",
      remedy: isOther
        ? "Expect a value of the kind that the property has, or read the entity again."
        : "Read the entity again, and apply the change to what it is now."
    )
  }

  /// Returns the error of a write that expected another semantic type of the same value.
  package static func changedMeanwhile(
    _ id: EntityID,
    _ key: PropertyKey,
    _ present: StoredEntity.Property,
    expected: Value,
    _ semanticType: String
  ) -> VarveError {
    changedMeanwhile(
      MeanwhileChange(id: id, key: key, expected: expected, present: present.value),
      "has the semantic type \"\(present.semanticType.shortened)\", not"
        + " \"\(semanticType.shortened)\" as expected",
      remedy: "Read the entity again, and apply the change to what it is now."
    )
  }

  private static func changedMeanwhile(
    _ change: MeanwhileChange,
    _ text: String,
    remedy: String
  ) -> VarveError {
    VarveError(
      .changedMeanwhile,
      "\"\(change.key)\" \(text)",
      at: "entity \(change.id), property \(change.key)",
      remedy: remedy,
      violations: [],
      detail: .change(change),
      entity: change.id,
      property: change.key
    )
  }

  private static func text(_ value: Value?, named hasKind: Bool) -> String {
    guard let value else { return "missing" }
    return (hasKind ? "the \(value.kind.name) " : "") + value.description.shortened
  }
}
