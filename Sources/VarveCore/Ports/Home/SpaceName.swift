/// The name of a space: that of its file, without `.varve`.
package struct SpaceName: Hashable, Sendable {
  package let text: String

  package static let maximumByteCount = 100

  /// Creates a name; nil unless the text begins with a letter or a digit, and has only letters,
  /// digits, hyphens, underscores and dots of ASCII, two dots nowhere together.
  package init?(_ text: String) {
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

  /// The name with the case of its letters changed; nil if it has none.
  package var inOtherCase: SpaceName? {
    let upper = text.uppercased()
    return SpaceName(upper == text ? text.lowercased() : upper).flatMap { $0 == self ? nil : $0 }
  }

  /// Throws if another name differs in the case of letters alone. Where file names ignore case, both
  /// would be one file.
  package func requireDifferent(from others: some Sequence<SpaceName>) throws {
    let folded = text.lowercased()
    guard let twin = others.first(where: { $0 != self && $0.text.lowercased() == folded }) else {
      return
    }
    throw VarveError(
      .duplicateIdentifier,
      "there is a space \"\(twin.text)\", whose name differs in case only",
      at: "space \(text)",
      remedy: "Choose another name, or use that space."
    )
  }

  package static func parse(_ text: String) throws -> SpaceName {
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
