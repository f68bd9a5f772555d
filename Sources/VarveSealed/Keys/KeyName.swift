import VarveCore

/// The name of a secret: 1 to 100 lower-case letters, digits and hyphens, so that it can be the name of
/// a file.
package struct KeyName: Hashable, Sendable, CustomStringConvertible {
  package let text: String

  /// - Throws: `VarveError` with code `invalidArgument`.
  package init(_ text: String) throws {
    let isName = text.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
        UInt8(ascii: "-"):
        true
      default: false
      }
    }
    guard isName, (1...100).contains(text.utf8.count) else {
      throw VarveError(
        .invalidArgument,
        "\(text.logged) is no name of a secret",
        at: "key store",
        remedy: "Use 1 to 100 lower-case letters, digits and hyphens."
      )
    }
    self.text = text
  }

  /// The name.
  package var description: String { text }
}
