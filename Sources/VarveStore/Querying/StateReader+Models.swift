import VarveCore

extension StateReader {
  /// The models of a query, with what it loads along, and the rows that could not be read.
  func fetchReport<Model>(_ query: TypedQuery<Model>) async throws -> FetchReport<Model> {
    var (models, unreadable) = try await readable(query.erased, of: Model.schema) {
      try Model.readAll($0)
    }
    for inclusion in query.inclusions { try await inclusion.load(&models, self) }
    UnreadableLog.note(unreadable)
    return FetchReport(models: models, unreadable: unreadable)
  }

  /// The first model of a query that can be read.
  func first<Model>(_ query: TypedQuery<Model>) async throws -> Model? {
    try await fetchReport(query.limit(1)).models.first
  }

  /// What can be read of the rows of a query, and the rows that cannot: its window is one of the first.
  func readable<Model, Element>(
    _ query: Query,
    of schema: Schema<Model>,
    _ shape: RowShape? = nil,
    _ read: (EntityRows) throws -> [Element]
  ) async throws -> ([Element], [UnreadableRow]) {
    let end = query.windowEnd
    let all = query.withoutWindow
    var (elements, unreadable) = try await backend.rows(
      end.map { all.limit($0) } ?? all,
      shape ?? schema.shape
    ) { cursor in
      let rows = EntityRows(cursor, type: schema.type)
      return (try read(rows), rows.unreadable)
    }
    // Rows that cannot be read took the place of others.
    if let end, !unreadable.isEmpty, elements.count + unreadable.count >= end {
      (elements, unreadable) = try await backend.rows(all, shape ?? schema.shape) { cursor in
        let rows = EntityRows(cursor, type: schema.type, limit: end)
        return (try read(rows), rows.unreadable)
      }
    }
    return (query.offset == 0 ? elements : Array(elements.dropFirst(query.offset)), unreadable)
  }

  /// Models by their identifiers.
  func models<Model: Persistable>(
    _ ids: [EntityID],
    _ along: AlongQuery
  ) async throws -> [EntityID: Model] {
    let found: [Model] = try await orderedModels(ids, along)
    return Dictionary(found.map { ($0.id.entityID, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// Models by their identifiers, in the order of the query.
  private func orderedModels<Model: Persistable>(
    _ ids: [EntityID],
    _ along: AlongQuery
  ) async throws -> [Model] {
    let wanted = Set(ids)
    if wanted.count > Self.batchCount, !along.query.ordering.isEmpty {
      // One after another, statements would put each part in order by itself.
      let all: [Model] = try await fetchReport(TypedQuery<Model>(unchecked: along.query)).models
      let found = all.filter { wanted.contains($0.id.entityID) }
      return try await along.load(found, self) as? [Model] ?? found
    }
    return try await models(Array(wanted), along) { ids in
      along.query.where(.isIn(.identifier, ids.map { .string($0.text) }))
    }
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

  /// The models in to-many properties, by whose they are: in the order of the query, or without one in
  /// that of the property.
  ///
  /// - Parameter keys: what the property is called, and what it was in older versions of the model.
  func models<Model: Persistable>(
    in keys: [PropertyKey],
    of sources: [EntityID],
    _ along: AlongQuery
  ) async throws -> [EntityID: [Model]] {
    var elements: [EntityID: [EntityID]] = [:]
    for source in sources where elements[source] == nil {
      let key = try await backend.collectionKey(of: source, among: keys)
      elements[source] = try await backend.elements(of: source, key: key).map(\.target)
    }
    let found: [Model] = try await orderedModels(elements.values.flatMap(\.self), along)
    var targets: [EntityID: (place: Int, model: Model)] = [:]
    for (place, model) in found.enumerated() where targets[model.id.entityID] == nil {
      targets[model.id.entityID] = (place, model)
    }
    let isOrdered = !along.query.ordering.isEmpty
    return elements.mapValues { ids in
      let present = ids.compactMap { targets[$0] }
      return (isOrdered ? present.sorted { $0.place < $1.place } : present).map(\.model)
    }
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
      models += try await fetchReport(TypedQuery<Model>(unchecked: query(part))).models
    }
    return try await along.load(models, self) as? [Model] ?? models
  }

  /// How many values are asked for at a time; SQLite takes 32,766 at most.
  private static var batchCount: Int { 30_000 }
}

extension BackendReader {
  /// The first of some names under which an entity has a to-many property; the newest one where it has
  /// none.
  func collectionKey(of id: EntityID, among keys: [PropertyKey]) async throws -> PropertyKey {
    guard keys.count > 1 else { return keys[0] }
    for key in keys where try await isCollection(id, key) { return key }
    return keys[0]
  }
}

extension Query {
  /// How many rows there are up to the end of the window; nil where it has none.
  var windowEnd: Int? {
    guard let limit, limit > 0 else { return limit }
    let (end, overflows) = offset.addingReportingOverflow(limit)
    return overflows ? .max : end
  }
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
public struct FetchReport<Model: Persistable>: Sendable {
  /// The models, in the query's order.
  public let models: [Model]
  /// The rows that could not be read and were left out.
  public let unreadable: [UnreadableRow]
}
