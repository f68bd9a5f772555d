/// Names of tables and columns for types and keys, which may be any text.
package enum PhysicalNames {
  /// Columns every table of entities has; keys of these names get another column.
  package static let fixedColumns = ["row", "id", "datestamp", "modified", "ordinal", "more"]

  private static let reserved: Set<String> = Set(fixedColumns + ["rowid", "oid", "_rowid_"])

  /// The most columns a table gets for keys.
  package static let maximumColumnCount = 200

  /// The name for a text: itself where it is plain, not reserved and free, else a prefix and a
  /// number.
  ///
  /// - Parameter taken: the names in use, in lower case.
  package static func choose(
    for text: String,
    prefix: String,
    number: Int64,
    taken: Set<String>
  ) -> String {
    let lowered = text.lowercased()
    if isPlain(text), !reserved.contains(lowered), !taken.contains(lowered),
      !lowered.hasPrefix("sqlite_"), !lowered.hasPrefix("varve_"), !isNumbered(lowered, prefix)
    {
      return text
    }
    return "\(prefix)\(number)"
  }

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

  /// Whether a text looks like a name this function makes up, such as `c12`.
  private static func isNumbered(_ text: String, _ prefix: String) -> Bool {
    text.hasPrefix(prefix) && text.dropFirst(prefix.count).allSatisfy(\.isNumber)
      && text.count > prefix.count
  }
}
