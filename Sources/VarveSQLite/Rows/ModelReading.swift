import VarveCore

/// A model's rows as they are read from a type's table, with the statement that finds one.
struct PreparedShape {
  let catalogueVersion: Int64
  let plan: ShapePlan
  let type: EntityType
  let byRow: Statement
  /// Finds by identifier in one statement.
  let byID: Statement
}

extension Session {
  /// A live entity of the present as a model reads it.
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

  func prepare(_ shape: RowShape, _ number: Int64) throws -> PreparedShape {
    let key = ObjectIdentifier(shape)
    if let prepared = plans.shapes[key], prepared.catalogueVersion == catalogue.version,
      prepared.plan.typeNumber == number
    {
      return prepared
    }
    guard let layout = catalogue.layouts[number] else {
      throw connection.damaged("an entity has a type the catalogue does not know")
    }
    let plan = ShapePlan(shape, TableSource(layout))
    let columns = plan.columns.joined(separator: ", ")
    let table = layout.table.quotedIdentifier
    let prepared = PreparedShape(
      catalogueVersion: catalogue.version,
      plan: plan,
      type: layout.type,
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
