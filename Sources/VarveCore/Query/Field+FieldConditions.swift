/// Comparisons between two fields of one row.
///
/// ```swift
/// let profitable = Query("hats").where(Field("price") > Field("cost"))
/// ```
///
/// They hold if both fields have values that compare. A missing value, a NaN and values of
/// different kinds satisfy no comparison.
extension Field {
  /// The fields have equal values.
  public static func == (field: Field, other: Field) -> Condition {
    .compareFields(field, .equal, other)
  }
  /// The fields have comparable values that differ.
  public static func != (field: Field, other: Field) -> Condition {
    .compareFields(field, .notEqual, other)
  }
  /// The field is less than the other.
  public static func < (field: Field, other: Field) -> Condition {
    .compareFields(field, .less, other)
  }
  /// The field is at most the other.
  public static func <= (field: Field, other: Field) -> Condition {
    .compareFields(field, .lessOrEqual, other)
  }
  /// The field is greater than the other.
  public static func > (field: Field, other: Field) -> Condition {
    .compareFields(field, .greater, other)
  }
  /// The field is at least the other.
  public static func >= (field: Field, other: Field) -> Condition {
    .compareFields(field, .greaterOrEqual, other)
  }
}

/// Two fields that are compared with each other.
package struct FieldPair {
  package let left: Field
  package let right: Field

  /// Creates a pair. If one of the fields is interpreted, so is the other.
  package init(_ left: Field, _ right: Field) {
    if left.isDecimal || right.isDecimal {
      (self.left, self.right) = (.decimal(left.stored), .decimal(right.stored))
    } else if left.isFolded || right.isFolded {
      (self.left, self.right) = (.folded(left.stored), .folded(right.stored))
    } else {
      (self.left, self.right) = (left, right)
    }
  }

  /// Whether one is an identifier, so that references compare by their texts.
  package var hasIdentifier: Bool { left.isIdentifier || right.isIdentifier }

  /// Returns whether two values of the fields satisfy a comparison, or nil if they do not compare.
  package func holds(_ comparison: Comparison, _ one: Value, _ other: Value) -> Bool? {
    guard let one = left.comparand(of: one), let other = right.comparand(of: other) else {
      return nil
    }
    guard hasIdentifier else { return comparison.holds(one, other) }
    return comparison.holds(
      left.comparand(of: one.withoutReference) ?? one,
      right.comparand(of: other.withoutReference) ?? other
    )
  }
}

extension Field {
  /// Whether the field is the identifier, of the query's own type or a joined one.
  package var isIdentifier: Bool {
    if case .identifier = stored.unqualified { true } else { false }
  }

  /// The field without the joined type it belongs to.
  private var unqualified: Field {
    if case .joined(_, let inner) = self { inner.unqualified } else { self }
  }
}
