/// The names of the files that SQLite keeps for a store.
package enum StoreFileNames {
  /// What follows the store's own name in those of the files beside it: the write-ahead log, its
  /// index, and the journal of the moment in which the store is created.
  package static let companions = ["-wal", "-shm", "-journal"]

  /// Those of ``companions`` from which SQLite would change the store.
  package static let logs = ["-wal", "-journal"]

  /// The store's own file, and all that may be beside it.
  package static func all(of path: String) -> [String] {
    [path] + companions.map { path + $0 }
  }
}
