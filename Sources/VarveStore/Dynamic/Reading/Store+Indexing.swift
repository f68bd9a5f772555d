import Synchronization
import VarveCore

extension Reading {
  /// Creates the indexes and search tables that a query needs to be fast.
  func prepare(_ query: Query) async throws {
    let indexes = query.wantedIndexes + query.relatedIndexes
    guard !indexes.isEmpty || query.hasSearch, let store = self as? Store else { return }
    try await store.prepare(indexes)
    if query.hasSearch { try await store.prepareSearch(query) }
  }
}

extension Reading {
  /// Creates the indexes that the relations of a query need to be fast.
  func prepareRelated(_ query: Query) async throws {
    guard let store = self as? Store else { return }
    let indexes = query.relatedIndexes
    if !indexes.isEmpty { try await store.prepare(indexes) }
  }
}

extension Store {
  /// Creates missing indexes if this store may write now; queries are correct without them.
  func prepare(_ indexes: [WantedIndex]) async throws {
    let missing = indexes.filter { index in indexed.withLock { !$0.contains(index) } }
    guard !missing.isEmpty, !configuration.isReadOnly,
      TransactionScope.transaction(of: self) == nil
    else { return }
    for index in missing {
      let isThere = try await backend.read(at: .now) {
        try await $0.isIndexed(index.key, of: index.type)
      }
      do {
        if !isThere { try await backend.addIndex(on: index.key, of: index.type) }
        indexed.withLock { _ = $0.insert(index) }
      } catch let error as VarveError where error.code == .busy {
        // Another writer is active; the next query tries again.
      }
    }
  }
}

extension Store {
  /// Enables full-text search of these properties of a type, like an index: in this copy only.
  ///
  /// Queries enable it themselves. Calling this before importing much data is slower, not faster.
  ///
  /// - Throws: ``VarveError``: `busy`, `readOnly`; `unsupported` if SQLite lacks FTS5.
  /// - Complexity: O(texts of the type).
  public func addSearch(on keys: [PropertyKey], of type: EntityType) async throws {
    try refuseInsideOwnWrite("addSearch")
    try refuseIfReadOnly()
    for key in keys { try Names.validate(key) }
    try await backend.addSearch(on: keys, of: type)
  }

  /// Creates the tables that a full-text search needs, if they do not exist.
  func prepareSearch(_ query: Query) async throws {
    guard !configuration.isReadOnly, TransactionScope.transaction(of: self) == nil else { return }
    for (type, keys) in query.searches {
      let isThere = try await backend.read(at: .now) {
        try await $0.isSearched(keys, of: type)
      }
      if !isThere { try await backend.addSearch(on: keys, of: type) }
    }
  }
}
