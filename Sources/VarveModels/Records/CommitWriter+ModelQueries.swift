import VarveCore
import VarveEntities

/// Writes to all models of a query.
extension CommitWriter {
  /// Sets properties of all models of a query, and returns the number of those that changed.
  func update<Model: Persistable>(
    _ query: TypedQuery<Model>,
    _ assignments: Assignments<Model>
  ) async throws -> Int {
    let schema = Model.schema
    if let refusal = schema.refusal { throw refusal }
    let fields = try assignments.fields().filter { !$0.isSavingDate }
    guard !fields.isEmpty else { return 0 }
    guard try await areJudgedAlike(query, fields, assignments) else {
      return try await updateEach(query, fields, assignments)
    }
    return try await update(
      query.untyped,
      try changes(fields, assignments),
      with: savingDate(of: schema).map { [$0] } ?? [],
      comparesSemanticTypes: false,
      at: nil
    )
  }

  /// Sets properties of a model, and returns whether it changed.
  func update<Model: Persistable>(
    _ id: Identifier<Model>,
    _ assignments: Assignments<Model>
  ) async throws -> Bool {
    let schema = Model.schema
    if let refusal = schema.refusal { throw refusal }
    let fields = try assignments.fields().filter { !$0.isSavingDate }
    guard let present = try await commit.entity(id.entityID) else {
      throw try await commit.absence(of: id.entityID)
    }
    try require(present.type, of: id)
    guard !fields.isEmpty else { return false }
    return try await update(present, fields, try changes(fields, assignments), assignments)
  }

  /// Restores a model.
  func restore<Model: Persistable>(
    _ id: Identifier<Model>,
    _ mode: RestoreMode,
    at time: HybridTime?
  ) async throws -> [EntityID] {
    if let type = try await commit.label(of: id.entityID) { try require(type, of: id) }
    return try await restore(id.entityID, mode, at: time)
  }

  private func require<Model: Persistable>(_ type: EntityType, of id: Identifier<Model>) throws {
    guard !Model.schema.types.contains(type) else { return }
    throw VarveError(
      .typeMismatch,
      "the entity \"\(id)\" is a \"\(type)\", not a \"\(Model.schema.type)\"",
      at: "entity \(id)",
      remedy: "Use the model of its own type.",
      entity: id.entityID
    )
  }

  private func changes<Model>(
    _ fields: [SchemaField<Model>],
    _ assignments: Assignments<Model>
  ) throws -> [PropertyChange] {
    try fields.filter(\.isColumn).map { field in
      let value = try assignments.value(of: field)
      return PropertyChange(key: PropertyKey(field.name), property: value.map { .init($0) })
    }
  }

  /// Returns whether all models get the same values, and whether the rules, which the first model
  /// passes, have the same result for all models.
  private func areJudgedAlike<Model: Persistable>(
    _ query: TypedQuery<Model>,
    _ fields: [SchemaField<Model>],
    _ assignments: Assignments<Model>
  ) async throws -> Bool {
    let schema = Model.schema
    let unique = Set(schema.uniques.joined().map { schema.columns[$0].name })
    for field in fields {
      guard field.relation == nil, field.options.older.isEmpty, field.column.convert == nil,
        !unique.contains(field.name)
      else { return false }
    }
    guard let first = try await commit.fetch(query.untyped.limit(1)).first,
      var model = read(first, as: Model.self)
    else { return false }
    assignments.apply(to: &model)
    let judgement = try schema.judgement(of: model, in: fields)
    try judgement.validation.requireValid()
    return !judgement.hasOwnRules
  }

  /// Sets properties of one model after the other.
  private func updateEach<Model: Persistable>(
    _ query: TypedQuery<Model>,
    _ fields: [SchemaField<Model>],
    _ assignments: Assignments<Model>
  ) async throws -> Int {
    let changes = try changes(fields, assignments)
    var count = 0
    for id in try await commit.ids(of: query.untyped) {
      try Task.checkCancellation()
      // An earlier write may have erased the entity, by the policy of a relation.
      guard let present = try await commit.entity(id) else { continue }
      if try await update(present, fields, changes, assignments) { count += 1 }
    }
    return count
  }

  /// Sets properties of one model, and returns whether it changed.
  private func update<Model: Persistable>(
    _ present: StoredEntity,
    _ fields: [SchemaField<Model>],
    _ changes: [PropertyChange],
    _ assignments: Assignments<Model>
  ) async throws -> Bool {
    let id = present.id
    var model = read(present, as: Model.self)
    if var changed = model {
      assignments.apply(to: &changed)
      try await judge(changed, in: fields, since: present)
      model = changed
    }
    let before = writeCount
    _ = try await update(id, changes, comparesSemanticTypes: false, at: nil)
    for field in fields {
      for older in field.options.older
      where try await property(older, of: present, at: defaultTime) != nil {
        try await giveUp(older, for: PropertyKey(field.name), of: id)
      }
    }
    let hasRelations = fields.contains { $0.relation != nil }
    if hasRelations, let model { try await saveRelations(of: model, since: present) }
    guard writeCount > before else { return false }
    let date = savingDate(of: Model.schema)
    if let date, present[date.key] != date.property?.value {
      try await write(date, to: id, at: defaultTime)
    }
    return true
  }

  /// Checks the rules of some fields and the model's own. Values that must be unique are checked at
  /// the end.
  private func judge<Model: Persistable>(
    _ model: Model,
    in fields: [SchemaField<Model>],
    since present: StoredEntity
  ) async throws {
    let schema = Model.schema
    try schema.judgement(of: model, in: fields).validation.requireValid()
    let names = Set(fields.map(\.name))
    for indices in schema.uniques
    where indices.contains(where: { names.contains(schema.columns[$0].name) }) {
      if let doubt = try await doubt(indices, of: model, since: present) { remember(doubt) }
    }
  }

  /// The change that sets the date of the last save, if the model declares one.
  private func savingDate<Model>(of schema: Schema<Model>) -> PropertyChange? {
    schema.savingKey.map { key in
      let now = (defaultTime ?? commit.time).date
      let property = StoredEntity.Property(.date(now), semanticType: Cell.Content.derivedType)
      return PropertyChange(key: key, property: property)
    }
  }

  /// Returns the model of an entity, or nil if it cannot be read as one.
  private func read<Model: Persistable>(_ entity: StoredEntity, as _: Model.Type) -> Model? {
    let rows = EntityRows(EntityCursor(Model.schema.shape, [entity]), type: Model.schema.type)
    return try? Model.readAll(rows).first
  }
}

extension Schema {
  /// Returns the violations of the rules of some fields and of the model's own rules, and whether
  /// it has rules of its own.
  func judgement(
    of model: Model,
    in fields: [SchemaField<Model>]
  ) throws -> (validation: Validation, hasOwnRules: Bool) {
    var validation = Validation(model: self.model)
    for check in fields.flatMap(\.checks) { validation = try check.check(validation, model) }
    validation = try model.validate(validation)
    return (validation, !validation.isPassed(by: Model.self))
  }
}
