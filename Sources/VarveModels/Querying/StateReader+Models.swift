import VarveCore
public import VarveEntities

extension StateReader {
  /// Returns the models of a query with the relations it loads.
  func fetch<Model>(_ query: TypedQuery<Model>) async throws -> [Model] {
    try await fetchReport(query, rules.unreadableRows).models
  }

  /// Returns the models of a query with the relations it loads, and the rows that could not be
  /// read, unless the policy refuses them.
  func fetchReport<Model>(
    _ query: TypedQuery<Model>,
    _ policy: UnreadableRowPolicy
  ) async throws -> FetchReport<Model> {
    var (models, unreadable) = try await readable(query.untyped, of: Model.schema, policy: policy) {
      try Model.readAll($0)
    }
    for inclusion in query.inclusions { try await inclusion.load(&models, self) }
    UnreadableLog.note(unreadable)
    return FetchReport(models: models, unreadable: unreadable)
  }

  /// Returns the first model of a query that can be read.
  func first<Model>(_ query: TypedQuery<Model>) async throws -> Model? {
    try await fetch(query.limit(1)).first
  }

  /// Returns the rows of a query that can be read, and those that cannot. The limit and the offset
  /// apply to the former.
  func readable<Model, Element>(
    _ query: Query,
    of schema: Schema<Model>,
    _ shape: RowShape? = nil,
    policy: UnreadableRowPolicy,
    _ read: (EntityRows) throws -> [Element]
  ) async throws -> ([Element], [UnreadableRow]) {
    let end = query.windowEnd
    let all = query.withoutWindow
    var (elements, unreadable) = try await reader.rows(
      end.map { all.limit($0) } ?? all,
      shape ?? schema.shape
    ) { cursor in
      let rows = EntityRows(cursor, type: schema.type, policy: policy)
      return (try read(rows), rows.unreadable)
    }
    // Rows that cannot be read took the places of others.
    if let end, !unreadable.isEmpty, elements.count + unreadable.count >= end {
      (elements, unreadable) = try await reader.rows(all, shape ?? schema.shape) { cursor in
        let rows = EntityRows(cursor, type: schema.type, limit: end)
        return (try read(rows), rows.unreadable)
      }
    }
    return (query.offset == 0 ? elements : Array(elements.dropFirst(query.offset)), unreadable)
  }

  /// Returns models by their identifiers.
  func models<Model: Persistable>(
    _ ids: [EntityID],
    _ along: AlongQuery
  ) async throws -> [EntityID: Model] {
    let found: [Model] = try await orderedModels(ids, along)
    return Dictionary(found.map { ($0.id.entityID, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// Returns models by their identifiers, in the order of the query.
  private func orderedModels<Model: Persistable>(
    _ ids: [EntityID],
    _ along: AlongQuery
  ) async throws -> [Model] {
    let wanted = Set(ids)
    if wanted.count > Self.batchCount, !along.query.ordering.isEmpty {
      // Several statements would sort each part by itself.
      let all: [Model] = try await fetch(TypedQuery<Model>(unchecked: along.query))
      let found = all.filter { wanted.contains($0.id.entityID) }
      return try await along.load(found, self) as? [Model] ?? found
    }
    return try await models(Array(wanted), along) { ids in
      along.query.where(.isIn(.identifier, ids.map { .string($0.text) }))
    }
  }

  /// Returns the models that refer to others, grouped by the entity they refer to.
  func models<Model: Persistable>(
    referringTo ids: [EntityID],
    by inverse: AnyKeyPath,
    _ along: AlongQuery
  ) async throws -> [EntityID: [Model]] {
    guard let field = Model.schema.field(inverse), let relation = field.relation else {
      throw VarveError(
        .invalidQuery,
        "the inverse of a relation is not a reference in \(Model.self)'s schema",
        at: "schema of \(Model.self)",
        remedy: "Name the property that refers back, with its key path."
      )
    }
    let found: [Model] = try await models(ids, along) { ids in
      along.query.where(.isIn(field.column.field, ids.map { .reference($0) }))
    }
    return Dictionary(grouping: found) { relation.ids($0)?.first ?? $0.id.entityID }
  }

  /// Returns the models in to-many properties, grouped by owner: in the order of the query or,
  /// without one, of the property.
  ///
  /// - Parameter keys: the name of the property, and its names in older versions of the model.
  func models<Model: Persistable>(
    in keys: [PropertyKey],
    of sources: [EntityID],
    _ along: AlongQuery
  ) async throws -> [EntityID: [Model]] {
    var elements: [EntityID: [EntityID]] = [:]
    for source in sources where elements[source] == nil {
      let key = try await reader.collectionKey(of: source, among: keys)
      elements[source] = try await reader.elements(of: source, key: key).map(\.target)
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

  /// Reads models by many values, as many at a time as one statement takes.
  private func models<Model: Persistable>(
    _ ids: [EntityID],
    _ along: AlongQuery,
    _ query: ([EntityID]) -> Query
  ) async throws -> [Model] {
    var models: [Model] = []
    for start in stride(from: 0, to: ids.count, by: Self.batchCount) {
      let part = Array(ids[start..<min(start + Self.batchCount, ids.count)])
      models += try await fetch(TypedQuery<Model>(unchecked: query(part)))
    }
    return try await along.load(models, self) as? [Model] ?? models
  }

  /// The number of values per statement. SQLite allows 32,766.
  private static var batchCount: Int { 30_000 }
}

extension BackendReader {
  /// Returns the first of some names under which an entity has a to-many property, or the newest
  /// name if it has none.
  func collectionKey(of id: EntityID, among keys: [PropertyKey]) async throws -> PropertyKey {
    guard keys.count > 1 else { return keys[0] }
    for key in keys where try await isCollection(id, key) { return key }
    return keys[0]
  }
}

extension Query {
  /// The number of rows up to the end of the limit, or nil if there is no limit.
  var windowEnd: Int? {
    guard let limit, limit > 0 else { return limit }
    let (end, overflows) = offset.addingReportingOverflow(limit)
    return overflows ? .max : end
  }
}

extension EntityRows {
  /// Returns the first row that can be read.
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

/// The result of a query of models.
public struct FetchReport<Model: Persistable>: Sendable {
  /// The models, in the query's order.
  public let models: [Model]
  /// The rows that could not be read and were omitted.
  public let unreadable: [UnreadableRow]
}
