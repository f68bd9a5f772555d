/// The members of a record that are not properties: `identifier`, `type`, `datestamp`.
///
/// A property with one of these names is written with a leading backslash, and a name that already
/// looks escaped gets another: `\type`, `\\type`.
enum ReservedNames {
  static let all = ["identifier", "type", "datestamp"]

  /// Returns the member name of a property.
  static func member(for key: String) -> String { isReserved(key) ? "\\" + key : key }

  /// Returns the property of a member name.
  static func key(ofMember name: String) -> String {
    name.utf8.first == UInt8(ascii: "\\") && isReserved(name) ? String(name.dropFirst()) : name
  }

  /// Returns whether a name is reserved, apart from leading backslashes.
  private static func isReserved(_ name: String) -> Bool {
    let bare = name.utf8.drop { $0 == UInt8(ascii: "\\") }
    return all.contains { $0.utf8.elementsEqual(bare) }
  }
}
