public import VarveCore

/// Models can be read from whatever can be read: the present, a past state, a snapshot, inside a
/// write.
extension Reading {
  /// The models of a query, all at once.
  ///
  /// Rows that cannot be read as the model are left out and logged; ``readout(_:)`` names them.
  ///
  /// ```swift
  /// let hats = try await store.fetch(Hat.where { $0.color == "red" }.order(\.brimSize))
  /// ```
  ///
  /// - Throws: ``VarveError``: `invalidQuery`, `unknownProperty`, and where the store cannot be read.
  /// - Complexity: O(rows looked at); with an index on what the condition compares, O(rows found ×
  ///   log entities).
  public func fetch<Model>(_ query: TypedQuery<Model>) async throws -> [Model] {
    try await readout(query).models
  }

  /// The models of a query, and the rows that could not be read as such.
  ///
  /// - Complexity: as ``fetch(_:)``.
  public func readout<Model>(_ query: TypedQuery<Model>) async throws -> Readout<Model> {
    try await prepare(query.erased)
    return try await reading { try await $0.readout(query) }
  }

  /// The first model of a query that can be read, or nil.
  ///
  /// - Complexity: as ``fetch(_:)``, for one model.
  public func first<Model>(_ query: TypedQuery<Model>) async throws -> Model? {
    try await prepare(query.erased)
    return try await reading { try await $0.first(query) }
  }

  /// The last model of a query, by its order: of its window, where it has a limit or an offset.
  /// Without an order or a window it is the one with the greatest identifier.
  public func last<Model>(_ query: TypedQuery<Model>) async throws -> Model? {
    let isWindowed = query.erased.limit != nil || query.erased.offset > 0
    guard isWindowed else { return try await first(query.reversed) }
    try await prepare(query.erased)
    return try await reading { state in
      let models = try await state.readout(query).models
      return models.last
    }
  }

  /// A model by its identifier, or nil where there is none.
  ///
  /// - Throws: ``VarveError``: `missingField` or `fieldType` where it cannot be read as the model.
  /// - Complexity: O(log entities).
  public func find<Model: Persistable>(_ id: Identifier<Model>) async throws -> Model? {
    try await reading { try await $0.find(id) }
  }

  /// A model by its identifier, where the query fetches it.
  public func find<Model>(
    _ id: Identifier<Model>,
    in query: TypedQuery<Model>
  ) async throws -> Model? {
    // A window is one of all rows, not of this one.
    guard query.erased.limit == nil, query.erased.offset == 0 else {
      return try await fetch(query).first { $0.id == id }
    }
    return try await first(query.where(.compare(.identifier, .equal, .string(id.text))))
  }

  /// A model by its identifier.
  ///
  /// - Throws: ``VarveError``: `notFound`, saying whether it is unknown or dead; `typeMismatch`;
  ///   `missingField`, `fieldType`.
  /// - Complexity: O(log entities).
  public func require<Model: Persistable>(_ id: Identifier<Model>) async throws -> Model {
    try await reading { state in
      if let model = try await state.find(id) { return model }
      guard let entity = try await state.backend.entity(id.entityID) else {
        throw try await state.backend.absence(of: id.entityID)
      }
      throw VarveError(
        .typeMismatch,
        "the entity \"\(id)\" is a \"\(entity.type)\", not a \"\(Model.schema.type)\"",
        at: "entity \(id)",
        remedy: "Read it as what it is."
      )
    }
  }

  /// Models by their identifiers, nil for each that is not there. All of one state.
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

  /// How many rows a query has, its window respected: those that cannot be read count too.
  ///
  /// - Complexity: O(log entities + counted) where an index serves the condition, else O(entities of
  ///   the type).
  public func count<Model>(_ query: TypedQuery<Model>) async throws -> Int {
    try await prepare(query.erased)
    return try await reading { try await $0.backend.count(query.erased) }
  }

  /// Whether a query has no rows.
  public func isEmpty<Model>(_ query: TypedQuery<Model>) async throws -> Bool {
    try await count(query.limit(1)) == 0
  }

  /// Whether a query has rows.
  ///
  /// - Complexity: O(log entities) where an index serves the condition, else up to O(entities of
  ///   the type).
  public func exists<Model>(_ query: TypedQuery<Model>) async throws -> Bool {
    try await !isEmpty(query)
  }

  /// Whether a query has no rows.
  public func isEmpty(_ query: Query) async throws -> Bool { try await count(query.limit(1)) == 0 }

  // MARK: Looking at queries

  /// A query as SQL that any tool can run on the store. What runs may differ.
  public func sql(_ query: Query) async throws -> SQLText {
    try await reading { try await $0.backend.sql(query) }
  }

  /// A query as SQL that any tool can run on the store.
  public func sql<Model>(_ query: TypedQuery<Model>) async throws -> SQLText {
    try await sql(query.erased)
  }

  /// The SQL that runs for a query, and how the database goes about it.
  public func explain(_ query: Query) async throws -> String {
    try await reading { try await $0.backend.explain(query) }
  }

  /// The SQL that runs for a query, and how the database goes about it.
  public func explain<Model>(_ query: TypedQuery<Model>) async throws -> String {
    try await explain(query.erased)
  }
}

extension Store {
  /// A model by its identifier, or nil where there is none. The same as ``Reading/find(_:)``, by the
  /// shortest way.
  public func find<Model: Persistable>(_ id: Identifier<Model>) async throws -> Model? {
    if let transaction = TransactionScope.transaction(of: self) {
      return try await transaction.find(id)
    }
    let schema = Model.schema
    do {
      return try await backend.row(id.entityID, of: schema.types, schema.shape) { cursor in
        try Model(row: EntityRow(cursor: cursor))
      }
    } catch let error as FieldMismatch {
      throw error.described(of: id.entityID)
    }
  }
}

extension StateReader {
  func find<Model: Persistable>(_ id: Identifier<Model>) async throws -> Model? {
    let schema = Model.schema
    do {
      return try await backend.row(id.entityID, of: schema.types, schema.shape) { cursor in
        try Model(row: EntityRow(cursor: cursor))
      }
    } catch let error as FieldMismatch {
      throw error.described(of: id.entityID)
    }
  }
}

extension FieldMismatch {
  /// The error people see.
  func described(of id: EntityID) -> VarveError {
    VarveError(
      .fieldType,
      "\"\(key)\" is \(actual), not \(wanted)",
      at: "entity \(id), property \(key)",
      remedy: "Declare a conversion for the property, or write a value of its kind."
    )
  }
}
