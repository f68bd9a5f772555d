import VarveCore

/// The file of a store that a connection has open.
extension Connection {
  /// Opens a database, and finds out in which state a file is read alone.
  static func open(
    _ name: DatabaseName,
    isReadOnly: Bool
  ) throws -> (DatabaseHandle, StillFile?) {
    guard isReadOnly, name.isStore else {
      return (try DatabaseHandle(opening: name.path, of: name, isReadOnly: isReadOnly), nil)
    }
    while true {
      let still = StillFile(name)
      do {
        let path = name.forReading(still).path
        return (try DatabaseHandle(opening: path, of: name, isReadOnly: true), still)
      } catch {
        guard name.removeOwnLog() else { throw error }
      }
    }
  }

  /// Whether the file is in the state in which it is read alone, if it is.
  var isCurrent: Bool { still == nil || StillFile(name) == still }

  /// Whether the connection has the store's present key, which may have been changed since it was
  /// opened.
  var hasPresentKey: Bool { name.key?.generation == keyGeneration }

  /// The error of a key that is no longer the file's; nil if it is, and for plain files.
  ///
  /// SQLCipher reports a page of the log that it cannot decrypt as a lack of memory. So the file is
  /// opened again, which tells the two apart.
  var refusalOfKey: VarveError? {
    guard let key = name.key, let generation = keyGeneration else { return nil }
    guard !key.isChanging, key.generation == generation else {
      return key.refusal(generation: generation, at: place)
    }
    do {
      try DatabaseHandle(opening: name.path, of: name, isReadOnly: true).close()
      return nil
    } catch {
      return name.refusal(of: error, generation: generation)
    }
  }

  /// Reads the first page, so that the open transaction sees the state of now, whatever key the file
  /// gets meanwhile.
  func readFirstPage() throws { _ = try integer("PRAGMA main.schema_version") }

  /// The identity of the store's file; nil for other databases, and where it says nothing.
  var file: FileIdentity? { use?.identity }

  /// What became of the write-ahead log's name.
  var logFate: FileUse.LogFate { use?.logFate ?? .kept }
}
