extension TableSource {
  /// Returns an expression of the caller. In it, columns have the values in the overflow column
  /// too.
  func condition(sql text: String, _ values: [SQLValue]) -> SQLFragment {
    guard layout.hasSpilledColumn else { return SQLFragment("(\(text))", values) }
    let rows = layout.wholeRows(of: "\(sql) AS varve_raw")
    return SQLFragment(
      "(SELECT (\(text)) FROM (\(rows) WHERE varve_raw.row = \(alias).row) AS \(alias))",
      values
    )
  }
}
