import VarveCore

/// Erases all entities of a query: one statement reads the rows, and one deletes them.
///
/// It covers the usual case, in which no entity of the query is an end of an ownership, and every
/// erasure is the greatest cell of its life. Otherwise the caller erases the entities together, as
/// any others.
struct BulkErasure {
  private let plan: QueryPlan
  private let table: String
  /// The entities to erase, in the order of the query.
  private(set) var ids: [EntityID] = []
  private var rows: [Int64] = []
  /// Whether the query's condition still selects all rows while they are deleted.
  private let isOfAll: Bool

  /// Creates the erasure, or returns nil if it must be made in the usual way.
  init?(_ query: Query, _ plan: QueryPlan, in session: Session) throws {
    guard plan.types == nil, plan.isPresent, let layout = session.catalogue.layout(query.type)
    else { return nil }
    self.plan = plan
    table = layout.table.quotedIdentifier
    isOfAll = try session.searchedKeys(of: query.type).isEmpty
  }

  /// Reads the entities to erase. Returns false if one of them owns something or is owned.
  mutating func read(_ query: Query, _ connection: Connection) throws -> Bool {
    let alias = plan.main.alias
    let isOwning =
      """
      EXISTS (SELECT 1 FROM varve_link WHERE source = \(alias).id AND kind = 1) \
      OR EXISTS (SELECT 1 FROM varve_link WHERE target = \(alias).id AND kind = 1)
      """
    let columns = ["\(alias).row", "\(alias).id", isOwning]
    let statement = try connection.query(try plan.compiler.select(columns), isShared: false)
    var seen: Set<Int64> = []
    while try statement.step() {
      guard statement.int(2) == 0 else { return false }
      let row = statement.int(0)
      // A join may repeat a row.
      if !query.joins.isEmpty, !seen.insert(row).inserted { continue }
      rows.append(row)
      ids.append(try statement.id(1))
    }
    return true
  }

  /// Writes the cells, and changes identities and rows.
  func write(to session: Session, _ pending: PendingCommit) throws {
    guard !ids.isEmpty else { return }
    // None of them was erased, dead or below an erased entity.
    let bits = Identity.Flags([.erased, .dead]).rawValue
    let end = try session.connection.ownStatement(
      "UPDATE varve_identity SET life = life | \(bits) WHERE id = ?"
    )
    let stamp = pending.info.summary.time
    for (row, id) in zip(rows, ids) {
      try session.log.sealIfFull()
      let block = pending.openBlock
      let ordinal = pending.builder.add(.life(.erased), entity: id, time: nil)
      try session.touches.add(
        row: row,
        key: TouchIndex.lifeKey,
        time: stamp,
        block: block,
        ordinal: ordinal
      )
      end.reserve(EntityID.maximumByteCount)
      end.bind(1, id)
      try end.run()
    }
    session.rows.identity = nil
    session.log.noteCells(at: nil, n: pending.n)
    try session.log.noteLifeChange(pending.n)
    try deleteRows(session.connection)
  }

  /// Deletes the rows: by the query's own condition if possible, otherwise by their numbers.
  private func deleteRows(_ connection: Connection) throws {
    if isOfAll, let sql = try plan.compiler.delete() {
      let statement = try connection.ownStatement(sql.text)
      statement.reserve(0)
      statement.bind(sql.bindings)
      try statement.run()
      guard connection.changes == Int32(clamping: rows.count) else {
        throw connection.damaged("\(connection.changes) rows deleted instead of \(rows.count)")
      }
      return
    }
    let statement = try connection.ownStatement("DELETE FROM \(table) WHERE row = ?")
    for row in rows {
      statement.bind(1, row)
      try statement.run()
    }
  }
}

extension SessionWriter {
  func eraseAll(of query: Query) async throws -> [EntityID]? {
    try recordingFailure { try admission?.require(query.type) }
    guard session.applying.unseen.isEmpty, session.applying.deferred == nil, !mayHoldLaterTimes,
      session.pastNotes == nil
    else { return nil }
    guard let plan = try plan(query) else { return [] }
    guard var erasure = try BulkErasure(query, plan, in: session),
      try erasure.read(query, session.connection)
    else { return nil }
    try recordingFailure { try erasure.write(to: session, pending) }
    return erasure.ids
  }
}
