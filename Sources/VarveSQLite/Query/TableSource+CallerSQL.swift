import VarveCore

extension TableSource {
  /// Returns an expression of the caller. In it, columns have the names of their keys, and the
  /// values in the overflow column too.
  func condition(sql text: String, _ values: [SQLValue]) -> SQLFragment {
    let words = SQLWords(text)
    guard layout.hasIndirectColumn(among: words) else {
      return SQLFragment("(\(text))", values)
    }
    let rows = layout.callerRows(of: "\(sql) AS varve_raw", for: words)
    return SQLFragment(
      "(SELECT (\(text)) FROM (\(rows) WHERE varve_raw.row = \(alias).row) AS \(alias))",
      values
    )
  }
}
