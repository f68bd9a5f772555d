import VarveCore

/// Examines entities: adds their former states to the tables of a past state.
extension Session {
  /// Examines the entities that changed between two moments.
  ///
  /// - Parameter old: the moment that the tables had before; nil for the present.
  func examine(
    _ changes: PastChanges,
    from old: MomentFilter?,
    in past: inout PastTables
  ) throws {
    let region = try OwnedRegion(
      from: Array(changes.turned),
      filter: .past(past.filter, from: old),
      in: self
    )
    let liveness = Liveness(nodes: region.nodes, edges: region.edges)
    var seen: Set<EntityID> = []
    for (index, id) in region.ids.enumerated() {
      try Task.checkCancellation()
      seen.insert(id)
      guard let identity = region.identities[index] else { continue }
      var bits: Identity.Flags = []
      if liveness.isDead[index] { bits.insert(.dead) }
      if liveness.isBelow[index] { bits.insert(.below) }
      try examine(identity, owners: bits, isTurned: changes.turned.contains(id), in: &past)
    }
    for id in changes.named where !seen.contains(id) {
      try Task.checkCancellation()
      let known = try examined(id)
      guard known != nil || past.isWhole, let identity = try identity(id) else { continue }
      try examine(identity, owners: (known ?? identity).flags, isTurned: false, in: &past)
    }
    try checkOrder(&past)
  }

  /// Adds the former state of an entity.
  ///
  /// - Parameters:
  ///   - identity: the present identity.
  ///   - owners: whether its owners made it dead, and whether it was below an erased one.
  ///   - isTurned: whether its life or its ownerships may differ at other moments.
  ///   - isNew: whether the tables have nothing of it.
  /// - Returns: the type among whose rows it counts; nil if it does not.
  @discardableResult
  func examine(
    _ identity: Identity,
    owners: Identity.Flags,
    isTurned: Bool,
    isNew: Bool = false,
    in past: inout PastTables
  ) throws -> Int64? {
    let before = try isNew ? (isTurned: false, isHidden: false) : takeOut(identity.id, &past)
    past.isEmpty = false
    let isTurned = isTurned || before.isTurned
    let owners = owners.intersection(.byOwners)
    var span: PastSpan?
    if past.filter.bounds == nil {
      let time = past.filter.history.cutoff
      let found = try self.span(of: identity, around: time, withOwnerships: isTurned)
      span = found
      if found.until == nil, identity.flags.intersection(.byOwners) == owners {
        if before.isHidden, let row = identity.row { try show(row, identity.type, &past) }
        try note(identity, span, isTurned: isTurned, isShown: true)
        return identity.isLive ? identity.type : nil
      }
    }
    let state = try reconstruct(identity, past.filter.history)
    var was = identity
    was.setLife(of: state, type: state.type.flatMap { catalogue.typeNumbers[$0] })
    was.flags.formUnion(owners)
    if let row = identity.row, !before.isHidden {
      if identity.isLive, let type = identity.type { try usePatch(of: type, &past) }
      try insertPast("INSERT OR IGNORE INTO temp.varve_past_row (row) VALUES (?)") {
        $0.bind(1, row)
      }
    }
    try note(was, span, isTurned: isTurned, isShown: false)
    guard was.isLive, let type = was.type, let row = was.row else { return nil }
    try usePatch(of: type, &past)
    try insert(state, was, &past)
    let isSure = identity.isLive && identity.type == type && identity.born == was.born
    past.order.insert(row, of: type, isSure: isSure)
    return type
  }

  /// Removes what the tables have of an entity.
  private func takeOut(
    _ id: EntityID,
    _ past: inout PastTables
  ) throws -> (isTurned: Bool, isHidden: Bool) {
    let statement = try connection.statement(
      "SELECT row, type, turned, shown FROM temp.varve_past_identity WHERE id = ?"
    )
    statement.reserve(1_024)
    statement.bind(1, id)
    guard try statement.step() else {
      statement.reset()
      return (false, false)
    }
    let (row, type) = (statement.optionalInt(0), statement.optionalInt(1))
    let (isTurned, isShown) = (statement.int(2) != 0, statement.int(3) != 0)
    statement.reset()
    if !isShown, let row, let type, past.layouts[type] != nil {
      try insertPast("DELETE FROM temp.\(PastTables.patch(type)) WHERE row = ?") {
        $0.bind(1, row)
      }
    }
    return (isTurned, !isShown)
  }

  /// Lets the present row of an entity count again.
  private func show(_ row: Int64, _ type: Int64?, _ past: inout PastTables) throws {
    try insertPast("DELETE FROM temp.varve_past_row WHERE row = ?") { $0.bind(1, row) }
    if let type { past.order.insert(row, of: type, isSure: true) }
  }

  private func note(
    _ identity: Identity,
    _ span: PastSpan?,
    isTurned: Bool,
    isShown: Bool
  ) throws {
    try insertPast(
      """
      INSERT OR REPLACE INTO temp.varve_past_identity
      (id, row, type, life, born, since, until, turned, shown) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
      """
    ) {
      $0.reserve(1_024)
      $0.bind(1, identity.id)
      $0.bind(2, identity.row)
      $0.bind(3, identity.type)
      $0.bind(4, identity.flags.rawValue)
      $0.bind(5, identity.born)
      $0.bind(6, span?.since.rawValue)
      $0.bind(7, span?.until?.rawValue)
      $0.bind(8, Int64(isTurned ? 1 : 0))
      $0.bind(9, Int64(isShown ? 1 : 0))
    }
  }

  /// Creates the patch table of a type when the first row differs, with the indexes of its table.
  func usePatch(of type: Int64, _ past: inout PastTables) throws {
    guard past.layouts[type] == nil, let layout = catalogue.layouts[type] else { return }
    past.layouts[type] = layout
    let names = PhysicalNames.fixedColumns.dropFirst() + layout.keyColumns.map(\.quotedIdentifier)
    let patch = PastTables.patch(type)
    try connection.execute(
      """
      CREATE TEMP TABLE \(patch) \
      (row INTEGER PRIMARY KEY, varve_born, \(names.joined(separator: ", ")))
      """
    )
    for column in layout.columns where column.isIndexed {
      guard let name = column.column else { continue }
      try connection.execute(
        "CREATE INDEX temp.\(patch)_\(column.keyNumber) ON \(patch) (\(name.quotedIdentifier))"
      )
    }
  }

  private func insertPast(_ sql: String, _ bind: (Statement) -> Void) throws {
    let statement = try connection.statement(sql)
    bind(statement)
    try statement.run()
  }

  private func insert(
    _ state: Reconstruction,
    _ identity: Identity,
    _ past: inout PastTables
  ) throws {
    guard let row = identity.row, let creation = state.creation, let type = identity.type,
      var layout = past.layouts[type]
    else { return }
    var names = ["row", "varve_born", "id", "datestamp", "modified", "ordinal", "more"]
    var values: [Value] = []
    var overflow = Overflow()
    for (key, property) in state.properties {
      guard let column = pastColumn(key, property, of: &layout) else { continue }
      if let value = property.value, column.holds(value), let name = column.column {
        names.append(name.quotedIdentifier)
        values.append(value)
        guard !property.semanticType.isSame(as: column.semanticType) else { continue }
        overflow.entries[column.keyNumber] = .init(semanticType: property.semanticType)
      } else {
        overflow.entries[column.keyNumber] = .init(
          semanticType: property.semanticType,
          value: property.value,
          isCollection: property.isCollection
        )
        layout.noteSpill(key)
      }
    }
    past.layouts[type] = layout
    let marks = repeatElement("?", count: names.count).joined(separator: ", ")
    let sql = """
      INSERT INTO temp.\(PastTables.patch(layout.typeNumber)) (\(names.joined(separator: ", "))) \
      VALUES (\(marks))
      """
    try insertPast(sql) { statement in
      let bytes = overflow.encoded
      statement.reserve(
        values.reduce(2_048 + (bytes?.count ?? 0)) { $0 + ($1.byteCountEstimate() ?? 0) }
      )
      statement.bind(1, row)
      statement.bind(2, identity.born)
      statement.bind(3, identity.id)
      statement.bind(4, state.datestamp.rawValue)
      statement.bind(5, state.modified > state.datestamp ? state.modified.rawValue : nil)
      statement.bind(6, Int64(creation.ordinal))
      if let bytes { statement.bind(7, blob: bytes) } else { statement.bindNull(7) }
      for (index, value) in values.enumerated() { statement.bind(Int32(8 + index), value) }
    }
  }
}

extension Session {
  /// Returns the place of a key in the former rows of a type. A key without a column, because its
  /// entities have another type now, is in the overflow column.
  private func pastColumn(
    _ key: PropertyKey,
    _ property: PropertyState,
    of layout: inout TableLayout
  ) -> ColumnLayout? {
    if let column = layout.column(key) { return column }
    guard let number = catalogue.keyNumbers[key] else { return nil }
    let column = ColumnLayout(
      keyNumber: number,
      key: key,
      column: nil,
      kind: property.value?.kind ?? .reference,
      semanticType: property.semanticType,
      isSpilled: true
    )
    layout.append(column)
    return column
  }
}

extension Identity.Flags {
  /// The bits that owners decide.
  static let byOwners: Identity.Flags = [.dead, .below]
}
