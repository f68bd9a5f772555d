public import VarveCore

extension Reading {
  /// A live entity, or nil where there is none of that identifier.
  ///
  /// - Throws: ``VarveError`` where the store cannot be read.
  /// - Complexity: O(log entities).
  public func entity(_ id: EntityID) async throws -> Entity? {
    try await reading { try await $0.backend.entity(id) }
  }

  /// A live entity.
  ///
  /// - Throws: ``VarveError`` with code `notFound`, saying whether the identifier is unknown,
  ///   erased, or dead with its owners.
  /// - Complexity: O(log entities).
  public func require(_ id: EntityID) async throws -> Entity {
    try await reading { state in
      if let entity = try await state.backend.entity(id) { return entity }
      throw try await state.backend.absence(of: id)
    }
  }

  /// Entities in the order asked, nil for each that is not live. All of one state.
  ///
  /// - Complexity: O(identifiers × log entities).
  public func entities(_ ids: [EntityID]) async throws -> [Entity?] {
    try await reading { state in
      var entities: [Entity?] = []
      entities.reserveCapacity(ids.count)
      for id in ids { entities.append(try await state.backend.entity(id)) }
      return entities
    }
  }

  /// Whether live entities are as given. All of one state.
  package func likenesses(_ likenings: [Likening]) async throws -> [Likeness] {
    try await reading { try await $0.backend.likenesses(likenings) }
  }

  /// What is known of an identifier: live, erased, dead with its owners, or nothing.
  ///
  /// - Complexity: O(log entities).
  public func status(of id: EntityID) async throws -> EntityStatus {
    try await reading { try await $0.backend.status(of: id) }
  }

  /// The entities a query asks for, all at once.
  ///
  /// - Throws: ``VarveError`` where the store cannot be read.
  /// - Complexity: O(log entities + answered) where an index serves condition and order; else O(entities of
  ///   the type), and O(n log n) where they are put in order.
  public func fetch(_ query: Query) async throws -> [Entity] {
    try await reading { try await $0.backend.fetch(query) }
  }

  /// The first entity a query asks for, or nil.
  ///
  /// - Throws: ``VarveError`` where the store cannot be read.
  /// - Complexity: as ``fetch(_:)``, for one entity.
  public func first(_ query: Query) async throws -> Entity? {
    try await fetch(query.limit(1)).first
  }

  /// How many entities a query would fetch, its limit respected.
  ///
  /// - Throws: ``VarveError`` where the store cannot be read.
  /// - Complexity: O(log entities + counted) where an index serves the condition, else O(entities of
  ///   the type).
  public func count(_ query: Query) async throws -> Int {
    try await reading { try await $0.backend.count(query) }
  }

  /// The entities a query asks for, a thousand read at a time. See ``stream(_:pageSize:)``.
  public func stream(_ query: Query) -> EntityStream { stream(query, pageSize: 1_000) }

  /// The entities a query asks for, one after another, of one state.
  public func stream(_ query: Query, pageSize: Int) -> EntityStream {
    EntityStream(pageSize: pageSize) { [self] size, pages in
      try await reading { state in
        try await state.backend.fetch(query, pageSize: size) { await pages.offer($0) }
      }
    }
  }

  /// The identifiers of all live entities, of whatever type, in the order of their creation (R5).
  ///
  /// - Throws: ``VarveError`` where the store cannot be read.
  /// - Complexity: O(entities × log entities).
  public func allIDs() async throws -> [EntityID] {
    try await reading { try await $0.backend.idsInCreationOrder() }
  }

  /// The types of live entities and how many there are of each, in byte order of the type; that of
  /// prototypes among them.
  ///
  /// - Complexity: O(live entities).
  public func types() async throws -> [TypeCount] {
    try await reading { state in
      try await state.backend.types().map { TypeCount(type: $0.type, count: $0.count) }
    }
  }
}
