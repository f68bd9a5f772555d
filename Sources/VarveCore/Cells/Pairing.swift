/// The reference property that an edge is paired with, of the entity at one of its ends (R28).
///
/// The property names the other end. Both are written by one commit with one time, so the greatest
/// value of the property and the greatest of the edges paired with it always agree.
public struct Pairing: Hashable, Sendable {
  /// An end of an edge.
  public enum End: UInt8, Hashable, Sendable {
    /// The end that declares: the owner, or whose relation it is.
    case source = 1
    /// The end that is named.
    case target = 2
  }

  /// The end whose property it is.
  public let end: End
  /// The property.
  public let key: PropertyKey
  /// Whether the property's cell has no reference. The edge, from the entity to itself, then never
  /// counts, and outranks lesser ones.
  public let isVoid: Bool

  /// Pairs an edge with a property of the entity at one of its ends.
  public init(_ key: PropertyKey, at end: End, isVoid: Bool = false) {
    self.key = key
    self.end = end
    self.isVoid = isVoid
  }
}
