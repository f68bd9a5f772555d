import VarveCore
import VarveEntities

/// Writes that compare the present values with those that the writer read, so no update is lost.
extension CommitWriter {
  /// Throws `changedMeanwhile` unless a live entity has the expected values, compared as a query
  /// compares them.
  ///
  /// - Parameter semanticTypes: the semantic types that some of the properties must have.
  func expect(
    _ values: [PropertyKey: Value?],
    semanticTypes: [PropertyKey: String] = [:],
    of id: EntityID
  ) async throws {
    guard let entity = try await commit.entity(id) else { throw try await commit.absence(of: id) }
    for (key, expected) in values.sorted(by: { $0.key < $1.key }) {
      let present = entity.property(key)
      guard let expected, let present, expected.isFound(by: present.value) else {
        if present == nil, expected == nil { continue }
        throw VarveError.changedMeanwhile(id, key, expected: expected, present: present?.value)
      }
      guard let type = semanticTypes[key], !type.isSame(as: present.semanticType) else { continue }
      throw VarveError.changedMeanwhile(id, key, present, expected: expected, type)
    }
  }

  /// Saves a model if the entity still has the values of the model that was read.
  ///
  /// The values are compared as the model reads them, so that defaults and conversions are no
  /// changes.
  func save<Model: Persistable>(_ model: Model, ifUnchangedSince former: Model) async throws
    -> Model
  {
    let present = try await require(model, since: former)
    let now = try read(present, as: Model.self)
    for column in Model.schema.columns {
      let (expected, value) = (try column.value(former), try column.value(now))
      guard value != expected else { continue }
      let key = column.column.key
      throw VarveError.changedMeanwhile(present.id, key, expected: expected, present: value)
    }
    return try await save(model)
  }

  /// Saves those properties of a model that differ from the model that was read.
  func save<Model: Persistable>(_ model: Model, changedFrom former: Model) async throws -> Model {
    let present = try await require(model, since: former)
    let schema = Model.schema
    var changes: [PropertyKey: Value?] = [:]
    for column in schema.columns where !column.isSavingDate {
      let value = try column.value(model)
      guard try value != column.value(former) else { continue }
      for key in column.column.older { changes[key] = .some(nil) }
      changes[column.column.key] = .some(value)
    }
    let changed = StoredEntity(present.id, present.type, since: present, changes)
    var merged = try read(changed, as: Model.self)
    for field in schema.fields { field.relation?.copy?(model, &merged) }
    return try await save(merged)
  }

  /// Returns the entity of a model that was read before.
  private func require<Model: Persistable>(
    _ model: Model,
    since former: Model
  ) async throws -> StoredEntity {
    let id = model.id.entityID
    guard former.id == model.id else {
      throw VarveError(
        .invalidArgument,
        "\"\(id)\" is compared with another entity, \"\(former.id)\"",
        at: "entity \(id)",
        remedy: "Compare a model with its own former state."
      )
    }
    if let present = try await commit.entity(id) { return present }
    throw try await commit.absence(of: id)
  }

  private func read<Model: Persistable>(_ entity: StoredEntity, as _: Model.Type) throws -> Model {
    let rows = EntityRows(EntityCursor(Model.schema.shape, [entity]), type: Model.schema.type)
    if let model = try Model.readAll(rows).first { return model }
    let reason = rows.unreadable.first?.description ?? "it cannot be read"
    throw VarveError(
      .fieldType,
      "the entity cannot be read as \(Model.self): \(reason)",
      at: "entity \(entity.id)",
      remedy: "Save the whole model."
    )
  }
}

extension Value {
  /// Returns whether a query for this value finds the present one: numbers are compared as numbers.
  /// NaN, which no query finds, is found by NaN.
  fileprivate func isFound(by present: Value) -> Bool {
    self == present || Comparison.equal.holds(present, self) == true
  }
}
