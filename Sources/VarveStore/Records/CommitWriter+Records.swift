import Foundation
import VarveCore

extension CommitWriter {
  /// Saves a model, checked.
  func save<Model: Persistable>(_ model: Model) async throws -> Model {
    let schema = Model.schema
    let id = model.id.entityID
    let present = try await writer.entity(id)
    if present == nil { try await requireUnknown(id) }
    if let present, !schema.types.contains(present.type) {
      throw VarveError(
        .typeMismatch,
        "the entity \"\(id)\" is a \"\(present.type)\", not a \"\(schema.type)\"",
        at: "entity \(id)",
        remedy: "Save it under its own type, or use another identifier."
      )
    }
    var model = model
    setDates(of: &model, since: present)
    try await validate(model, since: present)
    let values = try schema.values(of: model)
    if let present {
      try await update(present, schema, values)
    } else {
      let changes = schema.changes(values)
      for change in changes { try change.validate() }
      try await createValid(schema.type, id: id, changes, at: defaultTime)
    }
    try await saveRelations(of: model, since: present)
    return model
  }

  /// An identifier that is dead is not saved under: it is created anew, or restored (R15).
  private func requireUnknown(_ id: EntityID) async throws {
    let status = try await writer.status(of: id)
    guard status == .unknown else { throw try await writer.absence(of: id, status: status) }
  }

  /// Writes what differs, and takes back what an older version of the model called it.
  private func update<Model>(
    _ present: Entity,
    _ schema: Schema<Model>,
    _ values: [Value?]
  ) async throws {
    for (column, value) in zip(schema.shape.columns, values) {
      let change = PropertyChange(key: column.key, property: value.map { .init($0) })
      try change.validate()
    }
    for (column, value) in zip(schema.shape.columns, values) {
      if try await property(column.key, of: present, at: defaultTime)?.value != value {
        let change = PropertyChange(key: column.key, property: value.map { .init($0) })
        try await write(change, to: present.id, at: defaultTime)
      }
      for older in column.older
      where try await property(older, of: present, at: defaultTime) != nil {
        try await write(PropertyChange(key: older, property: nil), to: present.id, at: defaultTime)
      }
    }
  }

  private func setDates<Model: Persistable>(of model: inout Model, since present: Entity?) {
    let schema = Model.schema
    guard schema.createdAt != nil || schema.updatedAt != nil else { return }
    let now = (defaultTime ?? writer.time).date
    if let created = schema.createdAt, created.isMissing(in: model) {
      let first = schema.creationKey.flatMap { present?[$0]?.dateValue }
      created.set(first ?? now, in: &model)
    }
    schema.updatedAt?.set(now, in: &model)
  }

  /// Saves models: the new ones in batches.
  func save<Model: Persistable>(_ models: [Model]) async throws -> [Model] {
    let schema = Model.schema
    // Each needs to see those before it: uniqueness, and entities that stand twice.
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

  /// Saves the next models: those nobody knows as one table, the others one by one.
  private func saveBatch<Model: Persistable>(
    of models: inout [Model],
    from first: Int
  ) async throws -> Int {
    try Task.checkCancellation()
    let schema = Model.schema
    var batch = CreationBatch(schema.type, keys: schema.keys, at: defaultTime)
    var values = PropertyValues(schema.shape)
    var index = first
    var single: Int?
    while index < models.count, !batch.isFull {
      var model = models[index]
      if schema.isDated { setDates(of: &model, since: nil) }
      try schema.validation(of: model).requireValid()
      try schema.write(model, to: &values)
      guard batch.append(model.id.entityID, values.values) == .added else {
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
          setDates(of: &models[position], since: nil)
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

extension Schema {
  /// The values of a model, in the order of the columns.
  func values(of model: Model) throws -> [Value?] {
    var values = PropertyValues(shape)
    try write(model, to: &values)
    return Array(values.values)
  }

  /// Whether saving fills in a date.
  var isDated: Bool { createdAt != nil || updatedAt != nil }

  /// Writes a model's values.
  func write(_ model: Model, to values: inout PropertyValues) throws {
    values.removeAll()
    try model.write(to: &values)
    values.complete()
    guard values.values.count == shape.columns.count else {
      throw VarveError(
        .invalidArgument,
        "\(Model.self) writes \(values.values.count) values for \(columns.count) properties",
        at: "schema of \(Model.self)",
        remedy: "Write each property of the schema once, in its order."
      )
    }
  }

  /// What creating an entity writes.
  func changes(_ values: [Value?]) -> [PropertyChange] {
    zip(keys, values).compactMap { key, value in
      value.map { PropertyChange(key: key, property: .init($0)) }
    }
  }

  /// A search in all that is searchable, if anything is.
  var searchQuery: Query? {
    let fields = columns.filter(\.isSearchable).map(\.column.field)
    return fields.isEmpty ? nil : Query(type).where(.matches("", fields))
  }

  /// The indexes the schema asks for.
  var wantedIndexes: [WantedIndex] {
    columns.filter(\.wantsIndex).map { WantedIndex(type: type, key: PropertyKey($0.name)) }
      + uniques.compactMap { $0.first }.map { WantedIndex(type: type, key: keys[$0]) }
  }
}
