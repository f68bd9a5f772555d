import VarveCore

/// A column that alone says what a field is.
struct PlainColumn {
  let kind: Value.Kind
  let sql: String

  /// The values of one kind: integers and doubles share columns, others do not. Of integers, those in
  /// a range.
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

  /// Whether SQL's function over the column is the aggregation.
  func allows(_ function: Aggregation.Function) -> Bool {
    switch (function, kind) {
    case (.count, _): true
    case (_, .int), (_, .double): true
    case (.minimum, .string), (.minimum, .date), (.minimum, .data), (.minimum, .bool): true
    case (.maximum, .string), (.maximum, .date), (.maximum, .data), (.maximum, .bool): true
    default: false
    }
  }
}
