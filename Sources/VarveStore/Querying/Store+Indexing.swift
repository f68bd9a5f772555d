import Synchronization
import VarveCore

extension Reading {
  /// Makes what a query would be slow without.
  func prepare(_ query: Query) async throws {
    guard !query.wantedIndexes.isEmpty, let store = self as? Store else { return }
    try await store.prepare(query.wantedIndexes)
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
