/// The relation an edge belongs to: its kind and its name.
public struct Relation: Hashable, Sendable {
  /// The kind of edge.
  public enum Kind: UInt8, Hashable, Sendable, CaseIterable {
    /// The source owns the target.
    case owns = 1
    /// The source refers to the target, without further consequences.
    case free = 2
    /// The target is an element of a to-many property.
    case member = 3
  }

  /// The kind of edge.
  public let kind: Kind
  /// The relation's name; for `member` the property's key; empty if it has none.
  public let name: PropertyKey

  /// Creates a relation.
  public init(_ kind: Kind, _ name: PropertyKey = "") {
    self.kind = kind
    self.name = name
  }
}

extension Relation: Comparable {
  /// Orders by kind, then name.
  public static func < (left: Relation, right: Relation) -> Bool {
    (left.kind.rawValue, left.name) < (right.kind.rawValue, right.name)
  }
}
