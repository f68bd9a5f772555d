import VarveCore

/// A column that holds every value of a field.
struct PlainColumn {
  let kind: Value.Kind
  let sql: String

  /// Returns an expression for the column's values of one kind, limited to a range if they are
  /// integers.
  ///
  /// Integers and doubles share columns; values of other kinds do not.
  func sql(of wanted: Value.Kind?, integers: ClosedRange<Int64>?) -> String {
    switch (wanted, kind) {
    case (nil, _), (.double, .int), (.double, .double): sql
    case (.int, .int), (.int, .double):
      if let integers {
        """
        CASE WHEN typeof(\(sql)) = 'integer' AND \(sql) >= \(integers.lowerBound) \
        AND \(sql) <= \(integers.upperBound) THEN \(sql) END
        """
      } else {
        "CASE typeof(\(sql)) WHEN 'integer' THEN \(sql) END"
      }
    case (let wanted?, let kind): wanted == kind ? sql : "NULL"
    }
  }

  /// Returns whether the SQL function, applied to the column, computes the aggregation.
  func allows(_ function: Aggregation.Function) -> Bool {
    switch (function, kind) {
    case (.count, _), (.countDistinct, _): true
    case (_, .int), (_, .double): true
    case (.minimum, .string), (.minimum, .date), (.minimum, .data), (.minimum, .bool): true
    case (.maximum, .string), (.maximum, .date), (.maximum, .data), (.maximum, .bool): true
    default: false
    }
  }
}
