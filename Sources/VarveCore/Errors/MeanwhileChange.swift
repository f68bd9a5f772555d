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
    let (now, before) = (text(present), text(expected))
    return VarveError(
      .changedMeanwhile,
      "\"\(key)\" is \(now), not \(before) as expected",
      at: "entity \(id), property \(key)",
      remedy: "Read the entity again, and apply the change to what it is now.",
      violations: [],
      detail: .change(
        MeanwhileChange(id: id, key: key, expected: expected, present: present)
      ),
      entity: id,
      property: key
    )
  }

  private static func text(_ value: Value?) -> String { value?.description.shortened ?? "missing" }
}
