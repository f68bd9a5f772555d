import VarveCore

/// The plan for reading a model's rows from a type's table, with the statement that finds one row.
final class PreparedShape {
  let catalogueVersion: Int64
  let plan: ShapePlan
  let type: EntityType
  let byRow: Statement
  /// The statement that finds a row by identifier.
  let byID: Statement
  /// The cursor of the statement that finds a row by identifier, for one find after another.
  let found: StatementCursor

  init(
    _ plan: ShapePlan,
    type: EntityType,
    catalogueVersion: Int64,
    byRow: Statement,
    byID: Statement
  ) {
    self.plan = plan
    self.type = type
    self.catalogueVersion = catalogueVersion
    self.byRow = byRow
    self.byID = byID
    found = StatementCursor(byID, plan, type: type)
  }
}

extension Session {
  /// Passes a live entity of the present to a body, as a row of a model.
  func row<Result>(
    _ id: EntityID,
    of types: [EntityType],
    _ shape: RowShape,
    _ body: (any RowCursor) throws -> Result
  ) throws -> Result? {
    guard let identity = try identity(id), identity.isLive, let row = identity.row,
      let number = identity.type
    else { return nil }
    if isWriting { try writeBufferedRow() } else { try refresh() }
    let prepared = try prepare(shape, number)
    guard types.contains(prepared.type) else { return nil }
    let statement = prepared.byRow
    statement.bind(1, row)
    defer { statement.reset() }
    let cursor = StatementCursor(statement, prepared.plan, type: prepared.type)
    cursor.known = id
    guard try cursor.advance() else { throw connection.damaged("entity \(id) has no row") }
    return try body(cursor)
  }

  /// Returns the plan for reading a model's rows of a type, by the copy of the catalogue; nil if
  /// that copy may be out of date.
  func prepared(_ shape: RowShape, of type: EntityType) -> PreparedShape? {
    if let last = plans.lastShape, last.plan.shape === shape,
      last.catalogueVersion == catalogue.version, last.type == type
    {
      return last
    }
    guard let layout = catalogue.layout(type), catalogue.awaits != .present else { return nil }
    // The table may have been dropped since the catalogue was read.
    guard let prepared = try? prepare(shape, layout.typeNumber) else { return nil }
    plans.lastShape = prepared
    return prepared
  }

  func prepare(_ shape: RowShape, _ number: Int64) throws -> PreparedShape {
    let key = ObjectIdentifier(shape)
    if let prepared = plans.shapes[key], prepared.catalogueVersion == catalogue.version,
      prepared.plan.typeNumber == number
    {
      return prepared
    }
    guard let layout = catalogue.layouts[number] else {
      throw connection.damaged("the type of an entity is missing in the catalogue")
    }
    let plan = ShapePlan(shape, TableSource(layout))
    let columns = plan.columns.joined(separator: ", ")
    let table = layout.table.quotedIdentifier
    let prepared = PreparedShape(
      plan,
      type: layout.type,
      catalogueVersion: catalogue.version,
      byRow: try connection.ownStatement("SELECT \(columns) FROM \(table) AS t WHERE t.row = ?"),
      byID: try connection.ownStatement(
        """
        SELECT \(columns) FROM varve_identity AS i JOIN \(table) AS t ON t.row = i.row \
        WHERE i.id = ?
        """
      )
    )
    plans.shapes[key] = prepared
    return prepared
  }
}
