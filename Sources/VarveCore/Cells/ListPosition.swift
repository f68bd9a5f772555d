/// A position in the order of a relation: bytes, compared lexicographically.
///
/// An add without a position is ordered by its commit's stamp and its ordinal, so elements declared
/// later come later, on every replica.
public struct ListPosition: Hashable, Comparable, Sendable {
  /// The bytes; never empty.
  public let bytes: [UInt8]

  /// Wraps bytes; there must be at least one.
  public init(bytes: [UInt8]) {
    precondition(!bytes.isEmpty, "a position has at least one byte")
    self.bytes = bytes
  }

  /// Creates the position of an add that specifies none.
  package init(stamp: HybridTime, ordinal: Int) {
    var writer = ByteWriter(capacity: 13)
    writer.fixed(UInt64(bitPattern: stamp.rawValue) ^ 1 << 63)
    writer.raw(withUnsafeBytes(of: UInt32(clamping: ordinal).bigEndian) { Array($0) })
    bytes = writer.bytes
  }

  /// Returns a position between two others; nil is either end.
  ///
  /// If no position is below the upper bound (all its bytes are zero), returns the bound itself:
  /// elements of equal position are ordered by their adds.
  ///
  /// - Complexity: O(length of the bounds).
  public static func between(_ lower: ListPosition?, _ upper: ListPosition?) -> ListPosition {
    if let lower, let upper { precondition(lower < upper, "the bounds are in order") }
    var bytes: [UInt8] = []
    var index = 0
    var limit = upper?.bytes
    while true {
      let low = lower.map { index < $0.bytes.count ? Int($0.bytes[index]) : 0 } ?? 0
      let high = limit.map { index < $0.count ? Int($0[index]) : 0 } ?? 256
      if high - low > 1 {
        bytes.append(UInt8(low + (high - low) / 2))
        return ListPosition(bytes: bytes)
      }
      if let limit, index >= limit.count, low == 0 { return ListPosition(bytes: limit) }
      bytes.append(UInt8(low))
      if high > low { limit = nil }
      index += 1
    }
  }

  /// Orders bytes lexicographically; a prefix precedes longer positions.
  public static func < (left: ListPosition, right: ListPosition) -> Bool {
    left.bytes.lexicographicallyPrecedes(right.bytes)
  }
}
