import VarveCore

extension StateReader {
  /// The models of a query, with what it loads along, and the rows that could not be read.
  func readout<Model>(_ query: TypedQuery<Model>) async throws -> Readout<Model> {
    var (models, unreadable) = try await backend.rows(query.erased, Model.schema.shape) { cursor in
      let rows = EntityRows(cursor, type: Model.schema.type)
      return (try Model.readAll(rows), rows.unreadable)
    }
    for inclusion in query.inclusions { try await inclusion.load(&models, self) }
    UnreadableLog.note(unreadable)
    return Readout(models: models, unreadable: unreadable)
  }

  /// The first model of a query that can be read.
  func first<Model>(_ query: TypedQuery<Model>) async throws -> Model? {
    let (first, unreadable) = try await backend.rows(query.erased, Model.schema.shape) { cursor in
      let rows = EntityRows(cursor, type: Model.schema.type)
      return (try rows.firstReadable() as Model?, rows.unreadable)
    }
    UnreadableLog.note(unreadable)
    guard let first, !query.inclusions.isEmpty else { return first }
    var models = [first]
    for inclusion in query.inclusions { try await inclusion.load(&models, self) }
    return models.first
  }

  /// Models by their identifiers.
  func models<Model: Persistable>(
    _ ids: [EntityID],
    _ along: AlongQuery
  ) async throws -> [EntityID: Model] {
    let found: [Model] = try await models(Array(Set(ids)), along) { ids in
      along.query.where(.isIn(.identifier, ids.map { .string($0.text) }))
    }
    return Dictionary(found.map { ($0.id.entityID, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// The models that refer to others, by whom they refer to.
  func models<Model: Persistable>(
    referringTo ids: [EntityID],
    by inverse: AnyKeyPath,
    _ along: AlongQuery
  ) async throws -> [EntityID: [Model]] {
    guard let field = Model.schema.field(inverse), let relation = field.relation else {
      throw VarveError(
        .invalidQuery,
        "the inverse of a relation is no reference in \(Model.self)'s schema",
        at: "schema of \(Model.self)",
        remedy: "Name the property that refers back, with its key path."
      )
    }
    let found: [Model] = try await models(ids, along) { ids in
      along.query.where(.isIn(field.column.field, ids.map { .reference($0) }))
    }
    return Dictionary(grouping: found) { relation.ids($0)?.first ?? $0.id.entityID }
  }

  /// The models in to-many properties, by whose they are.
  func models<Model: Persistable>(
    in key: PropertyKey,
    of sources: [EntityID],
    _ along: AlongQuery
  ) async throws -> [EntityID: [Model]] {
    var elements: [EntityID: [EntityID]] = [:]
    for source in sources where elements[source] == nil {
      elements[source] = try await backend.elements(of: source, key: key).map(\.target)
    }
    let targets: [EntityID: Model] = try await models(elements.values.flatMap(\.self), along)
    return elements.mapValues { ids in ids.compactMap { targets[$0] } }
  }

  /// Models by many values at a time, as many as one statement takes.
  private func models<Model: Persistable>(
    _ ids: [EntityID],
    _ along: AlongQuery,
    _ query: ([EntityID]) -> Query
  ) async throws -> [Model] {
    var models: [Model] = []
    for start in stride(from: 0, to: ids.count, by: Self.batchCount) {
      let part = Array(ids[start..<min(start + Self.batchCount, ids.count)])
      models += try await readout(TypedQuery<Model>(unchecked: query(part))).models
    }
    return try await along.load(models, self) as? [Model] ?? models
  }

  /// How many values are asked for at a time; SQLite takes 32,766 at most.
  private static var batchCount: Int { 30_000 }
}

extension EntityRows {
  /// The first row that can be read.
  func firstReadable<Model: Persistable>() throws -> Model? {
    while let row = try next() {
      do {
        return try Model(row: row)
      } catch {
        try pass(over: row, error)
      }
    }
    return nil
  }
}

/// What a query of models found.
public struct Readout<Model: Persistable>: Sendable {
  /// The models, in the query's order.
  public let models: [Model]
  /// The rows that could not be read and were left out.
  public let unreadable: [UnreadableRow]
}
