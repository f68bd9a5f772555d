/// Chooses the names of tables and columns for types and keys, which may be any text.
package enum PhysicalNames {
  /// The columns of every entity table. A property key with one of these names gets another column
  /// name.
  package static let fixedColumns = ["row", "id", "datestamp", "modified", "ordinal", "more"]

  private static let reserved: Set<String> = Set(fixedColumns + ["rowid", "oid", "_rowid_"])

  /// The maximum number of columns for keys in a table.
  package static let maximumColumnCount = 200

  /// Returns the name for a text: the text itself if it is plain, not reserved and not taken;
  /// otherwise a prefix and a number.
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

  /// Whether a text looks like a generated name, such as `c12`.
  private static func isNumbered(_ text: String, _ prefix: String) -> Bool {
    text.hasPrefix(prefix) && text.dropFirst(prefix.count).allSatisfy(\.isNumber)
      && text.count > prefix.count
  }
}
