import VarveCore

/// Derives the identifiers of a table's rows from its name and their keys.
///
/// A key of one column gives the identifier that an import derives from the same type and value
/// (R20): `Artist#12`, `Artist/AC`. A key of several columns appends each part in that form, with
/// `%`, `/`, `#`, `!` and `~` escaped. A row with a null in its key is identified by its number, which
/// follows `~#`.
struct RowIdentity {
  private let prefix: String

  init(_ name: String) { prefix = Self.escaped(name) }

  /// Returns the identifier of a key, or nil if a part of it is null.
  func id(_ key: some Collection<Value?>) -> EntityID? {
    var text = prefix
    for part in key {
      switch part {
      case nil: return nil
      case .int(let number): text += "#\(number)"
      case .string(let value): text += "/" + (key.count == 1 ? value : Self.escaped(value))
      case let value?: text += "!" + String(hexadecimal: value.encoded)
      }
    }
    return made(text)
  }

  /// Returns the identifier of a row with a null in its key.
  func id(rowNumber: Int64) -> EntityID { made(prefix + "~#\(rowNumber)") }

  private func made(_ text: String) -> EntityID {
    if let id = try? EntityID(text) { return id }
    let digest = ContentDigest.sha256(Array(text.utf8)).hexadecimal
    return EntityID(unchecked: (prefix.utf8.count <= 512 ? prefix : "") + "~" + digest)
  }

  /// Returns whether an identifier derives from a key of this table.
  func derived(_ id: EntityID) -> Bool {
    let text = id.text.utf8
    guard text.starts(with: prefix.utf8) else { return false }
    return text.dropFirst(prefix.utf8.count).first.map(Self.marks.contains) ?? false
  }

  private static let marks: Set<UInt8> = Set("/#!~".utf8)
  private static let special: Set<UInt8> = Set("%/#!~".utf8)

  private static func escaped(_ text: String) -> String {
    guard text.utf8.contains(where: special.contains) else { return text }
    return text.unicodeScalars.map { scalar in
      guard scalar.isASCII, special.contains(UInt8(scalar.value)) else { return String(scalar) }
      return "%" + String(scalar.value, radix: 16, uppercase: true)
    }.joined()
  }
}
