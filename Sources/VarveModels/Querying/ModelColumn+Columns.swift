public import VarveCore

/// Comparisons between two properties of one row: `$0.price > $0.cost`.
///
/// They hold if both properties have values that compare. A missing value and a NaN satisfy no
/// comparison, not even `!=`.
extension ModelColumn {
  /// The properties have equal values.
  public static func == <Other>(column: ModelColumn, other: ModelColumn<Other, V>) -> Condition {
    column.field == other.field
  }
  /// The properties have equal values.
  public static func == <Other>(column: ModelColumn, other: ModelColumn<Other, V?>) -> Condition {
    column.field == other.field
  }
  /// The properties have equal values.
  public static func == <Other, W>(
    column: ModelColumn,
    other: ModelColumn<Other, W>
  ) -> Condition where V == W? {
    column.field == other.field
  }
  /// The properties have values that differ.
  public static func != <Other>(column: ModelColumn, other: ModelColumn<Other, V>) -> Condition {
    column.field != other.field
  }
  /// The properties have values that differ.
  public static func != <Other>(column: ModelColumn, other: ModelColumn<Other, V?>) -> Condition {
    column.field != other.field
  }
  /// The properties have values that differ.
  public static func != <Other, W>(
    column: ModelColumn,
    other: ModelColumn<Other, W>
  ) -> Condition where V == W? {
    column.field != other.field
  }

  /// The reference has the identifier of a row.
  public static func == <Other, Target>(
    column: ModelColumn,
    other: ModelColumn<Other, Identifier<Target>>
  ) -> Condition where V == Ref<Target>? {
    column.field == other.field
  }
  /// The reference has the identifier of a row.
  public static func == <Other, Target>(
    column: ModelColumn,
    other: ModelColumn<Other, Identifier<Target>>
  ) -> Condition where V == Ref<Target> {
    column.field == other.field
  }
}

extension ModelColumn where V: ComparedValue {
  /// The property is less than another.
  public static func < <Other, W: ComparedValue>(
    column: ModelColumn,
    other: ModelColumn<Other, W>
  ) -> Condition where W.Compared == V.Compared {
    column.field < other.field
  }
  /// The property is at most another.
  public static func <= <Other, W: ComparedValue>(
    column: ModelColumn,
    other: ModelColumn<Other, W>
  ) -> Condition where W.Compared == V.Compared {
    column.field <= other.field
  }
  /// The property is greater than another.
  public static func > <Other, W: ComparedValue>(
    column: ModelColumn,
    other: ModelColumn<Other, W>
  ) -> Condition where W.Compared == V.Compared {
    column.field > other.field
  }
  /// The property is at least another.
  public static func >= <Other, W: ComparedValue>(
    column: ModelColumn,
    other: ModelColumn<Other, W>
  ) -> Condition where W.Compared == V.Compared {
    column.field >= other.field
  }
}
