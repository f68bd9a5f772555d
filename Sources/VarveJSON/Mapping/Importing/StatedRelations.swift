import VarveCore

/// The statements of a document about relations that have an inverse or are one.
struct StatedRelations {
  /// The content that a document gives a relation of one entity.
  struct Statement {
    let key: RelationTask.Key
    /// The inverse of the relation, if it has one.
    let inverse: CompiledMapping.Inverse?
    let isToMany: Bool
    /// The targets that the document names, after all its objects.
    fileprivate(set) var targets: Set<EntityID> = []
    /// The targets that the document took from the relation.
    fileprivate(set) var dropped: [EntityID] = []
  }

  /// The targets of a relation in one object.
  struct Saying {
    /// The index of the statement.
    let statement: Int
    let targets: [EntityID]
  }

  /// The statements, each relation of an entity once.
  private(set) var statements: [Statement] = []
  /// The content of the single objects, in the order of the document.
  private(set) var sayings: [Saying] = []
  private var indices: [RelationTask.Key: Int] = [:]
  /// The indices of the statements about relations of an entity with an inverse.
  private var indicesByInverse: [RelationTask.Key: [Int]] = [:]

  var isEmpty: Bool { statements.isEmpty }

  /// Records the targets of a relation in one object.
  mutating func say(_ targets: [EntityID], _ link: CompiledMapping.Link, of source: EntityID) {
    guard link.hasInverse else { return }
    let key = RelationTask.Key(source: source, key: link.relation.key)
    let index = index(key, link.inverse, isToMany: link.relation.many != nil)
    if link.inverse != nil { sayings.append(Saying(statement: index, targets: targets)) }
  }

  /// Records the content of a relation after the objects of a part.
  ///
  /// - Parameter dropped: the targets that it had before.
  mutating func state(_ change: RelationChange, of source: EntityID, dropped: [EntityID]) {
    let link = change.link
    guard link.hasInverse else { return }
    let key = RelationTask.Key(source: source, key: link.relation.key)
    let index = index(key, link.inverse, isToMany: link.relation.many != nil)
    let isMerged = link.policy == .merge && link.relation.many != nil
    if !isMerged { statements[index].targets.removeAll() }
    statements[index].targets.formUnion(change.declared)
    let kept = Set(change.targets)
    statements[index].dropped = RelationChange.unique(statements[index].dropped + dropped)
      .filter { !kept.contains($0) }
  }

  /// Records that an attribute gives a property a reference, or another value.
  mutating func state(_ value: Value?, _ key: RelationTask.Key) {
    let index = index(key, nil, isToMany: false)
    statements[index].targets = Set([value?.referenceValue].compactMap(\.self))
  }

  /// Returns whether the document states a relation.
  func contains(_ key: RelationTask.Key) -> Bool { indices[key] != nil }

  /// Returns whether the document names a target in a relation.
  func contains(_ target: EntityID, in key: RelationTask.Key) -> Bool {
    indices[key].map { statements[$0].targets.contains(target) } ?? false
  }

  /// Returns whether the document names a target in a relation of an entity with an inverse.
  func contains(_ target: EntityID, of source: EntityID, withInverse key: PropertyKey) -> Bool {
    let indices = indicesByInverse[RelationTask.Key(source: source, key: key)] ?? []
    return indices.contains { statements[$0].targets.contains(target) }
  }

  private mutating func index(
    _ key: RelationTask.Key,
    _ inverse: CompiledMapping.Inverse?,
    isToMany: Bool
  ) -> Int {
    if let known = indices[key] { return known }
    indices[key] = statements.count
    if let inverse {
      let place = RelationTask.Key(source: key.source, key: inverse.key)
      indicesByInverse[place, default: []].append(statements.count)
    }
    statements.append(Statement(key: key, inverse: inverse, isToMany: isToMany))
    return statements.count - 1
  }
}
