public import VarveCore
public import VarveStore

/// The policy for the former targets of a relation when a document gives it others.
public enum RelationPolicy: String, Hashable, Sendable, CaseIterable {
  /// The relation is set to the document's targets; the former ones stay in the store.
  case assign
  /// A to-many relation keeps its former targets and adds the new ones; a to-one relation is
  /// assigned.
  case merge
  /// The relation is set to the document's targets; the former ones are erased, unless something
  /// else owns or references them.
  case replace
}

/// A line of a mapping: the source of a relation.
public struct MappedRelation: Sendable {
  /// The path of the objects or identifying values in an object.
  public var path: KeyPathInJSON
  /// Whether documents contain identifying values instead of objects. Reading accepts both; this
  /// determines what is written.
  public var isByID: Bool
  /// The member of the targets that has their name, if documents have an object here whose members
  /// are the targets.
  public var keyedBy: String?
  /// The property.
  public var key: PropertyKey
  /// The kind of collection; nil for a to-one relation.
  public var many: CollectionKind?
  /// The name of the targets' mapping.
  public var mapping: String
  /// The policy for former targets.
  public var policy: RelationPolicy
  /// The ownership, or free relation, that is declared together with the property.
  public var edge: RelationKind?
  /// The to-one property of the targets that refers back to this entity.
  public var inverse: PropertyKey?
  /// Converts the document's identifying values to those of the targets.
  public var transform: ValueTransform?
  /// Completes an identifying value that is only the last part of a code.
  public var qualifier: Qualifier?

  init(
    _ path: KeyPathInJSON,
    isByID: Bool,
    key: PropertyKey?,
    many: CollectionKind?,
    mapping: String,
    policy: RelationPolicy = .assign
  ) {
    self.path = path
    self.isByID = isByID
    self.key = key ?? path.property
    self.many = many
    self.mapping = mapping
    self.policy = policy
  }
}

/// A line of a mapping: a to-one relation.
public struct ToOne: Sendable {
  var relation: MappedRelation

  /// Creates a relation whose target is given as an object.
  ///
  /// - Parameters:
  ///   - path: the path of the object.
  ///   - key: the property; the path's names between dots if nil.
  ///   - mapping: the name of the target's mapping.
  ///   - policy: what happens to a former target.
  public init(
    _ path: KeyPathInJSON,
    to key: PropertyKey? = nil,
    of mapping: String,
    policy: RelationPolicy = .assign
  ) {
    relation = MappedRelation(
      path,
      isByID: false,
      key: key,
      many: nil,
      mapping: mapping,
      policy: policy
    )
  }

  /// Creates a relation whose target is given by its identifying value.
  public init(
    id path: KeyPathInJSON,
    to key: PropertyKey? = nil,
    of mapping: String,
    _ transform: ValueTransform? = nil,
    qualifiedBy qualifier: Qualifier? = nil,
    policy: RelationPolicy = .assign
  ) {
    relation = MappedRelation(
      path,
      isByID: true,
      key: key,
      many: nil,
      mapping: mapping,
      policy: policy
    )
    relation.transform = transform
    relation.qualifier = qualifier
  }

  /// Declares an ownership, or a free relation, together with the property.
  public func declaring(_ kind: RelationKind) -> ToOne {
    var line = self
    line.relation.edge = kind
    return line
  }

  /// Reads an object whose member is the target. See ``ToMany/keyed(by:)``.
  public func keyed(by name: String) -> ToOne {
    var line = self
    line.relation.keyedBy = name
    return line
  }

  /// Sets a to-one property of the target that refers back to this entity.
  public func inverse(_ key: PropertyKey) -> ToOne {
    var line = self
    line.relation.inverse = key
    return line
  }
}

/// A line of a mapping: a to-many relation.
public struct ToMany: Sendable {
  var relation: MappedRelation

  /// Creates a relation whose targets are given as objects.
  ///
  /// - Parameters:
  ///   - path: the path of the objects.
  ///   - key: the property; the path's names between dots if nil.
  ///   - mapping: the name of the targets' mapping.
  ///   - kind: the kind of collection.
  ///   - policy: what happens to former targets.
  public init(
    _ path: KeyPathInJSON,
    to key: PropertyKey? = nil,
    of mapping: String,
    as kind: CollectionKind = .list,
    policy: RelationPolicy = .assign
  ) {
    relation = MappedRelation(
      path,
      isByID: false,
      key: key,
      many: kind,
      mapping: mapping,
      policy: policy
    )
  }

  /// Creates a relation whose targets are given by their identifying values.
  public init(
    ids path: KeyPathInJSON,
    to key: PropertyKey? = nil,
    of mapping: String,
    as kind: CollectionKind = .list,
    _ transform: ValueTransform? = nil,
    qualifiedBy qualifier: Qualifier? = nil,
    policy: RelationPolicy = .assign
  ) {
    relation = MappedRelation(
      path,
      isByID: true,
      key: key,
      many: kind,
      mapping: mapping,
      policy: policy
    )
    relation.transform = transform
    relation.qualifier = qualifier
  }

  /// Declares an ownership, or a free relation, together with the property.
  public func declaring(_ kind: RelationKind) -> ToMany {
    var line = self
    line.relation.edge = kind
    return line
  }

  /// Reads an object whose members are the targets, instead of an array.
  ///
  /// The targets' mapping reads the name of a member as if each target had it in a member of its
  /// own: with `keyed(by: "id")`, `{"Q1": {"label": "one"}}` is read as
  /// `[{"id": "Q1", "label": "one"}]`.
  public func keyed(by name: String) -> ToMany {
    var line = self
    line.relation.keyedBy = name
    return line
  }

  /// Sets a to-one property of the targets that refers back to this entity.
  public func inverse(_ key: PropertyKey) -> ToMany {
    var line = self
    line.relation.inverse = key
    return line
  }
}
