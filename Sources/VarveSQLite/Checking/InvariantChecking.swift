import VarveCore

/// A part of a session that owns tables and the copies of their content.
protocol InvariantChecking {
  var connection: Connection { get }

  /// Compares what it holds in memory with itself and with its tables.
  ///
  /// - Throws: ``VarveError`` with code `damaged`, which names the invariant that does not hold.
  func checkInvariants() throws
}

extension InvariantChecking {
  /// Throws if an invariant does not hold.
  func require(_ holds: Bool, _ what: @autoclosure () -> String) throws {
    guard !holds else { return }
    throw connection.damaged("an invariant does not hold: \(what())")
  }
}
