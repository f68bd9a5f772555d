/// Which list of an entity an edge belongs to.
public struct Relation: Hashable, Sendable {
  /// The kind of edge.
  public enum Kind: UInt8, Hashable, Sendable, CaseIterable {
    /// The source owns the target.
    case owns = 1
    /// The source names the target and nothing follows from it.
    case free = 2
    /// The target is an element of a to-many property.
    case member = 3
  }

  /// The kind of edge.
  public let kind: Kind
  /// The relation's name; for `member` the property's key; empty where there is none.
  public let name: PropertyKey

  /// Creates a relation.
  public init(_ kind: Kind, _ name: PropertyKey = "") {
    self.kind = kind
    self.name = name
  }
}

extension Relation: Comparable {
  /// Order of kind, then name.
  public static func < (left: Relation, right: Relation) -> Bool {
    (left.kind.rawValue, left.name) < (right.kind.rawValue, right.name)
  }
}
