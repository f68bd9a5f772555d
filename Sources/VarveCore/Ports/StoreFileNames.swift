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

  /// Returns the suffix that makes a name that of a file beside a store; nil if it has none.
  ///
  /// Some file systems do not tell upper from lower case.
  package static func companionSuffix(of path: String) -> String? {
    let path = path.lowercased()
    return companions.first(where: path.hasSuffix)
  }

  /// Throws if SQLite would take a database of a name for a file that it keeps beside another, and
  /// remove it with the last connection to that one.
  ///
  /// - Throws: ``VarveError`` with code `invalidArgument`.
  package static func requireOwnName(_ path: String, at place: String) throws {
    guard let suffix = companionSuffix(of: path) else { return }
    throw VarveError(
      .invalidArgument,
      "the name ends in \(suffix), like a file that SQLite keeps beside a store and removes",
      at: place,
      remedy: "Choose a name that does not, such as \(place).varve."
    )
  }
}
