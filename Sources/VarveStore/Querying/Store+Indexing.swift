import Synchronization
import VarveCore

extension Reading {
  /// Makes what a query would be slow without.
  func prepare(_ query: Query) async throws {
    guard !query.wantedIndexes.isEmpty || query.hasSearch, let store = self as? Store else {
      return
    }
    try await store.prepare(query.wantedIndexes)
    if query.hasSearch { try await store.prepareSearch(query) }
  }
}

extension Store {
  /// Adds indexes that are not there yet, if it can: a reader can do without.
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
        // Another writer is at work; the next query tries again.
      }
    }
  }
}

extension Store {
  /// Full-text search finds the words of these properties of a type from now on: a local matter, as an
  /// index is. Queries ask for it themselves; asking before a bulk of data comes is slower, not faster.
  ///
  /// - Throws: ``VarveError``: `busy`, `readOnly`; `unsupported` where SQLite lacks FTS5.
  /// - Complexity: O(texts of the type).
  public func addSearch(on keys: [PropertyKey], of type: EntityType) async throws {
    try refuseInsideOwnWrite("addSearch")
    try refuseIfReadOnly()
    for key in keys { try Names.validate(key) }
    try await backend.addSearch(on: keys, of: type)
  }

  /// Makes the indexes and the words a model declares, if they are not there.
  func prepare<Model: Persistable>(_ schema: Schema<Model>) async throws {
    try await prepare(schema.wantedIndexes)
    guard let query = schema.searchQuery else { return }
    let mark = WantedIndex(type: schema.type, key: "\u{0}words")
    guard !indexed.withLock({ $0.contains(mark) }) else { return }
    try await prepareSearch(query)
    indexed.withLock { _ = $0.insert(mark) }
  }

  /// Makes what a full-text search needs, if it is not there.
  fileprivate func prepareSearch(_ query: Query) async throws {
    guard !configuration.isReadOnly, TransactionScope.transaction(of: self) == nil else { return }
    for (type, keys) in query.searches {
      let isThere = try await backend.read(at: .now) {
        try await $0.isSearched(keys, of: type)
      }
      if !isThere { try await backend.addSearch(on: keys, of: type) }
    }
  }
}
