import VarveCore

/// The horizons up to which history was folded, in a table that is created with that of redactions.
extension Session {
  func note(_ horizon: Horizon, n: Int64) throws {
    try makeRedactionTables()
    let insert = try connection.statement(
      "INSERT OR REPLACE INTO varve_horizon (n, time, field) VALUES (?, ?, ?)"
    )
    insert.reserve(horizon.field.bytes.count)
    insert.bind(1, n)
    insert.bind(2, horizon.time.rawValue)
    insert.bind(3, blob: horizon.field.bytes)
    try insert.run()
  }

  /// Throws if history was folded beyond a moment.
  func checkHorizons(_ moment: Moment, _ filter: MomentFilter) throws {
    guard log.hasRedactions else { return }
    let statement = try connection.ownStatement(
      "SELECT field FROM varve_horizon ORDER BY time DESC"
    )
    while try statement.step() {
      let horizon = try Horizon(encoded: statement.blob(0))
      if try lies(moment, filter, before: horizon) { throw horizon.isPassed }
    }
  }

  /// Returns whether a moment is before a horizon's time, or lacks one of its commits.
  func lies(_ moment: Moment, _ filter: MomentFilter, before horizon: Horizon) throws -> Bool {
    if case .time(let time) = moment { return time < horizon.time }
    guard let bounds = filter.bounds else { return false }
    return try self.bounds(of: horizon.frontier).contains { lineage, sequence in
      bounds[lineage] ?? 0 < sequence
    }
  }
}
