/// The identifier of an entity: 1 to 1,024 bytes of text, unique across all types of a store.
///
/// A new identifier is a UUID of version 7 (RFC 9562), so identifiers sort in the order in which
/// they were made. Any other text works as well.
///
/// ```swift
/// let fresh = EntityID.new()
/// let chosen: EntityID = "country/SZ"
/// let read = try EntityID(row.code)  // throws where the length is not legal
/// ```
public struct EntityID: Hashable, Sendable {
  /// The stored form of the text: 16 bytes for a canonical lower-case UUID, text for anything else.
  package enum Storage: Sendable {
    case uuid(high: UInt64, low: UInt64)
    case text(String)
  }

  package let storage: Storage

  package init(storage: Storage) { self.storage = storage }

  /// The maximum length of an identifier, in UTF-8 bytes.
  public static let maximumByteCount = 1_024

  /// Wraps a text.
  ///
  /// - Throws: ``VarveError`` with code `invalidIdentifier` if the text is empty or longer than
  ///   ``maximumByteCount`` bytes.
  public init(_ text: String) throws {
    let count = text.utf8.count
    guard count > 0, count <= Self.maximumByteCount else {
      throw VarveError(
        .invalidIdentifier,
        count == 0 ? "an identifier is empty" : "an identifier has \(count) bytes",
        at: "identifier \"\(text.prefix(40))\(text.count > 40 ? "…" : "")\"",
        remedy: "Use 1 to \(Self.maximumByteCount) bytes of UTF-8 text."
      )
    }
    self.init(unchecked: text)
  }

  /// Wraps a text known to have a legal length.
  package init(unchecked text: String) {
    if let (high, low) = UUIDText.parse(text) {
      storage = .uuid(high: high, low: low)
    } else {
      storage = .text(text)
    }
  }

  /// Creates an identifier from the sixteen bytes of a UUID.
  package init(uuid bytes: UnsafeRawBufferPointer) {
    let high = UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self))
    let low = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
    storage = .uuid(high: high, low: low)
  }

  /// The identifier as text, exactly as it was given.
  public var text: String {
    switch storage {
    case .uuid(let high, let low): UUIDText.format(high: high, low: low)
    case .text(let text): text
    }
  }

  /// Returns whether the bytes are equal.
  public static func == (left: EntityID, right: EntityID) -> Bool {
    switch (left.storage, right.storage) {
    case (.uuid(let a, let b), .uuid(let c, let d)): a == c && b == d
    case (.text(let a), .text(let b)): a.utf8.elementsEqualFast(b.utf8)
    default: false
    }
  }

  /// Hashes the bytes.
  public func hash(into hasher: inout Hasher) {
    switch storage {
    case .uuid(let high, let low):
      hasher.combine(high)
      hasher.combine(low)
    case .text(let text):
      text.utf8.hashBytes(into: &hasher)
    }
  }
}

extension EntityID: Comparable {
  /// Orders by the texts' UTF-8 bytes.
  public static func < (left: EntityID, right: EntityID) -> Bool {
    if case .uuid(let a, let b) = left.storage, case .uuid(let c, let d) = right.storage {
      return (a, b) < (c, d)
    }
    return left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
  }
}

extension EntityID: CustomStringConvertible {
  /// The identifier as text.
  public var description: String { text }
}

extension EntityID: ExpressibleByStringLiteral {
  /// Wraps a literal; an illegal length is a programmer error and traps.
  public init(stringLiteral value: String) {
    precondition(
      (1...Self.maximumByteCount).contains(value.utf8.count),
      "an EntityID literal has 1 to \(Self.maximumByteCount) bytes"
    )
    self.init(unchecked: value)
  }
}

extension EntityID {
  /// Returns a fresh identifier: a UUID of version 7 with the current time. The identifiers of one
  /// process rise.
  ///
  /// - Complexity: O(1), some tens of nanoseconds; calls are serialised.
  public static func new() -> EntityID { FreshIdentifiers.shared.next() }

  /// Returns a fresh identifier from a given time and source of randomness.
  public static func new(
    millisecondsSince1970: Int64,
    using random: inout some RandomNumberGenerator
  ) -> EntityID {
    let time = UInt64(bitPattern: max(0, millisecondsSince1970)) & 0xFFFF_FFFF_FFFF
    let high = time << 16 | 0x7000 | random.next() & 0x0FFF
    let low = random.next() & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
    return EntityID(storage: .uuid(high: high, low: low))
  }
}
