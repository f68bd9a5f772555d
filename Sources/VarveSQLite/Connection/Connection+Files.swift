/// The file of a store that a connection has open.
extension Connection {
  /// Opens a database, and finds out in which state a file is read alone.
  static func open(
    _ name: DatabaseName,
    isReadOnly: Bool
  ) throws -> (DatabaseHandle, StillFile?) {
    guard isReadOnly, name.isStore else {
      return (try DatabaseHandle(opening: name.path, isReadOnly: isReadOnly), nil)
    }
    while true {
      let still = StillFile(name)
      do {
        let path = name.forReading(still).path
        return (try DatabaseHandle(opening: path, isReadOnly: true), still)
      } catch {
        guard name.removeOwnLog() else { throw error }
      }
    }
  }

  /// Whether the file is in the state in which it is read alone, if it is.
  var isCurrent: Bool { still == nil || StillFile(name) == still }

  /// The identity of the store's file; nil for other databases, and where it says nothing.
  var file: FileIdentity? { use?.identity }

  /// What became of the write-ahead log's name.
  var logFate: FileUse.LogFate { use?.logFate ?? .kept }
}
