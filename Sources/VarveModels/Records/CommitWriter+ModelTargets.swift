import VarveCore
import VarveEntities

/// Adds and removes targets of to-many relations, without loading the others.
extension CommitWriter {
  /// Edits the targets of a to-many relation. Returns whether anything was written.
  func editTargets<Model: Persistable, Target: Persistable>(
    of id: Identifier<Model>,
    _ keyPath: KeyPath<Model, Many<Target>>,
    _ edit: (_ present: [EntityID], _ kind: CollectionKind) -> [EntityID]
  ) async throws -> Bool {
    let (schema, id) = (Model.schema, id.entityID)
    if let refusal = schema.refusal { throw refusal }
    guard let relation = schema.field(keyPath)?.relation else {
      throw VarveError(
        .unknownProperty,
        "\(keyPath) is not a relation of \(Model.self)'s schema",
        at: "schema of \(Model.self)",
        remedy: "Name a property of type Many."
      )
    }
    guard case .live(let type) = try await commit.status(of: id) else {
      throw try await commit.absence(of: id)
    }
    guard schema.types.contains(type) else {
      throw VarveError(
        .typeMismatch,
        "the entity \"\(id)\" is a \"\(type)\", not a \"\(schema.type)\"",
        at: "entity \(id)",
        remedy: "Name an entity of the model's type.",
        entity: id
      )
    }
    let before = writeCount
    let wanted = edit(try await targets(of: id, relation), relation.collectionKind)
    try await saveMany(relation, wanted, of: id)
    return writeCount > before
  }

  private func targets<Model: Persistable>(
    of id: EntityID,
    _ relation: ModelRelation<Model>
  ) async throws -> [EntityID] {
    guard relation.option.inverse == nil else {
      guard let column = relation.inverseColumn else { return [] }
      return try await commit.ids(
        of: Query(relation.target().type).where(column.field == .reference(id))
      )
    }
    let key = try await commit.collectionKey(of: id, among: relation.names)
    return try await commit.elements(of: id, key: key).map(\.target)
  }

  func add<Model: Persistable, Target: Persistable>(
    _ targets: [Identifier<Target>],
    to keyPath: KeyPath<Model, Many<Target>>,
    of id: Identifier<Model>
  ) async throws -> Bool {
    try await editTargets(of: id, keyPath) { present, kind in
      guard kind != .list else { return present + targets.map(\.entityID) }
      var seen = Set(present)
      return present + targets.map(\.entityID).filter { seen.insert($0).inserted }
    }
  }

  func remove<Model: Persistable, Target: Persistable>(
    _ targets: [Identifier<Target>],
    from keyPath: KeyPath<Model, Many<Target>>,
    of id: Identifier<Model>
  ) async throws -> Bool {
    let removed = Set(targets.map(\.entityID))
    return try await editTargets(of: id, keyPath) { present, _ in
      present.filter { !removed.contains($0) }
    }
  }
}

extension ModelRelation {
  /// How often a target can be among the others: with an inverse, once.
  fileprivate var collectionKind: CollectionKind {
    option.inverse == nil ? option.collection : .set
  }
}
