/// The affinity of a column: how SQLite converts a value that it stores there.
///
/// Source: *Datatypes In SQLite*, section 3.
enum ColumnAffinity: Hashable, Sendable {
  case text, integer, real, numeric, blob

  /// Returns the affinity of a declared type, which may be empty.
  init(declaredType: String, isStrict: Bool) {
    let type = declaredType.uppercased()
    func hasAny(_ parts: String...) -> Bool { parts.contains { type.contains($0) } }
    if hasAny("INT") {
      self = .integer
    } else if hasAny("CHAR", "CLOB", "TEXT") {
      self = .text
    } else if type.isEmpty || hasAny("BLOB") || isStrict && type == "ANY" {
      self = .blob
    } else if hasAny("REAL", "FLOA", "DOUB") {
      self = .real
    } else {
      self = .numeric
    }
  }

  /// Returns the SQL of a value as the column would store it, if it keeps the value.
  func applied(to value: String) -> String {
    switch self {
    case .blob: "+\(value)"
    case .text:
      "CASE WHEN typeof(\(value)) IN ('integer', 'real') THEN CAST(\(value) AS TEXT) "
        + "ELSE \(value) END"
    case .real: Self.number(value, as: "REAL")
    case .integer, .numeric: Self.number(value, as: "INTEGER")
    }
  }

  /// Returns the SQL of a value that becomes a number only if all of it is one, and of the wanted type
  /// only if that holds it. `CAST` alone would also read the beginning of a text.
  private static func number(_ value: String, as type: String) -> String {
    let number = "CAST(\(value) AS NUMERIC)"
    let cast = "CAST(\(number) AS \(type))"
    return "CASE WHEN \(number) = +\(value) THEN CASE WHEN \(cast) = \(number) THEN \(cast) "
      + "ELSE \(number) END ELSE \(value) END"
  }
}
