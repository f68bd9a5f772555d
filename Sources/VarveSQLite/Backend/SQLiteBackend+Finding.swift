package import VarveCore

extension SQLiteBackend {
  /// A single statement reads one state by itself, so no transaction is begun.
  package func row<Result>(
    _ id: EntityID,
    of types: [EntityType],
    _ shape: RowShape,
    _ body: (any RowCursor) throws -> Result
  ) async throws -> Result? {
    guard types.count == 1, name.key?.isChanging != true else {
      return try await read(at: .now) { try await $0.row(id, of: types, shape, body) }
    }
    try checkOpen()
    if hasHome { try await requireUpToDate() }
    var isKnown = true
    let result = try readAlone(id, of: types[0], shape, isKnown: &isKnown, body)
    noteUse()
    if FairTurns.isDue() { await Task.yield() }
    guard isKnown else {
      return try await read(at: .now) { try await $0.row(id, of: types, shape, body) }
    }
    return result
  }

  /// Returns what the body makes of a live entity, or nil if there is none.
  ///
  /// - Parameter isKnown: set to false if the catalogue may be out of date; then nil means nothing.
  private func readAlone<Result>(
    _ id: EntityID,
    of type: EntityType,
    _ shape: RowShape,
    isKnown: inout Bool,
    _ body: (any RowCursor) throws -> Result
  ) throws -> Result? {
    let session = try readers.take()
    defer { readers.give(session) }
    guard isKnownUndue(session), let version = session.dataVersion,
      let prepared = session.prepared(shape, of: type)
    else {
      isKnown = false
      return nil
    }
    let statement = prepared.byID
    statement.reserve(0)
    statement.bind(1, id)
    defer { statement.reset() }
    let isThere = try statement.step()
    // If something was committed since the catalogue was read, the result is discarded.
    guard session.connection.dataVersion == version else {
      isKnown = false
      return nil
    }
    guard isThere else { return nil }
    let cursor = prepared.found
    cursor.known = id
    return try body(cursor)
  }
}
