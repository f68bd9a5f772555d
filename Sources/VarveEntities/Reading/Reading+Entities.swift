public import VarveCore

extension Reading {
  /// Returns a live entity, or nil if there is none with the identifier.
  ///
  /// - Throws: ``VarveError`` if the store cannot be read.
  /// - Complexity: O(log entities).
  public func entity(_ id: EntityID) async throws -> StoredEntity? {
    try await reading { try await $0.reader.entity(id) }
  }

  /// Returns a live entity.
  ///
  /// - Throws: ``VarveError`` with code `notFound` and a message that states whether the identifier
  ///   is unknown, erased, or dead with its owners.
  /// - Complexity: O(log entities).
  public func require(_ id: EntityID) async throws -> StoredEntity {
    try await reading { state in
      if let entity = try await state.reader.entity(id) { return entity }
      throw try await state.reader.absence(of: id)
    }
  }

  /// Returns entities in the order of their identifiers, with nil for each that is not live. All
  /// are of one state.
  ///
  /// - Complexity: O(identifiers × log entities).
  public func entities(_ ids: [EntityID]) async throws -> [StoredEntity?] {
    try await reading { state in
      var entities: [StoredEntity?] = []
      entities.reserveCapacity(ids.count)
      for id in ids { entities.append(try await state.reader.entity(id)) }
      return entities
    }
  }

  /// Returns whether live entities equal the given ones. All are of one state.
  package func likenesses(_ likenings: [Likening]) async throws -> [Likeness] {
    try await reading { try await $0.reader.likenesses(likenings) }
  }

  /// Returns some values of a live entity, in the order of the keys, with nil for each property
  /// that has none; nil if there is no such entity.
  ///
  /// ```swift
  /// let then = try await store.asOf(lastMonday).values(of: "hat-1", ["color", "size"])
  /// ```
  ///
  /// - Complexity: O(log entities); for a past state, O(the entity's own history and its owners').
  public func values(of id: EntityID, _ keys: [PropertyKey]) async throws -> [Value?]? {
    try await entity(id).map { entity in keys.map { entity[$0] } }
  }

  /// Returns the status of an identifier: live, erased, dead with its owners, or unknown.
  ///
  /// - Complexity: O(log entities).
  public func status(of id: EntityID) async throws -> EntityStatus {
    try await reading { try await $0.reader.status(of: id) }
  }

  /// Returns all entities that a query matches.
  ///
  /// - Throws: ``VarveError`` if the store cannot be read.
  /// - Complexity: O(log entities + results) if an index covers condition and order; otherwise
  ///   O(entities of the type), and O(n log n) for sorting.
  public func fetch(_ query: Query) async throws -> [StoredEntity] {
    try await prepareRelated(query)
    return try await reading { try await $0.reader.fetch(query) }
  }

  /// Returns the identifiers of the entities that a query matches, in its order.
  package func ids(of query: Query) async throws -> [EntityID] {
    try await prepareRelated(query)
    return try await reading { try await $0.reader.ids(of: query) }
  }

  /// Returns the first entity that a query matches, or nil.
  ///
  /// - Throws: ``VarveError`` if the store cannot be read.
  /// - Complexity: as `fetch(_:)`, for one entity.
  public func first(_ query: Query) async throws -> StoredEntity? {
    try await fetch(query.limit(1)).first
  }

  /// Returns the number of entities that a query would fetch, respecting its limit.
  ///
  /// - Throws: ``VarveError`` if the store cannot be read.
  /// - Complexity: O(log entities + counted) if an index covers the condition; otherwise O(entities
  ///   of the type).
  public func count(_ query: Query) async throws -> Int {
    try await prepareRelated(query)
    return try await reading { try await $0.reader.count(query) }
  }

  /// Returns whether a query matches any entity.
  ///
  /// - Throws: ``VarveError`` if the store cannot be read.
  /// - Complexity: as ``count(_:)-(Query)``, for one entity.
  public func exists(_ query: Query) async throws -> Bool { try await count(query.limit(1)) > 0 }

  /// Returns whether an entity is live.
  ///
  /// - Throws: ``VarveError`` if the store cannot be read.
  /// - Complexity: O(log entities).
  public func exists(_ id: EntityID) async throws -> Bool {
    if case .live = try await status(of: id) { true } else { false }
  }

  /// Streams the entities that a query matches, in pages of a thousand. See
  /// ``stream(_:pageSize:)``.
  public func stream(_ query: Query) -> EntityStream { stream(query, pageSize: 1_000) }

  /// Streams the entities that a query matches, all from one state.
  public func stream(_ query: Query, pageSize: Int) -> EntityStream {
    EntityStream(pageSize: pageSize) { [self] size, pages in
      try await prepareRelated(query)
      try await reading { state in
        pages.follow(state.rules)
        try await state.reader.fetch(query, pageSize: size) { await pages.offer($0) }
      }
    }
  }

  /// Returns the identifiers of all live entities of all types, in creation order (R5).
  ///
  /// - Throws: ``VarveError`` if the store cannot be read.
  /// - Complexity: O(entities × log entities).
  public func allIDs() async throws -> [EntityID] {
    try await reading { try await $0.reader.idsInCreationOrder() }
  }

  /// Returns the types of live entities and the number of each, in byte order of the type; the type
  /// of prototypes is included.
  ///
  /// - Complexity: O(live entities).
  public func types() async throws -> [TypeCount] {
    try await reading { state in
      try await state.reader.types().map { TypeCount(type: $0.type, count: $0.count) }
    }
  }
}
