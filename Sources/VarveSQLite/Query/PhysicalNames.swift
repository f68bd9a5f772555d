/// Chooses the names of tables and columns for types and keys, which may be any text.
enum PhysicalNames {
  /// The columns of every entity table. A property key with one of these names gets another column
  /// name.
  static let fixedColumns = ["row", "id", "datestamp", "modified", "ordinal", "more"]

  private static let reserved: Set<String> = Set(fixedColumns + ["rowid", "oid", "_rowid_"])

  /// The names that SQLite does not find in a subquery, even quoted: it gives such columns of a
  /// subquery other names (`sqlite3ColumnsFromExprList`), because they may be truth values.
  private static let truthValues: Set<String> = ["true", "false"]

  /// The beginning of generated names of columns.
  static let columnPrefix = "c"

  /// The maximum number of columns for keys in a table.
  static let maximumColumnCount = 200

  /// Returns the name for a text: the text itself if it is plain, not reserved and not taken;
  /// otherwise a prefix and a number.
  ///
  /// - Parameter taken: the names in use, in lower case.
  static func choose(
    for text: String,
    prefix: String,
    number: Int64,
    taken: Set<String>
  ) -> String {
    let lowered = text.lowercased()
    if isPlain(text), !reserved.contains(lowered), !taken.contains(lowered), !isTruthValue(lowered),
      !lowered.hasPrefix("sqlite_"), !lowered.hasPrefix("varve_"), !isNumbered(lowered, prefix)
    {
      return text
    }
    return "\(prefix)\(number)"
  }

  /// Returns whether SQLite does not find a column of this name in a subquery.
  static func isTruthValue(_ name: String) -> Bool { truthValues.contains(name.lowercased()) }

  /// `[A-Za-z_][A-Za-z0-9_]{0,47}`
  private static func isPlain(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    guard (1...48).contains(bytes.count) else { return false }
    return bytes.enumerated().allSatisfy { index, byte in
      switch byte {
      case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
        UInt8(ascii: "_"):
        true
      case UInt8(ascii: "0")...UInt8(ascii: "9"): index > 0
      default: false
      }
    }
  }

  /// Returns whether a text looks like a generated name, such as `c12`.
  private static func isNumbered(_ text: String, _ prefix: String) -> Bool {
    text.hasPrefix(prefix) && text.dropFirst(prefix.count).allSatisfy(\.isNumber)
      && text.count > prefix.count
  }
}
