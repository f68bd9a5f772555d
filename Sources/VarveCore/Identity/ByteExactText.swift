/// Text that is compared byte by byte.
///
/// Swift's `String` treats canonically equivalent texts as equal ("é" as one scalar or as two). A
/// store must return exactly what was stored, so names of types and properties are compared by
/// their UTF-8 bytes.
public protocol ByteExactText: Hashable, Comparable, Sendable, CustomStringConvertible,
  ExpressibleByStringLiteral
{
  /// The text, unchanged.
  var text: String { get }
  /// Wraps a text.
  init(_ text: String)
}

extension ByteExactText {
  /// Wraps a literal.
  public init(stringLiteral value: String) { self.init(value) }

  /// The text itself.
  public var description: String { text }

  /// Returns whether the UTF-8 bytes are equal.
  @inlinable
  public static func == (left: Self, right: Self) -> Bool { left.text.isSame(as: right.text) }

  /// Orders by UTF-8 bytes.
  @inlinable
  public static func < (left: Self, right: Self) -> Bool {
    left.text.utf8.precedesFast(right.text.utf8)
  }

  /// Hashes the UTF-8 bytes.
  @inlinable
  public func hash(into hasher: inout Hasher) {
    text.utf8.hashBytes(into: &hasher)
  }
}

/// A text in a set or as a key, where another text counts as equal only if its bytes are equal.
package struct ExactText: ByteExactText {
  package let text: String

  package init(_ text: String) { self.text = text }
}

extension String {
  /// Returns whether both have the same UTF-8 bytes, unlike `==`, which compares by canonical
  /// equivalence.
  @inlinable
  package func isSame(as other: String) -> Bool {
    isIdentical(to: other) || utf8.elementsEqualFast(other.utf8)
  }

  /// Whether both have the same representation, as texts of up to 15 bytes have that are equal, and
  /// copies of one text.
  @inlinable
  package func isIdentical(to other: String) -> Bool {
    typealias Words = (UInt64, UInt64)
    guard MemoryLayout<String>.size == MemoryLayout<Words>.size else { return false }
    return unsafeBitCast(self, to: Words.self) == unsafeBitCast(other, to: Words.self)
  }
}

extension String.UTF8View {
  /// Returns whether both views hold the same bytes.
  @inlinable
  package func elementsEqualFast(_ other: String.UTF8View) -> Bool {
    let same: Bool?? = withContiguousStorageIfAvailable { left in
      other.withContiguousStorageIfAvailable { right in
        UnsafeRawBufferPointer(left).hasSameBytes(as: UnsafeRawBufferPointer(right))
      }
    }
    if case .some(.some(let answer)) = same { return answer }
    return elementsEqual(other)
  }

  /// Returns whether the bytes precede others lexicographically.
  @inlinable
  package func precedesFast(_ other: String.UTF8View) -> Bool {
    let precedes: Bool?? = withContiguousStorageIfAvailable { left in
      other.withContiguousStorageIfAvailable { right in
        UnsafeRawBufferPointer(left).precedes(UnsafeRawBufferPointer(right))
      }
    }
    if case .some(.some(let answer)) = precedes { return answer }
    return lexicographicallyPrecedes(other)
  }

  /// Feeds the bytes to a hasher.
  @inlinable
  package func hashBytes(into hasher: inout Hasher) {
    let done: Void? = withContiguousStorageIfAvailable { bytes in
      hasher.combine(bytes: UnsafeRawBufferPointer(bytes))
    }
    if done == nil {
      Array(self).withUnsafeBytes { hasher.combine(bytes: $0) }
    }
  }
}

extension UnsafeRawBufferPointer {
  /// Returns whether the bytes precede others lexicographically.
  @inlinable
  package func precedes(_ other: UnsafeRawBufferPointer) -> Bool {
    let common = Swift.min(count, other.count)
    var offset = 0
    while offset < common {
      let (mine, others) = (self[offset], other[offset])
      guard mine == others else { return mine < others }
      offset += 1
    }
    return count < other.count
  }

  /// Returns whether both have the same bytes, compared eight at a time.
  @inlinable
  package func hasSameBytes(as other: UnsafeRawBufferPointer) -> Bool {
    guard count == other.count else { return false }
    var offset = 0
    while offset + 8 <= count {
      let (mine, others) = (
        loadUnaligned(fromByteOffset: offset, as: UInt64.self),
        other.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
      )
      guard mine == others else { return false }
      offset += 8
    }
    while offset < count {
      guard self[offset] == other[offset] else { return false }
      offset += 1
    }
    return true
  }
}

/// The type label of an entity, such as `"Country"`. Any text is legal.
public struct EntityType: ByteExactText {
  /// The label, unchanged.
  public let text: String
  /// Wraps a label.
  @inlinable public init(_ text: String) { self.text = text }
}

/// The key of a property, or the name of a relation. Any text is legal.
public struct PropertyKey: ByteExactText {
  /// The key, unchanged.
  public let text: String
  /// Wraps a key.
  @inlinable public init(_ text: String) { self.text = text }
}
