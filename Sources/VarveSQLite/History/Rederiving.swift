import VarveCore

/// Derives an entity's row from its history when no faster way is known to be correct.
extension Session {
  /// Rewrites identity and row from history. The liveness of the identity stays.
  func rederive(_ identity: Identity) throws {
    var identity = identity
    try deleteRow(of: identity)
    let state = try reconstruct(identity)
    if let type = state.type {
      identity.type = try catalogue.ensureLayout(type).typeNumber
      identity.flags.insert(.known)
    }
    identity.flags.remove([.erased, .reborn])
    if state.isErased { identity.flags.insert(.erased) }
    if state.rebirth != nil { identity.flags.insert(.reborn) }
    if identity.row == nil { identity.row = log.takeRow() }
    try save(identity)
    if identity.isLive { try insert(state, identity) }
  }

  private func insert(_ state: Reconstruction, _ identity: Identity) throws {
    guard let type = state.type, let creation = state.creation, let row = identity.row else {
      return
    }
    var columns: [Creations.Column] = []
    var values = PackedValues()
    var overflow: Overflow?
    for (key, property) in state.properties.sorted(by: { $0.key < $1.key }) {
      if property.isCollection {
        overflow = overflow ?? Overflow()
        overflow?.entries[try collectionColumn(key, of: type)] = .init(
          semanticType: "",
          isCollection: true
        )
        continue
      }
      columns.append(.init(key: key, semanticType: property.semanticType))
      values.append(property.value)
    }
    let plan = try insertionPlan(type, columns) { values.kind(at: $0) }
    let newRow = NewRow(
      number: row,
      id: identity.id,
      datestamp: state.datestamp,
      modified: state.modified > state.datestamp ? state.modified : nil,
      ordinal: creation.ordinal,
      place: 0,
      overflow: overflow
    )
    try insert(newRow, of: values, plan)
    try checkPlacement(of: row, plan.layout.typeNumber, state)
  }

  private func collectionColumn(_ key: PropertyKey, of type: EntityType) throws -> Int64 {
    var layout = try catalogue.ensureLayout(type)
    let column = try ensureColumn(
      CatalogueTables.NewKey(
        key: key,
        kind: .reference,
        semanticType: Value.Kind.reference.name
      ),
      of: &layout
    )
    try catalogue.noteSpill(key, of: type, nil)
    return column.keyNumber
  }

  /// Records a row that is out of creation order among its neighbours.
  private func checkPlacement(of row: Int64, _ typeNumber: Int64, _ state: Reconstruction) throws {
    guard let layout = catalogue.layouts[typeNumber], layout.isInOrder,
      let creation = state.creation
    else { return }
    let order = CellOrder(
      time: state.datestamp,
      commit: creation.commit,
      ordinal: creation.ordinal
    )
    rows.placements[typeNumber] = nil
    for (comparison, direction) in [("<", "DESC"), (">", "ASC")] {
      let statement = try connection.statement(
        """
        SELECT t.id, t.datestamp, t.ordinal FROM \(layout.table.quotedIdentifier) AS t
        WHERE t.row \(comparison) ? ORDER BY t.row \(direction) LIMIT 1
        """
      )
      statement.bind(1, row)
      let neighbour =
        try statement.step()
        ? (try statement.id(0), HybridTime(rawValue: statement.int(1)), Int(statement.int(2))) : nil
      statement.reset()
      guard let (id, datestamp, ordinal) = neighbour, let identity = try identity(id) else {
        continue
      }
      let other = CellOrder(
        time: datestamp,
        commit: try creationOrder(of: identity),
        ordinal: ordinal
      )
      if comparison == "<" ? order < other : other < order {
        return try catalogue.noteDisorder(of: typeNumber)
      }
    }
  }

  /// Moves an entity's birth to another block than that of its first creation. The cells of the
  /// former block are touched, so that they can be found without it.
  func moveBirth(of identity: inout Identity, to block: Int64?) throws {
    guard let block, identity.born != block, let row = identity.row else { return }
    for cell in try bornCells(of: identity, .now) {
      let key = try cell.content.key.map { try keyNumber($0) } ?? TouchIndex.lifeKey
      try touches.add(
        row: row,
        key: key,
        time: cell.touch.time,
        block: cell.touch.block,
        ordinal: cell.touch.ordinal
      )
    }
    identity.born = block
  }

  /// Returns the commit that determines an entity's place among those of its type.
  func creationOrder(of identity: Identity) throws -> CommitOrder {
    guard let born = identity.born else {
      throw connection.damaged("entity \(identity.id) has no creation")
    }
    return try log.commit(ofBlock: born).order
  }
}
