import VarveCore

/// The path from an object to a value in it: names, separated by dots, or a JSON pointer
/// (RFC 6901).
///
/// `address.street` and `/address/street` are the same path. A pointer can name members that have
/// dots in their names: `/@odata.etag`. A number also leads to an element of an array:
/// `coordinates.0`.
public struct KeyPathInJSON: Hashable, Sendable, ExpressibleByStringLiteral {
  /// The names of members, and the indices of elements.
  public let names: [String]
  /// The path as it was written.
  public let text: String

  /// Reads a text: a JSON pointer if it begins with a slash, otherwise names between dots.
  public init(_ text: String) {
    self.text = text
    names =
      text.hasPrefix("/")
      ? JSONPointer.names(text)
      : text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
  }

  init(names: [String]) {
    self.names = names
    let isPlain = names.allSatisfy { !$0.contains(".") } && names.first?.hasPrefix("/") == false
    text = isPlain ? names.joined(separator: ".") : names.map { JSONPointer.text($0) }.joined()
  }

  /// Reads a literal, as ``init(_:)``.
  public init(stringLiteral value: String) { self.init(value) }

  /// The property to which the path leads if a mapping names none: the names between dots.
  var property: PropertyKey { PropertyKey(names.joined(separator: ".")) }

  /// Returns whether two paths have the same names, byte by byte.
  public static func == (left: KeyPathInJSON, right: KeyPathInJSON) -> Bool {
    left.names.elementsEqual(right.names) { $0.isSame(as: $1) }
  }

  /// Hashes the names.
  public func hash(into hasher: inout Hasher) { hasher.combine(names) }
}
