/// The identity of a space: 16 random bytes, a UUID.
///
/// A space is one log that several stores synchronise with. Its id is chosen at its creation, and
/// stays when its file is moved or restored. A name may come to mean another space; an id does not.
public struct SpaceID: Hashable, Sendable {
  package let high: UInt64
  package let low: UInt64

  package init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// Returns a fresh id: a UUID of version 4.
  package static func random() -> SpaceID {
    var random = Randomness()
    let id = ReplicaID.random(using: &random)
    return SpaceID(high: id.high, low: id.low)
  }

  /// Creates an id from its canonical UUID text; nil if the text is anything else.
  public init?(_ text: String) {
    guard let (high, low) = UUIDText.parse(text) else { return nil }
    self.init(high: high, low: low)
  }

  /// The id as canonical UUID text.
  public var text: String { UUIDText.format(high: high, low: low) }
}

extension SpaceID: CustomStringConvertible {
  /// The id as canonical UUID text.
  public var description: String { text }
}
