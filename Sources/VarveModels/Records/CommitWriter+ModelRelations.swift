import VarveCore
import VarveEntities

extension CommitWriter {
  /// Writes the relations of a model: the edges of references that changed, and the to-many
  /// relations that were edited.
  ///
  /// - Parameter present: the entity before it was saved, or nil if it is new.
  func saveRelations<Model: Persistable>(of model: Model, since present: StoredEntity?) async throws
  {
    for field in Model.schema.fields {
      guard let relation = field.relation else { continue }
      if relation.isToMany {
        guard let targets = relation.ids(model) else { continue }
        try await saveMany(relation, targets, of: model.id.entityID)
      } else {
        try await settleEdges(relation, field.keyPath, of: model, since: present)
      }
    }
  }

  /// Updates the edges of a reference to match it, including edges that were left over.
  private func settleEdges<Model: Persistable>(
    _ relation: ModelRelation<Model>,
    _ keyPath: AnyKeyPath,
    of model: Model,
    since present: StoredEntity?
  ) async throws {
    let id = model.id.entityID
    let target = relation.ids(model)?.first
    let key = PropertyKey(relation.name)
    let former = present?.value(of: Model.schema.queried(keyPath))
      .flatMap(EntityID.init(propertyValue:))
    let end = relation.target()
    for edges in relation.edges(of: id, key, inverses: end.inverses(keyPath)) {
      try await settle(edges, to: target, from: former) { other in
        try await self.commit.label(of: other).map(end.types.contains) ?? false
      }
    }
  }

  /// Updates an edge to match its reference, and removes the edge to the former target that has an
  /// older name of the relation.
  private func settle(
    _ edges: NamedEnds,
    to target: EntityID?,
    from former: EntityID?,
    ifOwn isOwn: (EntityID) async throws -> Bool
  ) async throws {
    try await settle(edges.edge, to: target, from: former, ifOwn: isOwn)
    guard let former, former != target else { return }
    for older in edges.older {
      // A paired edge has moved with the property.
      let pairs = try await commit.pairedEdges(of: older.holder, key: older.pairing.key)
      guard !pairs.contains(where: older.isSame) else { continue }
      let ends = older.ends(former)
      let from = ends.relation.kind == .free ? ends.source : older.holder
      try await unrelateOnly(ends, from: from, orphans: nil, at: defaultTime)
    }
  }

  /// Makes a to-many relation of an entity have exactly the given targets.
  func saveMany<Model: Persistable>(
    _ relation: ModelRelation<Model>,
    _ targets: [EntityID],
    of id: EntityID
  ) async throws {
    let key = PropertyKey(relation.name)
    guard relation.option.inverse == nil else {
      return try await refer(targets, to: id, relation)
    }
    let formerKey = try await commit.collectionKey(of: id, among: relation.names)
    let former = try await commit.elements(of: id, key: formerKey)
    _ = try await setCollection(
      id,
      key,
      to: targets,
      as: relation.option.collection,
      at: defaultTime
    )
    for older in relation.older where try await commit.isCollection(id, older) {
      try await write(PropertyChange(key: older, property: nil), to: id, at: defaultTime)
    }
    guard let kind = relation.option.kind else { return }
    try await relate(id, kind, key, since: formerKey == key ? former : [])
    for older in relation.older {
      for element in former {
        let ends = EdgeEnds(id, kind, element.target, named: older)
        try await unrelate(ends, from: id, orphans: nil, at: defaultTime)
      }
    }
  }

  /// Adds an edge for each new element, and removes the edge of each removed one. Both are sets of
  /// adds, so a merge that keeps an element keeps its edge.
  private func relate(
    _ id: EntityID,
    _ kind: RelationKind,
    _ key: PropertyKey,
    since former: [Element]
  ) async throws {
    let present = try await commit.elements(of: id, key: key)
    let (old, new) = (Set(former.map(\.add)), Set(present.map(\.add)))
    let targets = Set(present.map(\.target))
    for element in present where !old.contains(element.add) {
      let ends = EdgeEnds(id, kind, element.target, named: key)
      let edge = try await commit.edge(from: ends.source, in: ends.relation, to: ends.target)
      if edge != nil {
        let add = Cell.Content.add(ends.relation, target: ends.target, position: nil)
        try await keepAlive(try await apply(add, to: ends.source, at: defaultTime).died)
      } else {
        try await relate(ends, at: defaultTime)
      }
    }
    for element in former where !new.contains(element.add) {
      let ends = EdgeEnds(id, kind, element.target, named: key)
      if targets.contains(element.target) {
        try await takeBack(ends, declaredWith: element)
      } else {
        try await unrelate(ends, from: id, orphans: nil, at: defaultTime)
      }
    }
  }

  /// Removes the add of an edge that was written with an element, unless it is the only one.
  private func takeBack(_ ends: EdgeEnds, declaredWith element: Element) async throws {
    let edge = try await commit.edge(from: ends.source, in: ends.relation, to: ends.target)
    guard let edge, edge.adds.count > 1,
      let add = edge.adds.first(where: { $0.commit == element.add.commit })
    else { return }
    let removal = Cell.Content.remove(ends.relation, target: ends.target, adds: [add])
    try await keepAlive(try await apply(removal, to: ends.source, at: defaultTime).died)
  }

  /// Makes exactly the given targets of a relation with an inverse refer to an entity.
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
    let former = try await commit.fetch(query)
    let known = Set(former.map(\.id))
    let wanted = Set(targets)
    for target in targets where !known.contains(target) {
      guard let entity = try await commit.entity(target) else {
        let absence = try await commit.absence(of: target)
        throw absence.located(at: "\(Model.schema.type) \(id), \(relation.name), entity \(target)")
      }
      let owner = entity.value(of: column.field).flatMap(EntityID.init(propertyValue:))
      try await refer(entity, column, from: owner, to: id, relation)
    }
    for entity in former where !wanted.contains(entity.id) {
      guard relation.option.inverse.map(end.isRequired) != true else {
        throw VarveError(
          .invalidArgument,
          "\"\(entity.id)\" needs its reference \"\(column.key)\", so it cannot be removed",
          at: "\(Model.schema.type) \(id), \(relation.name)",
          remedy: "Set another reference, destroy it, or make the reference optional."
        )
      }
      try await refer(entity, column, from: id, to: nil, relation)
    }
  }

  private func refer<Model>(
    _ entity: StoredEntity,
    _ column: RowShape.Column,
    from former: EntityID?,
    to id: EntityID?,
    _ relation: ModelRelation<Model>
  ) async throws {
    let target = entity.id
    let change = PropertyChange(key: column.key, property: id.map { .init(.reference($0)) })
    try await write(change, to: target, at: defaultTime)
    for older in column.older where entity[older] != nil {
      try await giveUp(older, for: column.key, of: target)
    }
    guard let kind = relation.option.kind else { return }
    let edges = relation.ends(of: target, column.key, kind.reversed, names: relation.names)
    try await settle(edges, to: id, from: former) { _ in false }
  }
}

extension RelationKind {
  /// The kind from the other end; nil for a free relation, which has a direction.
  fileprivate var reversed: RelationKind? {
    switch self {
    case .owns: .ownedBy
    case .ownedBy: .owns
    case .free: nil
    }
  }
}

extension ModelRelation {
  /// Returns the edges that belong to a reference: its own, and those of the to-many relations
  /// whose inverse it is.
  func edges(
    of id: EntityID,
    _ key: PropertyKey,
    inverses: [(names: [PropertyKey], kind: RelationKind)]
  ) -> [NamedEnds] {
    let own = option.kind.map { [ends(of: id, key, $0, names: names)] } ?? []
    return own + inverses.map { ends(of: id, key, $0.kind.reversed, names: $0.names) }
  }

  /// Returns an edge under the present name of a relation and under its older names.
  func ends(
    of id: EntityID,
    _ key: PropertyKey,
    _ kind: RelationKind?,
    names: [PropertyKey]
  ) -> NamedEnds {
    let all = names.map { PairedEnds(key, of: id, kind, named: $0) }
    return NamedEnds(edge: all[0], older: Array(all.dropFirst()))
  }
}

/// An edge that belongs to a reference, under the present name of its relation and the older ones.
struct NamedEnds {
  let edge: PairedEnds
  let older: [PairedEnds]
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
