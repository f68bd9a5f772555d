/// The names of the files that SQLite keeps for a store.
package enum StoreFileNames {
  /// The suffixes of the files beside a store: the write-ahead log, its index, and the journal that
  /// exists while the store is created.
  package static let companions = ["-wal", "-shm", "-journal"]

  /// The suffixes of the files from which SQLite would change the store.
  package static let logs = ["-wal", "-journal"]

  /// The store's own file, and all files that may stand beside it.
  package static func all(of path: String) -> [String] {
    [path] + companions.map { path + $0 }
  }
}
