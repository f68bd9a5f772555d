/// The key of an encrypted store: a passphrase, or 32 bytes.
///
/// ```swift
/// var configuration = Store.Configuration()
/// configuration.key = try StoreKey(passphrase: "correct horse battery staple")
/// ```
///
/// SQLCipher derives the key of the pages from a passphrase, which takes a tenth of a second or more
/// each time that a store is opened. 32 bytes of a random source are the key itself.
///
/// A key is never printed: its ``description`` says only of which kind it is. Its bytes are
/// overwritten when its last copy is gone. A `String` or an array from which it was made is the
/// program's, and stays in memory as long as the program keeps it, or longer.
public struct StoreKey: Sendable {
  /// How a key is turned into that of the pages.
  package enum Form: Sendable {
    /// By SQLCipher's derivation, with the salt of the file.
    case passphrase
    /// It is the key of the pages.
    case raw
  }

  package let form: Form
  package let secret: Secret

  /// The number of bytes of a raw key.
  public static let byteCount = 32

  /// Makes a key of a passphrase, by its bytes in UTF-8.
  ///
  /// - Throws: ``VarveError`` with code `invalidArgument` if it is empty.
  public init(passphrase: String) throws {
    guard !passphrase.isEmpty else {
      throw VarveError(
        .invalidArgument,
        "the passphrase is empty",
        remedy: "Use a passphrase of several words, or 32 random bytes."
      )
    }
    (form, secret) = (.passphrase, Secret(copying: Array(passphrase.utf8)))
  }

  /// Makes a key of 32 bytes from a random source, such as those of a keychain.
  ///
  /// - Throws: ``VarveError`` with code `invalidArgument` if there are more or fewer.
  public init(bytes: some Collection<UInt8>) throws {
    guard bytes.count == Self.byteCount else {
      throw VarveError(
        .invalidArgument,
        "a raw key has \(Self.byteCount) bytes, and this one \(bytes.count)",
        remedy: "Use 32 random bytes, or a passphrase."
      )
    }
    (form, secret) = (.raw, Secret(copying: bytes))
  }

  /// Makes a key of a text as it is kept in a file or an environment: `x'…'` with 64 hexadecimal
  /// digits is a raw key, as SQLCipher writes it, and every other text a passphrase.
  ///
  /// - Throws: ``VarveError`` with code `invalidArgument` if it is empty.
  public init(text: String) throws {
    if let bytes = Self.rawBytes(text) {
      try self.init(bytes: bytes)
    } else {
      try self.init(passphrase: text)
    }
  }

  /// Returns a new random key of 32 bytes.
  public static func random() -> StoreKey {
    var generator = SystemRandomNumberGenerator()
    return StoreKey(raw: (0..<byteCount).map { _ in UInt8.random(in: 0...255, using: &generator) })
  }

  private init(raw: [UInt8]) { (form, secret) = (.raw, Secret(copying: raw)) }

  private static func rawBytes(_ text: String) -> [UInt8]? {
    guard text.utf8.count == 2 * byteCount + 3, text.hasPrefix("x'"), text.hasSuffix("'") else {
      return nil
    }
    let digits = text.utf8.dropFirst(2).dropLast().compactMap {
      UInt8(String(UnicodeScalar($0)), radix: 16)
    }
    guard digits.count == 2 * byteCount else { return nil }
    return (0..<byteCount).map { digits[2 * $0] << 4 | digits[2 * $0 + 1] }
  }
}

extension StoreKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The kind of the key, and nothing of the key.
  public var description: String {
    switch form {
    case .passphrase: "StoreKey (a passphrase)"
    case .raw: "StoreKey (32 bytes)"
    }
  }

  /// The same as ``description``.
  public var debugDescription: String { description }

  /// A mirror of no children.
  public var customMirror: Mirror { Mirror(self, children: [(label: String?, value: Any)]()) }
}
