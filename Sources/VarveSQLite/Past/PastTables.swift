import VarveCore

/// A past state as a patch over the present tables, in temporary tables of this connection.
///
/// `varve_past_identity` has the former identity of every entity that differs, `varve_past_row`
/// lists the present rows that do not count, and `varve_past_<type>` has the former rows.
struct PastTables {
  let moment: Moment
  let filter: MomentFilter
  /// The last commit of the log for which the patch was made.
  let lastCommit: Int64?
  let withheldCount: Int
  /// The version of the catalogue for which it was made: a rebuild numbers rows, types and keys
  /// anew.
  let catalogueVersion: Int64
  /// The types whose rows differ, with the keys that the rows had then.
  var layouts: [Int64: TableLayout] = [:]

  static func source(_ layout: TableLayout) -> String {
    let names = PhysicalNames.fixedColumns + layout.keyColumns.map(\.quotedIdentifier)
    let columns = names.joined(separator: ", ")
    return """
      (SELECT \(columns), (SELECT born FROM varve_identity i WHERE i.id = m.id) AS varve_born \
      FROM main.\(layout.table.quotedIdentifier) AS m \
      WHERE row NOT IN (SELECT row FROM temp.varve_past_row) \
      UNION ALL SELECT \(columns), varve_born FROM temp.\(patch(layout.typeNumber)))
      """
  }

  static func patch(_ typeNumber: Int64) -> String { "varve_past_\(typeNumber)" }
}

/// The changes by the commits after a moment.
private struct Changes {
  var touched: Set<EntityID> = []
  var lives: Set<EntityID> = []
  var owned: Set<EntityID> = []
}

extension Session {
  /// Creates the tables of a past state, unless they are ready.
  func preparePast(_ moment: Moment) throws {
    if let past, isReady(past, for: moment) { return }
    try makePast(moment)
  }

  /// Returns whether tables are those of a moment. Within a transaction, they stay as they were
  /// when it began to write.
  func isReady(_ past: PastTables, for moment: Moment) -> Bool {
    guard past.moment == moment else { return false }
    if log.pending != nil { return true }
    return (try? past.lastCommit == log.lastCommit && past.withheldCount == log.withheldCount)
      == true
      && past.catalogueVersion == catalogue.version
  }

  /// Returns the cells that count at a moment; nil for the present.
  ///
  /// - Throws: ``VarveError`` if history was folded beyond the moment, or is not here.
  func filter(at moment: Moment) throws -> MomentFilter? {
    let filter: MomentFilter
    switch moment {
    case .now: return nil
    case .time(let time): filter = MomentFilter(cutoff: time)
    case .frontier(let frontier): filter = try MomentFilter(frontier, in: log)
    }
    try log.checkHorizons(moment, filter)
    try checkOutlines(moment, filter)
    return filter
  }

  /// Creates the tables of a past state of the loaded log.
  func makePast(_ moment: Moment) throws {
    try writeBufferedRow()
    try dropPast()
    guard let filter = try filter(at: moment) else { return }
    var past = PastTables(
      moment: moment,
      filter: filter,
      lastCommit: try log.lastCommit,
      withheldCount: try log.withheldCount,
      catalogueVersion: catalogue.version
    )
    try connection.execute(
      """
      CREATE TEMP TABLE varve_past_identity (id PRIMARY KEY, row, type, life, born) WITHOUT ROWID;
      CREATE TEMP TABLE varve_past_row (row INTEGER PRIMARY KEY);
      """
    )
    try patch(&past, try changes(filter))
    self.past = past
  }

  /// Drops the tables of the past state.
  func dropPast() throws {
    past = nil
    var names: [String] = []
    let tables = try connection.ownStatement(
      "SELECT name FROM temp.sqlite_master WHERE name LIKE 'varve_past%'"
    )
    while try tables.step() { names.append(tables.text(0)) }
    tables.reset()
    for name in names { try connection.execute("DROP TABLE temp.\(name.quotedIdentifier)") }
  }

  private func changes(_ filter: MomentFilter) throws -> Changes {
    var changes = Changes()
    for n in try log.excludedCommits(filter) {
      let info = try log.commit(ofBlock: n)
      let isWhole = try !filter.history.includes(info)
      try log.commit(number: n).forEachContent { content, _ in
        for section in content.sections {
          if case .creations(let table) = section {
            guard isWhole || table.time ?? info.summary.time > filter.history.cutoff else {
              continue
            }
            changes.lives.formUnion(table.ids)
            continue
          }
          for cell in section.cells
          where isWhole || cell.time ?? info.summary.time > filter.history.cutoff {
            changes.add(cell)
          }
        }
      }
    }
    return changes
  }

  private func patch(_ past: inout PastTables, _ changes: Changes) throws {
    let seeds = Array(changes.lives.union(changes.owned))
    let region = try OwnedRegion(from: seeds, filter: .past(past.filter), in: self)
    let liveness = Liveness(nodes: region.nodes, edges: region.edges)
    var seen: Set<EntityID> = []
    for (index, id) in region.ids.enumerated() {
      seen.insert(id)
      guard let identity = region.identities[index] else { continue }
      try patch(
        &past,
        identity,
        isDead: liveness.isDead[index],
        isBelow: liveness.isBelow[index]
      )
    }
    for id in changes.touched where !seen.contains(id) {
      guard let identity = try identity(id) else { continue }
      try patch(
        &past,
        identity,
        isDead: identity.life.contains(.dead),
        isBelow: identity.life.contains(.below)
      )
    }
  }

  /// Adds the former state of an entity to the patch.
  private func patch(
    _ past: inout PastTables,
    _ identity: Identity,
    isDead: Bool,
    isBelow: Bool
  ) throws {
    let state = try reconstruct(identity, past.filter.history)
    var was = identity
    was.setLife(of: state, type: state.type.flatMap { catalogue.typeNumbers[$0] })
    if isDead { was.life.insert(.dead) }
    if isBelow { was.life.insert(.below) }
    if identity.isLive, let type = identity.type, let row = identity.row {
      try usePatch(of: type, &past)
      try insertPast("INSERT OR IGNORE INTO temp.varve_past_row (row) VALUES (?)") {
        $0.bind(1, row)
      }
    }
    try insertPast(
      """
      INSERT OR REPLACE INTO temp.varve_past_identity (id, row, type, life, born)
      VALUES (?, ?, ?, ?, ?)
      """
    ) {
      $0.reserve(1_024)
      $0.bind(1, was.id)
      $0.bind(2, was.row)
      $0.bind(3, was.type)
      $0.bind(4, was.life.rawValue)
      $0.bind(5, was.born)
    }
    guard was.isLive, let type = was.type else { return }
    try usePatch(of: type, &past)
    try insert(state, was, &past)
  }

  /// Creates the patch table of a type when the first row differs.
  private func usePatch(of type: Int64, _ past: inout PastTables) throws {
    guard past.layouts[type] == nil, let layout = catalogue.layouts[type] else { return }
    past.layouts[type] = layout
    try createPatch(layout)
  }

  private func insertPast(_ sql: String, _ bind: (Statement) -> Void) throws {
    let statement = try connection.statement(sql)
    bind(statement)
    try statement.run()
  }

  private func createPatch(_ layout: TableLayout) throws {
    let names = PhysicalNames.fixedColumns.dropFirst() + layout.keyColumns.map(\.quotedIdentifier)
    try connection.execute(
      """
      CREATE TEMP TABLE \(PastTables.patch(layout.typeNumber)) \
      (row INTEGER PRIMARY KEY, varve_born, \(names.joined(separator: ", ")))
      """
    )
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

extension Changes {
  fileprivate mutating func add(_ cell: Cell) {
    switch cell.content {
    case .value, .removal, .collection: touched.insert(cell.entity)
    case .life: lives.insert(cell.entity)
    case .add(let relation, let target, _, let pairing):
      guard relation.kind == .owns else { return }
      owned.insert(target)
      // The entities that the source owned before.
      if pairing?.end == .source { owned.insert(cell.entity) }
    case .remove(let relation, let target, _):
      if relation.kind == .owns { owned.insert(target) }
    }
  }
}
