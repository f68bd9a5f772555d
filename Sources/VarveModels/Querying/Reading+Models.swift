public import VarveCore
public import VarveEntities

/// Reads models from any state: the present, a past state, a snapshot, or the state within a write.
extension Reading {
  /// Returns the models of a query, all at once.
  ///
  /// Rows that cannot be read as the model are omitted and logged, unless
  /// ``Store/Configuration/unreadableRows`` refuses them; ``fetchReport(_:)`` returns them.
  ///
  /// ```swift
  /// let hats = try await store.fetch(Hat.where { $0.color == "red" }.order(by: \.brimSize))
  /// ```
  ///
  /// - Throws: ``VarveError``: `invalidQuery`, `unknownProperty`, and the errors of reading the
  ///   store.
  /// - Complexity: O(rows examined); with an index on the compared properties, O(rows found × log
  ///   entities).
  public func fetch<Model>(_ query: TypedQuery<Model>) async throws -> [Model] {
    try await prepare(query.untyped)
    return try await reading { try await $0.fetch(query) }
  }

  /// Returns the models of a query, and the rows that could not be read as the model.
  ///
  /// - Complexity: as `fetch(_:)`.
  public func fetchReport<Model>(_ query: TypedQuery<Model>) async throws -> FetchReport<Model> {
    try await prepare(query.untyped)
    return try await reading { try await $0.fetchReport(query, .omit) }
  }

  /// Returns the first model of a query that can be read, or nil.
  ///
  /// - Complexity: as `fetch(_:)`, for one model.
  public func first<Model>(_ query: TypedQuery<Model>) async throws -> Model? {
    try await prepare(query.untyped)
    return try await reading { try await $0.first(query) }
  }

  /// Returns the last model of a query, by its order and within its limit and offset. Without an
  /// order, a limit and an offset, it is the one with the greatest identifier.
  public func last<Model>(_ query: TypedQuery<Model>) async throws -> Model? {
    let isWindowed = query.untyped.limit != nil || query.untyped.offset > 0
    guard isWindowed else { return try await first(query.reversed) }
    try await prepare(query.untyped)
    return try await reading { state in
      try await state.fetch(query).last
    }
  }

  /// Returns a model by its identifier, or nil if there is none.
  ///
  /// - Throws: ``VarveError`` with code `missingField` or `fieldType` if it cannot be read as the
  ///   model.
  /// - Complexity: O(log entities).
  public func find<Model: Persistable>(_ id: Identifier<Model>) async throws -> Model? {
    try await reading { try await $0.find(id) }
  }

  /// Returns a model by its identifier if the query fetches it, or nil.
  public func find<Model>(
    _ id: Identifier<Model>,
    in query: TypedQuery<Model>
  ) async throws -> Model? {
    // A limit or an offset applies to all rows, not to this one.
    guard query.untyped.limit == nil, query.untyped.offset == 0 else {
      return try await fetch(query).first { $0.id == id }
    }
    return try await first(query.where(.compare(.identifier, .equal, .string(id.text))))
  }

  /// Returns a model by its identifier.
  ///
  /// - Throws: ``VarveError``: `notFound`, with a message that states whether it is unknown or
  ///   dead; `typeMismatch`; `missingField`, `fieldType`.
  /// - Complexity: O(log entities).
  public func require<Model: Persistable>(_ id: Identifier<Model>) async throws -> Model {
    try await reading { state in
      if let model = try await state.find(id) { return model }
      guard let entity = try await state.reader.entity(id.entityID) else {
        throw try await state.reader.absence(of: id.entityID)
      }
      throw VarveError(
        .typeMismatch,
        "the entity \"\(id)\" is a \"\(entity.type)\", not a \"\(Model.schema.type)\"",
        at: "entity \(id)",
        remedy: "Read it as its own type.",
        entity: id.entityID
      )
    }
  }

  /// Returns models by their identifiers, nil for each that does not exist. All are of one state.
  ///
  /// - Complexity: O(identifiers × log entities).
  public func find<Model: Persistable>(_ ids: [Identifier<Model>]) async throws -> [Model?] {
    try await reading { state in
      let found: [EntityID: Model] = try await state.models(
        ids.map(\.entityID),
        AlongQuery(Model.all)
      )
      return ids.map { found[$0.entityID] }
    }
  }

  /// Returns the number of rows of a query, within its limit and offset. Rows that cannot be read
  /// count too.
  ///
  /// - Complexity: O(log entities + rows) if an index serves the condition; otherwise O(entities of
  ///   the type).
  public func count<Model>(_ query: TypedQuery<Model>) async throws -> Int {
    try await prepare(query.untyped)
    return try await reading { try await $0.reader.count(query.untyped) }
  }

  /// Returns whether a query has no rows.
  public func isEmpty<Model>(_ query: TypedQuery<Model>) async throws -> Bool {
    try await count(query.limit(1)) == 0
  }

  /// Returns whether a query has rows.
  ///
  /// - Complexity: O(log entities) if an index serves the condition; otherwise up to O(entities of
  ///   the type).
  public func exists<Model>(_ query: TypedQuery<Model>) async throws -> Bool {
    try await !isEmpty(query)
  }

  /// Returns whether an entity is live and of the model's type.
  ///
  /// - Complexity: O(log entities).
  public func exists<Model: Persistable>(_ id: Identifier<Model>) async throws -> Bool {
    guard case .live(let type) = try await status(of: id.entityID) else { return false }
    return Model.schema.types.contains(type)
  }

  /// Returns whether a query has no rows.
  public func isEmpty(_ query: Query) async throws -> Bool { try await count(query.limit(1)) == 0 }

  // MARK: Looking at queries

  /// Returns a query as SQL that any tool can run on the store.
  ///
  /// It gives the rows that the query fetches where columns hold values of one kind; rows that are
  /// equal in the query's order may come in another one. What runs is another statement, which
  /// binds every value and uses functions that only Varve defines: `explain(_:)` shows it.
  public func sql(_ query: Query) async throws -> SQLText {
    try await reading { try await $0.reader.sql(query) }
  }

  /// Returns a query as SQL that any tool can run on the store.
  public func sql<Model>(_ query: TypedQuery<Model>) async throws -> SQLText {
    try await sql(query.untyped)
  }

  /// Returns the SQL that runs for a query, and the database's query plan.
  public func explain(_ query: Query) async throws -> String {
    try await reading { try await $0.reader.explain(query) }
  }

  /// Returns the SQL that runs for a query, and the database's query plan.
  public func explain<Model>(_ query: TypedQuery<Model>) async throws -> String {
    try await explain(query.untyped)
  }
}

extension StateReader {
  func find<Model: Persistable>(_ id: Identifier<Model>) async throws -> Model? {
    let schema = Model.schema
    do {
      return try await reader.row(id.entityID, of: schema.types, schema.shape) { cursor in
        try Model(row: EntityRow(cursor: cursor))
      }
    } catch let error as FieldMismatch {
      throw error.described(of: id.entityID)
    }
  }
}

extension FieldMismatch {
  /// Returns the error as users see it.
  func described(of id: EntityID) -> VarveError {
    VarveError(
      .fieldType,
      "\"\(key)\" is \(actual), not \(wanted)",
      at: "entity \(id), property \(key)",
      remedy: "Declare a conversion for the property, or write a value of its kind.",
      entity: id,
      property: key
    )
  }
}
