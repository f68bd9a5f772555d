/// The identity of a space: of one log, wherever it is kept.
///
/// It is random and made when the space is created. A space that is restored or moved keeps it, so a
/// program that knows the id never takes one space for another of the same name.
package struct SpaceID: Hashable, Sendable {
  package let high: UInt64
  package let low: UInt64

  package init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// Creates an id from its canonical UUID text; nil if the text is anything else.
  package init?(_ text: String) {
    guard let (high, low) = UUIDText.parse(text) else { return nil }
    self.init(high: high, low: low)
  }

  /// Returns a fresh id.
  package static func random() -> SpaceID {
    let id = ReplicaID.random()
    return SpaceID(high: id.high, low: id.low)
  }
}

extension SpaceID: CustomStringConvertible {
  /// The id as canonical UUID text.
  package var description: String { UUIDText.format(high: high, low: low) }
}
