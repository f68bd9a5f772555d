import Foundation
import VarveCore
import VarveEntities

extension CommitWriter {
  /// Validates and saves a model.
  func save<Model: Persistable>(_ model: Model) async throws -> Model {
    let schema = Model.schema
    let id = model.id.entityID
    let present = try await commit.entity(id)
    if present == nil { try await requireUnknown(id) }
    if let present, !schema.types.contains(present.type) {
      throw VarveError(
        .typeMismatch,
        "the entity \"\(id)\" is a \"\(present.type)\", not a \"\(schema.type)\"",
        at: "entity \(id)",
        remedy: "Save it under its own type, or use another identifier.",
        entity: id
      )
    }
    var model = model
    let filled = setDates(of: &model, since: present)
    try await validate(model, since: present)
    let values = try schema.values(of: model)
    guard let present else {
      let changes = schema.changes(values, filled: filled)
      for change in changes { try change.validate() }
      try await createValid(schema.type, id: id, changes, at: defaultTime)
      try await saveRelations(of: model, since: nil)
      return model
    }
    let before = writeCount
    try await update(present, schema, values, filled: filled)
    try await saveRelations(of: model, since: present)
    if writeCount > before { try await setSavingDate(of: &model, since: present) }
    return model
  }

  /// Throws if the identifier is known. A dead entity is not saved: it must be created anew or
  /// restored (R15).
  private func requireUnknown(_ id: EntityID) async throws {
    let status = try await commit.status(of: id)
    guard status == .unknown else { throw try await commit.absence(of: id, status: status) }
  }

  /// Writes the differences, and removes values under older names of the properties.
  private func update<Model>(
    _ present: StoredEntity,
    _ schema: Schema<Model>,
    _ values: [Value?],
    filled: FilledDates
  ) async throws {
    for (column, value) in zip(schema.shape.columns, values) {
      let change = PropertyChange(key: column.key, property: value.map { .init($0) })
      try change.validate()
    }
    for (column, value) in zip(schema.shape.columns, values) {
      if try await property(column.key, of: present, at: defaultTime)?.value != value {
        let property = value.map { schema.property($0, of: column.key, filled: filled) }
        let change = PropertyChange(key: column.key, property: property)
        try await write(change, to: present.id, at: defaultTime)
      }
      for older in column.older
      where try await property(older, of: present, at: defaultTime) != nil {
        try await giveUp(older, for: column.key, of: present.id)
      }
    }
  }

  /// Sets the dates of saving, as far as they are known before the relations are saved, and returns
  /// which. The date of the last save keeps its stored value until something is written.
  private func setDates<Model: Persistable>(
    of model: inout Model,
    since present: StoredEntity?
  ) -> FilledDates {
    let schema = Model.schema
    guard schema.isDated else { return FilledDates() }
    var filled = FilledDates()
    let now = (defaultTime ?? commit.time).date
    if let created = schema.createdAt, created.isMissing(in: model) {
      let first = schema.creationKey.flatMap {
        present?.value(of: schema.field(named: $0))?.dateValue
      }
      created.set(first ?? now, in: &model)
      filled.isCreation = true
    }
    if let date = schema.updatedAt {
      let last = schema.savingKey.flatMap { present?[$0]?.dateValue }
      if present == nil || (last == nil && date.isRequired) {
        date.set(now, in: &model)
      } else {
        date.set(last, in: &model)
      }
      filled.isSaving = true
    }
    return filled
  }

  /// Sets the date of the last save of a model that was written to.
  private func setSavingDate<Model: Persistable>(
    of model: inout Model,
    since present: StoredEntity
  ) async throws {
    let schema = Model.schema
    guard let date = schema.updatedAt, let key = schema.savingKey else { return }
    let now = (defaultTime ?? commit.time).date
    date.set(now, in: &model)
    let property = StoredEntity.Property(.date(now), semanticType: Cell.Content.derivedType)
    guard present[key] != property.value else { return }
    try await write(PropertyChange(key: key, property: property), to: present.id, at: defaultTime)
  }

  /// Saves models. New ones are written in batches.
  func save<Model: Persistable>(_ models: [Model]) async throws -> [Model] {
    let schema = Model.schema
    // Each model must see those before it, for uniqueness and for entities that occur twice.
    guard schema.uniques.isEmpty, !schema.hasRelationsToWrite, !schema.keys.isEmpty else {
      var saved: [Model] = []
      for model in models {
        try Task.checkCancellation()
        saved.append(try await save(model))
      }
      return saved
    }
    var saved = models
    var first = 0
    while first < models.count {
      let end = try await saveBatch(of: &saved, from: first)
      first = end
    }
    return saved
  }

  /// Saves the next models: the unknown ones as one table, the others one by one.
  private func saveBatch<Model: Persistable>(
    of models: inout [Model],
    from first: Int
  ) async throws -> Int {
    try Task.checkCancellation()
    let schema = Model.schema
    var batch = CreationBatch(
      schema.type,
      keys: schema.keys,
      at: defaultTime,
      semanticTypes: schema.dateTypes
    )
    var values = PropertyValues(schema.shape)
    var index = first
    var single: Int?
    while index < models.count, !batch.isFull {
      var model = models[index]
      let filled = setDates(of: &model, since: nil)
      try schema.validation(of: model).requireValid()
      try schema.write(model, to: &values)
      // A date from the caller is an ordinary value, without the column's semantic type.
      guard schema.createdAt == nil || filled.isCreation,
        batch.append(model.id.entityID, values.values) == .added
      else {
        if batch.isEmpty { single = index }
        break
      }
      index += 1
    }
    if !batch.isEmpty {
      let known = Set(try await create(batch.take()))
      for (offset, position) in (first..<index).enumerated() {
        if known.contains(offset) {
          models[position] = try await save(models[position])
        } else if schema.isDated {
          _ = setDates(of: &models[position], since: nil)
        }
      }
    }
    if let single {
      models[single] = try await save(models[single])
      return single + 1
    }
    return index
  }
}
