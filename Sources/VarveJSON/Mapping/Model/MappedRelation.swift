public import VarveCore
public import VarveStore

/// What becomes of the targets a relation had when a document gives it others.
public enum RelationPolicy: String, Hashable, Sendable, CaseIterable {
  /// The relation gets what the document says; what it had stays in the store.
  case assign
  /// A to-many relation keeps what it had and gets what is new; a to-one relation is as assigned.
  case merge
  /// The relation gets what the document says; what it had is erased, unless something else owns or
  /// references it.
  case replace
}

/// A line of a mapping: what a relation is made from.
public struct MappedRelation: Sendable {
  /// The way to objects or identifying values in an object.
  public var path: KeyPathInJSON
  /// Whether a document gives identifying values rather than objects. Either is read; it decides
  /// what is written.
  public var isByID: Bool
  /// The property.
  public var key: PropertyKey
  /// How its elements are taken; nil for a relation to one.
  public var many: CollectionKind?
  /// The name of the targets' mapping.
  public var mapping: String
  /// What becomes of former targets.
  public var policy: RelationPolicy
  /// The ownership, or free relation, that is declared along with the property.
  public var edge: RelationKind?
  /// The to-one property of the targets that names this entity back.
  public var inverse: PropertyKey?
  /// What turns identifying values as they stand here into those of the targets.
  public var transform: Transform?
  /// What is put before an identifying value that is only the last part of a code.
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
    self.key = key ?? PropertyKey(path.text)
    self.many = many
    self.mapping = mapping
    self.policy = policy
  }
}

/// A line of a mapping: a relation to one entity.
public struct ToOne: Sendable {
  var relation: MappedRelation

  /// A relation given as an object.
  ///
  /// - Parameters:
  ///   - path: the way to it.
  ///   - key: the property; the path's text if nil.
  ///   - mapping: the name of the target's mapping.
  ///   - policy: what becomes of a former target.
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

  /// A relation given as the identifying value of its target.
  public init(
    id path: KeyPathInJSON,
    to key: PropertyKey? = nil,
    of mapping: String,
    _ transform: Transform? = nil,
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

  /// Declares an ownership, or a free relation, along with the property.
  public func declaring(_ kind: RelationKind) -> ToOne {
    var line = self
    line.relation.edge = kind
    return line
  }

  /// Has a to-one property of the target name this entity back.
  public func inverse(_ key: PropertyKey) -> ToOne {
    var line = self
    line.relation.inverse = key
    return line
  }
}

/// A line of a mapping: a relation to many entities.
public struct ToMany: Sendable {
  var relation: MappedRelation

  /// A relation given as objects.
  ///
  /// - Parameters:
  ///   - path: the way to them.
  ///   - key: the property; the path's text if nil.
  ///   - mapping: the name of the targets' mapping.
  ///   - kind: how they are taken.
  ///   - policy: what becomes of former targets.
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

  /// A relation given as the identifying values of its targets.
  public init(
    ids path: KeyPathInJSON,
    to key: PropertyKey? = nil,
    of mapping: String,
    as kind: CollectionKind = .list,
    _ transform: Transform? = nil,
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

  /// Declares an ownership, or a free relation, along with the property.
  public func declaring(_ kind: RelationKind) -> ToMany {
    var line = self
    line.relation.edge = kind
    return line
  }

  /// Has a to-one property of the targets name this entity back.
  public func inverse(_ key: PropertyKey) -> ToMany {
    var line = self
    line.relation.inverse = key
    return line
  }
}
