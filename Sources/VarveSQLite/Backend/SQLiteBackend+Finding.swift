package import VarveCore

extension SQLiteBackend {
  /// A single statement reads one state by itself, so no transaction is begun.
  package func row<Result>(
    _ id: EntityID,
    of types: [EntityType],
    _ shape: RowShape,
    _ body: (any RowCursor) throws -> Result
  ) async throws -> Result? {
    guard location != .inMemory, types.count == 1 else {
      return try await read(at: .now) { try await $0.row(id, of: types, shape, body) }
    }
    try checkOpen()
    try await requireUpToDate()
    let answer = try readAlone(id, of: types[0], shape, body)
    noteUse()
    await FairTurns.yieldIfDue()
    switch answer {
    case .found(let result): return result
    case .missing: return nil
    case .unknown: return try await read(at: .now) { try await $0.row(id, of: types, shape, body) }
    }
  }

  private enum Answer<Result> {
    case found(Result)
    case missing
    /// The catalogue may be out of date.
    case unknown
  }

  private func readAlone<Result>(
    _ id: EntityID,
    of type: EntityType,
    _ shape: RowShape,
    _ body: (any RowCursor) throws -> Result
  ) throws -> Answer<Result> {
    let session = try readers.take()
    defer { readers.give(session) }
    guard let version = session.dataVersion, let layout = session.catalogue.layout(type),
      session.catalogue.awaits != .present
    else { return .unknown }
    // The table may have been dropped since the catalogue was read.
    guard let prepared = try? session.prepare(shape, layout.typeNumber) else { return .unknown }
    let statement = prepared.byID
    statement.reserve(0)
    statement.bind(1, id)
    defer { statement.reset() }
    let isThere = try statement.step()
    // If something was committed since the catalogue was read, the result is discarded.
    guard session.connection.dataVersion == version else { return .unknown }
    guard isThere else { return .missing }
    let cursor = StatementCursor(statement, prepared.plan, type: type)
    cursor.known = id
    return .found(try body(cursor))
  }
}
