import Synchronization
public import VarveCore

extension Reading {
  /// Creates the indexes and search tables that a query needs to be fast.
  package func prepare(_ query: Query) async throws {
    let indexes = query.wantedIndexes + query.relatedIndexes
    guard !indexes.isEmpty || query.hasSearch, let store = indexedStore else { return }
    try await store.prepare(indexes)
    if query.hasSearch { try await store.prepareSearch(query) }
  }

  /// Creates the search tables of a query without a model, and the indexes that its relations need
  /// to be fast.
  package func prepareRelated(_ query: Query) async throws {
    let indexes = query.relatedIndexes
    guard !indexes.isEmpty || query.hasSearch, let store = indexedStore else { return }
    try await store.prepare(indexes)
    if query.hasSearch { try await store.prepareSearch(query) }
  }

  /// The store whose indexes serve the state.
  private var indexedStore: Store? { self as? Store ?? (self as? PastState)?.store }
}

extension Store {
  /// Creates missing indexes if this store may write now; queries are correct without them.
  package func prepare(_ indexes: [WantedIndex]) async throws {
    let missing = Set(indexes).filter { index in indexed.withLock { !$0.contains(index) } }
    guard !missing.isEmpty, !configuration.isReadOnly,
      TransactionScope.transaction(of: self) == nil
    else { return }
    for index in missing {
      let isThere = try await backend.read(at: .now) {
        try await $0.isIndexed(index.keys, of: index.type)
      }
      do {
        if !isThere { try await backend.addIndex(on: index.keys, of: index.type) }
        indexed.withLock { _ = $0.insert(index) }
      } catch let error as VarveError where [.busy, .readOnly].contains(error.code) {
        // Another writer is active, or this user may only read; the next query tries again.
      }
    }
  }

  /// Creates and keeps an index on several properties of a type, so that queries need not examine
  /// every entity if they compare the first properties with values, or compare all but the last and
  /// sort by that one. Does nothing if the index exists.
  ///
  /// It is kept as that of ``addIndex(on:of:)-(PropertyKey,_)``.
  ///
  /// - Throws: ``VarveError``: `busy`, `readOnly`, `invalidArgument` for a name over 64 KiB, for no
  ///   property, and for one that is named twice.
  /// - Complexity: O(entities of the type × log entities).
  public func addIndex(on keys: [PropertyKey], of type: EntityType) async throws {
    try await backend.addIndex(on: checkedForIndex(keys, type, "addIndex"), of: type)
  }

  /// Drops the index on properties of a type, if there is one. A model that declares it creates it
  /// again.
  ///
  /// - Returns: whether there was one.
  /// - Throws: as ``addIndex(on:of:)-([PropertyKey],_)``.
  @discardableResult
  public func removeIndex(on keys: [PropertyKey], of type: EntityType) async throws -> Bool {
    let keys = try checkedForIndex(keys, type, "removeIndex")
    let isThere = try await backend.read(at: .now) { try await $0.isIndexed(keys, of: type) }
    try await backend.removeIndex(on: keys, of: type)
    indexed.withLock { _ = $0.remove(WantedIndex(type: type, keys: keys)) }
    return isThere
  }

  private func checkedForIndex(
    _ keys: [PropertyKey],
    _ type: EntityType,
    _ call: String
  ) throws -> [PropertyKey] {
    try refuseInsideOwnWrite(call)
    try refuseIfReadOnly()
    try Names.validate(type)
    for key in keys { try Names.validate(key) }
    guard !keys.isEmpty, Set(keys).count == keys.count else {
      throw VarveError(
        .invalidArgument,
        keys.isEmpty ? "an index has no property" : "an index has a property twice",
        at: "index of \"\(type)\"",
        remedy: "Name each property of the index once."
      )
    }
    return keys
  }
}

extension Store {
  /// Enables full-text search of these properties of a type, like an index: in this copy only.
  ///
  /// Queries enable it themselves. Calling this before importing much data is slower, not faster.
  ///
  /// - Parameters:
  ///   - keys: the properties.
  ///   - type: the type of the entities.
  ///   - tokenizer: how texts are cut into words; nil to keep what a property has, which is
  ///     ``SearchTokenizer/words`` at first. Another tokenizer takes the place of the former.
  /// - Throws: ``VarveError``: `busy`, `readOnly`; `unsupported` if SQLite lacks FTS5.
  /// - Complexity: O(texts of the type).
  public func addSearch(
    on keys: [PropertyKey],
    of type: EntityType,
    by tokenizer: SearchTokenizer? = nil
  ) async throws {
    try refuseInsideOwnWrite("addSearch")
    try refuseIfReadOnly()
    for key in keys { try Names.validate(key) }
    try await backend.addSearch(on: keys.map { SearchWish($0, by: tokenizer) }, of: type)
  }

  /// Ends the full-text search of properties of a type. A search enables it again.
  ///
  /// - Returns: whether any of them was prepared for search.
  /// - Throws: ``VarveError``: `busy`, `readOnly`.
  /// - Complexity: O(texts of the type).
  @discardableResult
  public func removeSearch(on keys: [PropertyKey], of type: EntityType) async throws -> Bool {
    try refuseInsideOwnWrite("removeSearch")
    try refuseIfReadOnly()
    let isThere = try await backend.read(at: .now) { reader in
      for key in keys where try await reader.isSearched([SearchWish(key)], of: type) { return true }
      return false
    }
    try await backend.removeSearch(on: keys, of: type)
    indexed.withLock { _ = $0.remove(.words(of: type)) }
    return isThere
  }

  /// Creates the tables that a full-text search needs, if they do not exist.
  package func prepareSearch(_ query: Query) async throws {
    guard !configuration.isReadOnly, TransactionScope.transaction(of: self) == nil else { return }
    for (type, wishes) in query.searches {
      let isThere = try await backend.read(at: .now) {
        try await $0.isSearched(wishes, of: type)
      }
      if !isThere { try await backend.addSearch(on: wishes, of: type) }
    }
  }
}

extension Reading {
  /// Returns whether all of some properties of a type are prepared for full-text search.
  package func isSearchable(_ keys: [PropertyKey], of type: EntityType) async throws -> Bool {
    try await reading { try await $0.reader.isSearched(keys.map { SearchWish($0) }, of: type) }
  }
}

extension WantedIndex {
  /// The mark that the searchable properties of a model are prepared.
  package static func words(of type: EntityType) -> WantedIndex {
    WantedIndex(type: type, key: "\u{0}words")
  }
}
