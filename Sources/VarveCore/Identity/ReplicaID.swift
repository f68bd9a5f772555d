/// The identity of one copy of a store: 16 bytes, a UUID.
///
/// One installation writes under one replica id. A copy continues under a fresh id if it finds that
/// another copy (a copied file, a restored backup) has written under the same one.
public struct ReplicaID: Hashable, Sendable {
  package let high: UInt64
  package let low: UInt64

  package init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// Returns a fresh id: a UUID of version 4.
  public static func random() -> ReplicaID {
    var random = Randomness()
    return .random(using: &random)
  }

  /// Returns a fresh id from a given source of randomness.
  public static func random(using random: inout some RandomNumberGenerator) -> ReplicaID {
    ReplicaID(
      high: random.next() & 0xFFFF_FFFF_FFFF_0FFF | 0x4000,
      low: random.next() & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
    )
  }

  /// Creates an id from its canonical UUID text; nil if the text is anything else.
  public init?(_ text: String) {
    guard let (high, low) = UUIDText.parse(text) else { return nil }
    self.init(high: high, low: low)
  }

  /// The id as canonical UUID text.
  public var text: String { UUIDText.format(high: high, low: low) }
}

extension ReplicaID: Comparable {
  /// Orders by the 16 bytes.
  public static func < (left: ReplicaID, right: ReplicaID) -> Bool {
    (left.high, left.low) < (right.high, right.low)
  }
}

extension ReplicaID: CustomStringConvertible {
  /// The id as canonical UUID text.
  public var description: String { text }
}
