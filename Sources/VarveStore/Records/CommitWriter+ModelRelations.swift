import VarveCore

extension CommitWriter {
  /// Writes what a model relates: edges of references that changed, and relations to many that were
  /// touched.
  ///
  /// - Parameter present: the entity before it was saved; nil where it is new.
  func saveRelations<Model: Persistable>(of model: Model, since present: Entity?) async throws {
    for field in Model.schema.fields {
      guard let relation = field.relation else { continue }
      if relation.isToMany {
        try await saveMany(relation, of: model)
      } else {
        try await saveEdges(relation, field.keyPath, of: model, since: present)
      }
    }
  }

  /// Moves the edges that go with a reference from its former target to its present one.
  private func saveEdges<Model: Persistable>(
    _ relation: ModelRelation<Model>,
    _ keyPath: AnyKeyPath,
    of model: Model,
    since present: Entity?
  ) async throws {
    let id = model.id.entityID
    let target = relation.ids(model)?.first
    let field = Model.schema.queried(keyPath)
    let former = present?.value(of: field).flatMap(EntityID.init(propertyValue:))
    guard target != former else { return }
    if let kind = relation.option.kind {
      try await move(id, kind, from: former, to: target, named: relation.names)
    }
    for inverse in relation.target().inverses(keyPath) {
      try await move(id, inverse.kind.reversed, from: former, to: target, named: inverse.names)
    }
  }

  /// Takes an edge back from one target, under whatever name, and declares it to another under the
  /// first.
  private func move(
    _ id: EntityID,
    _ kind: RelationKind?,
    from former: EntityID?,
    to target: EntityID?,
    named names: [PropertyKey]
  ) async throws {
    // The new one first: what is given from hand to hand is never without an owner.
    if let target, let name = names.first {
      try await relate(edge(id, kind, target, name), at: defaultTime)
    }
    guard let former else { return }
    let from = kind == nil ? former : id
    for name in names {
      try await unrelate(edge(id, kind, former, name), from: from, orphans: nil, at: defaultTime)
    }
  }

  /// The edge between two; without a kind it is a free one the target declares.
  private func edge(
    _ id: EntityID,
    _ kind: RelationKind?,
    _ target: EntityID,
    _ name: PropertyKey
  ) -> EdgeEnds {
    guard let kind else { return EdgeEnds(target, .free, id, named: name) }
    return EdgeEnds(id, kind, target, named: name)
  }

  private func saveMany<Model: Persistable>(
    _ relation: ModelRelation<Model>,
    of model: Model
  ) async throws {
    guard let targets = relation.ids(model) else { return }
    let id = model.id.entityID
    let key = PropertyKey(relation.name)
    guard relation.option.inverse == nil else {
      return try await refer(targets, to: id, relation)
    }
    let formerKey = try await writer.collectionKey(of: id, among: relation.names)
    let former = try await writer.elements(of: id, key: formerKey).map(\.target)
    _ = try await setCollection(
      id,
      key,
      to: targets,
      as: relation.option.collection,
      at: defaultTime
    )
    for older in relation.older where try await writer.isCollection(id, older) {
      try await write(PropertyChange(key: older, property: nil), to: id, at: defaultTime)
    }
    guard let kind = relation.option.kind else { return }
    let (old, new) = (Set(formerKey == key ? former : []), Set(targets))
    for target in targets where !old.contains(target) {
      try await relate(edge(id, kind, target, key), at: defaultTime)
    }
    for name in relation.names {
      for target in former where name != key || !new.contains(target) {
        try await unrelate(edge(id, kind, target, name), from: id, orphans: nil, at: defaultTime)
      }
    }
  }

  /// Lets the targets of a relation with an inverse refer to an entity, and no others.
  private func refer<Model: Persistable>(
    _ targets: [EntityID],
    to id: EntityID,
    _ relation: ModelRelation<Model>
  ) async throws {
    let end = relation.target()
    guard let column = relation.inverseColumn else {
      throw VarveError(
        .invalidArgument,
        "the inverse of \"\(relation.name)\" is not in the schema of \"\(end.type)\"",
        at: "schema of \(Model.self), \(relation.name)",
        remedy: "Name the property that refers back, with its key path."
      )
    }
    let query = Query(end.type).where(column.field == .reference(id))
    let former = try await writer.fetch(query)
    let known = Set(former.map(\.id))
    let wanted = Set(targets)
    for target in targets where !known.contains(target) {
      guard let entity = try await writer.entity(target) else {
        let absence = try await writer.absence(of: target)
        throw absence.told(at: "\(Model.schema.type) \(id), \(relation.name), entity \(target)")
      }
      let owner = entity.value(of: column.field).flatMap(EntityID.init(propertyValue:))
      try await refer(entity, column, from: owner, to: id, relation)
    }
    for entity in former where !wanted.contains(entity.id) {
      guard relation.option.inverse.map(end.isRequired) != true else {
        throw VarveError(
          .invalidArgument,
          "\"\(entity.id)\" must refer to something by \"\(column.key)\", so it cannot be taken out",
          at: "\(Model.schema.type) \(id), \(relation.name)",
          remedy: "Let it refer to another, destroy it, or make the reference optional."
        )
      }
      try await refer(entity, column, from: id, to: nil, relation)
    }
  }

  private func refer<Model>(
    _ entity: Entity,
    _ column: RowShape.Column,
    from former: EntityID?,
    to id: EntityID?,
    _ relation: ModelRelation<Model>
  ) async throws {
    let target = entity.id
    let change = PropertyChange(key: column.key, property: id.map { .init(.reference($0)) })
    try await write(change, to: target, at: defaultTime)
    for older in column.older where entity[older] != nil {
      try await write(PropertyChange(key: older, property: nil), to: target, at: defaultTime)
    }
    guard let kind = relation.option.kind else { return }
    try await move(target, kind.reversed, from: former, to: id, named: relation.names)
  }
}

extension RelationKind {
  /// The kind seen from the other end; nil for a free relation, which has a direction.
  fileprivate var reversed: RelationKind? {
    switch self {
    case .owns: .ownedBy
    case .ownedBy: .owns
    case .free: nil
    }
  }
}

extension Schema {
  /// Whether saving a model may write edges or other entities.
  var hasRelationsToWrite: Bool {
    fields.contains { field in
      guard let relation = field.relation else { return false }
      return relation.isToMany || relation.option.kind != nil
        || !relation.target().inverses(field.keyPath).isEmpty
    }
  }
}
