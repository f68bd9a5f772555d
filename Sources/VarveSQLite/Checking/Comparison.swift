import VarveCore

/// Compares the tables with those replayed from the log.
extension Checker {
  /// Compares all tables with those of the replayed store.
  ///
  /// - Parameter progress: called with the number of entities compared so far.
  func compare(with shadow: Session, _ progress: (Int) -> Void) throws {
    try compareRows(shadow, what: "the place of a commit", Self.commits)
    try compareRows(shadow, what: "a run of commits", Self.runs)
    try compareIdentities(shadow, progress)
    try compareRowCounts(shadow)
    try compareRows(shadow, what: "a relation", Self.links)
    try compareRows(shadow, what: "a removal from a relation", Self.removals)
    try compareRows(shadow, what: "the set of commits that a commit had seen", Self.seen)
    try compareRows(shadow, what: "a commit with later cells", Self.postdated)
    try compareTurns(shadow)
    if try session.log.hasRedactions != shadow.log.hasRedactions {
      find("what is to be forgotten is not what the log says")
    } else if try session.log.hasRedactions {
      try compareRows(shadow, what: "a redaction", Self.redactions)
      try compareRows(shadow, what: "the horizon of a compaction", Self.horizons)
    }
    // If commits were withheld here, different properties may be suspected. The conflicts found
    // must still agree.
    let (mine, other) = (
      try session.valueConflicts(.now, session.identity),
      try shadow.valueConflicts(.now, shadow.identity)
    )
    if try mine != other || session.unseenDeaths() != shadow.unseenDeaths() {
      find("the conflicts do not match the log")
    }
  }

  private static let commits = "SELECT n, lineage, sequence, time FROM varve_commit ORDER BY n"
  private static let runs = """
    SELECT lineage, first_sequence, first_n FROM varve_run ORDER BY lineage, first_sequence
    """
  private static let links = """
    SELECT source, kind, name, position, b, ordinal, target, time, removed, former & 255,
    (SELECT k.name FROM varve_key AS k WHERE k.number = former >> 8)
    FROM varve_link ORDER BY source, kind, name, position, b, ordinal
    """
  private static let removals = """
    SELECT add_b, add_ordinal, b, ordinal, time
    FROM varve_unlink ORDER BY add_b, add_ordinal, b, ordinal
    """
  private static let seen = """
    SELECT author, other, author_sequence, other_sequence
    FROM varve_seen ORDER BY author, other, author_sequence
    """
  private static let postdated = "SELECT n, latest FROM varve_postdated ORDER BY n"

  private static let redactions = """
    SELECT target, b, place, parts FROM varve_redaction ORDER BY target, b, place
    """

  private static let horizons = "SELECT n, time, field FROM varve_horizon ORDER BY n"

  private func compareIdentities(_ shadow: Session, _ progress: (Int) -> Void) throws {
    let sql = "SELECT id, row, type, life, born FROM varve_identity ORDER BY id"
    let (left, right) = (
      try session.connection.ownStatement(sql), try shadow.connection.ownStatement(sql)
    )
    var compared = 0
    while true {
      let (hasLeft, hasRight) = (try left.step(), try right.step())
      guard hasLeft || hasRight else { return }
      compared += 1
      try session.requireRunning()
      progress(compared)
      guard hasLeft, hasRight, left.isEqual(to: right, at: 0) else {
        return find("the identity table and the log name different entities")
      }
      let id = try left.id(0)
      guard let other = try shadow.identity(id) else { continue }
      guard let mine = try session.identity(id) else {
        find("a lookup of entity \(id) by its identifier fails")
        continue
      }
      if mine.flags != other.flags { find("the life of entity \(id) does not match the log") }
      if mine.born != other.born { find("entity \(id) has another creation than in the log") }
      try compareTouches(of: mine, other, shadow)
      if mine.isLive, other.isLive {
        try compareEntity(id, shadow)
        try checkRow(of: mine, other, shadow)
      }
    }
  }

  private func compareEntity(_ id: EntityID, _ shadow: Session) throws {
    report.entityCount += 1
    guard let mine = try entityOrFinding(id), let other = try shadow.entity(id) else {
      return find("entity \(id) has no row")
    }
    let isEqual =
      mine.type == other.type && mine.datestamp == other.datestamp
      && mine.modified == other.modified && mine.properties == other.properties
    if !isEqual { find("the row of entity \(id) does not match the log") }
  }

  private func entityOrFinding(_ id: EntityID) throws -> StoredEntity? {
    do {
      return try session.entity(id)
    } catch let error as VarveError where error.code == .damaged {
      return nil
    }
  }

  private func compareTouches(of mine: Identity, _ other: Identity, _ shadow: Session) throws {
    guard let row = mine.row, let otherRow = other.row else {
      if (mine.row == nil) != (other.row == nil) { find("entity \(mine.id) lost its number") }
      return
    }
    let (touches, others) = (
      try Set(touches(session, row: row)), try Set(self.touches(shadow, row: otherRow))
    )
    if !touches.isEmpty { try checkLife(of: mine) }
    guard touches != others else { return }
    // If an entity was created several times, the order in which commits took effect decides
    // whether its first creation is also a touch.
    if try touches.union(born(mine, session)) != others.union(born(other, shadow)) {
      find("the history of entity \(mine.id) does not match the log")
    }
  }

  private func born(_ identity: Identity, _ session: Session) throws -> [TouchedCell] {
    try session.bornCells(of: identity, .now).map { cell in
      TouchedCell(
        key: cell.content.key,
        time: cell.touch.time.rawValue,
        block: cell.touch.block,
        ordinal: Int64(cell.touch.ordinal)
      )
    }
  }

  private struct TouchedCell: Hashable {
    var key: PropertyKey?
    var time: Int64
    var block: Int64
    var ordinal: Int64
  }

  private func touches(_ session: Session, row: Int64) throws -> [TouchedCell] {
    try session.touches.all(row: row).map { touch in
      TouchedCell(
        key: session.catalogue.keys[touch.key],
        time: touch.time,
        block: touch.block,
        ordinal: touch.ordinal
      )
    }
  }

  /// Checks that no table has more rows than its type has live entities.
  private func compareRowCounts(_ shadow: Session) throws {
    for layout in session.catalogue.layouts.values {
      let sql = { (table: String) in "SELECT count(*) FROM \(table.quotedIdentifier)" }
      let mine = try session.connection.integer(sql(layout.table)) ?? 0
      let other = try shadow.catalogue.layout(layout.type).map {
        try shadow.connection.integer(sql($0.table)) ?? 0
      }
      if mine != other ?? 0 {
        find("table \(layout.table) has \(mine) rows instead of \(other ?? 0)")
      }
    }
  }

  /// Checks that every commit that changes lives and ownerships is listed as one. Others may be.
  private func compareTurns(_ shadow: Session) throws {
    guard try session.log.hasLifeCommits else { return }
    let turns = try shadow.connection.ownStatement("SELECT n, creates FROM varve_turn")
    let listed = try session.connection.ownStatement("SELECT creates FROM varve_turn WHERE n = ?")
    while try turns.step() {
      listed.bind(1, turns.int(0))
      guard try listed.step(), listed.int(0) >= turns.int(1) else {
        return find("commit \(turns.int(0)) changes lives and is not listed as one")
      }
      listed.reset()
    }
  }

  private func compareRows(_ shadow: Session, what: String, _ sql: String) throws {
    let (left, right) = (
      try session.connection.ownStatement(sql), try shadow.connection.ownStatement(sql)
    )
    while true {
      let (hasLeft, hasRight) = (try left.step(), try right.step())
      guard hasLeft || hasRight else { return }
      guard hasLeft == hasRight, left.isRowEqual(to: right) else {
        return find("\(what) does not match the log")
      }
    }
  }
}

extension Statement {
  /// Returns whether two rows have the same values.
  fileprivate func isRowEqual(to other: Statement) -> Bool {
    (0..<columnCount).allSatisfy { isEqual(to: other, at: $0) }
  }

  /// Returns whether a column of two rows has the same value, stored in the same way.
  fileprivate func isEqual(to other: Statement, at index: Int32) -> Bool {
    type(index) == other.type(index) && bytes(index).elementsEqual(other.bytes(index))
  }
}
