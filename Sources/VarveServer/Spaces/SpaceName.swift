import VarveCore

/// The name of a space: that of its file, without `.varve`.
struct SpaceName: Hashable, Sendable {
  let text: String

  static let maximumByteCount = 100

  /// Creates a name; nil unless the text begins with a letter or a digit, and has only letters,
  /// digits, hyphens, underscores and dots of ASCII, two dots nowhere together.
  init?(_ text: String) {
    guard let first = text.utf8.first, Self.isWord(first),
      text.utf8.count <= Self.maximumByteCount,
      text.utf8.allSatisfy({ Self.isWord($0) || "-_.".utf8.contains($0) }),
      !text.contains(".."), text.utf8.last != UInt8(ascii: ".")
    else { return nil }
    self.text = text
  }

  private static func isWord(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "a")...UInt8(ascii: "z"):
      true
    default: false
    }
  }

  static func parse(_ text: String) throws -> SpaceName {
    if let name = SpaceName(text) { return name }
    throw VarveError(
      .invalidArgument,
      "a space cannot have the name \"\(text.prefix(maximumByteCount))\"",
      at: "space \(text.prefix(maximumByteCount))",
      remedy: "Use up to \(maximumByteCount) letters, digits, hyphens, underscores and single "
        + "dots, the first a letter or a digit."
    )
  }
}
