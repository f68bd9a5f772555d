import VarveCore

/// The reads that a store which began with outlines can serve.
extension Session {
  /// Records a horizon up to which commits arrive as outlines.
  func expectOutlines(of horizon: Horizon) throws {
    try log.makeAwaitedTables()
    let insert = try connection.statement("INSERT INTO varve_outline (field) VALUES (?)")
    insert.reserve(horizon.field.bytes.count)
    insert.bind(1, blob: horizon.field.bytes)
    try insert.run()
    try catalogue.setAwaits(.present)
  }

  /// Updates the part of the store that is still awaited.
  ///
  /// - Parameter isEnded: whether no peer is about to send more.
  func updateAwaits(isEnded: Bool = false) throws {
    guard catalogue.awaits != .nothing else { return }
    let hasOutlines =
      try connection.integer("SELECT 1 FROM varve_awaited WHERE is_outline = 1 LIMIT 1") != nil
    let isPresent = try outlineHorizons().allSatisfy { horizon in
      try log.bounds(of: horizon.frontier).allSatisfy { lineage, sequence in
        try log.lineages[lineage].map { $0.appliedSequence >= sequence } ?? false
      } && horizon.frontier.heads.allSatisfy { try log.lineageHolding($0) != nil }
    }
    if !hasOutlines, isPresent || isEnded {
      try connection.execute("DELETE FROM varve_outline")
      try catalogue.setAwaits(.nothing)
    } else {
      try catalogue.setAwaits(isPresent ? .history : .present)
    }
  }

  private func outlineHorizons() throws -> [Horizon] {
    let statement = try connection.ownStatement("SELECT field FROM varve_outline")
    var horizons: [Horizon] = []
    while try statement.step() { horizons.append(try Horizon(encoded: statement.blob(0))) }
    return horizons
  }

  /// Throws if the present is still to come.
  func requirePresent() throws {
    guard catalogue.awaits == .present else { return }
    throw Horizon.awaited("this is the beginning of a first synchronisation: it needs a present")
  }

  /// Throws if history is still to come.
  func requireHistory(for what: String) throws {
    guard catalogue.awaits != .nothing else { return }
    throw Horizon.awaited("\(what) needs history")
  }

  /// Throws if a moment depends on history that is still to come.
  func checkOutlines(_ moment: Moment, _ filter: MomentFilter) throws {
    guard catalogue.awaits != .nothing else { return }
    for horizon in try outlineHorizons() where try log.lies(moment, filter, before: horizon) {
      throw horizon.isAwaited
    }
  }
}
