import VarveCore

/// How names and values of a store are written in PostgreSQL.
enum Projected {
  /// The most bytes of a name in PostgreSQL.
  private static let nameByteCount = 63

  /// Returns the name of a table or column. A name that PostgreSQL cannot have, or that is used for
  /// something else, is cut and continued by a hash of the whole.
  static func name(_ text: String) -> String {
    let plain = Self.text(text)
    let isUsable =
      plain == text && !text.isEmpty && !text.hasPrefix("_") && text.utf8.count <= nameByteCount
    guard !isUsable else { return text }
    var start = plain.drop { $0 == "_" }
    while start.utf8.count > nameByteCount - 9 { start.removeLast() }
    return start + "~" + ContentDigest.sha256(Array(text.utf8)).hexadecimal.prefix(8)
  }

  /// Returns a name as it stands in a statement.
  static func quoted(_ name: String) -> String {
    "\"\(name.replacing("\"", with: "\"\""))\""
  }

  /// Returns a text, which cannot have NUL in PostgreSQL: the symbol for it stands in its place.
  static func text(_ text: String) -> String { text.replacing("\u{0}", with: "\u{2400}") }
}

/// The type of a column.
enum ProjectedKind: String {
  case boolean
  case bigint
  case double = "double precision"
  case text
  case timestamp = "timestamp with time zone"
  case bytes = "bytea"
  case reference
  case json = "jsonb"

  init(_ value: Value) {
    self =
      switch value {
      case .bool: .boolean
      case .int: .bigint
      case .double: .double
      case .string: .text
      case .date: .timestamp
      case .data: .bytes
      case .reference: .reference
      case .array, .dictionary: .json
      }
  }

  /// The type of PostgreSQL.
  var type: String { self == .reference ? "text" : rawValue }

  /// Returns an expression for a parameter that is a text.
  func expression(_ parameter: String) -> String {
    switch self {
    case .text, .reference: parameter
    case .timestamp: "to_timestamp(\(parameter)::double precision)"
    default: "\(parameter)::\(type)"
    }
  }

  /// Returns an expression for the JSON of a column's values.
  func jsonExpression(_ column: String) -> String {
    switch self {
    case .reference: "jsonb_build_object('entity', \(column))"
    case .timestamp: "jsonb_build_object('date', \(column))"
    case .bytes: "jsonb_build_object('data', encode(\(column), 'base64'))"
    default: "to_jsonb(\(column))"
    }
  }
}
