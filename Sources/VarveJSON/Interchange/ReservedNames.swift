/// The members of a record that are no properties: `identifier`, `type`, `datestamp`.
///
/// A property of such a name stands under it with a backslash in front, and one that looks so, with
/// another: `\type`, `\\type`.
enum ReservedNames {
  static let all = ["identifier", "type", "datestamp"]

  /// The member a property stands under.
  static func member(for key: String) -> String { isReserved(key) ? "\\" + key : key }

  /// The property that stands under a member.
  static func key(ofMember name: String) -> String {
    name.utf8.first == UInt8(ascii: "\\") && isReserved(name) ? String(name.dropFirst()) : name
  }

  /// Whether a name is reserved but for backslashes in front.
  private static func isReserved(_ name: String) -> Bool {
    let bare = name.utf8.drop { $0 == UInt8(ascii: "\\") }
    return all.contains { $0.utf8.elementsEqual(bare) }
  }
}
