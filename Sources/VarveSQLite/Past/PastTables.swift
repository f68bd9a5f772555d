import VarveCore

/// A past state as a patch over the present tables, in temporary tables of this connection.
///
/// An entity is *examined* if `varve_past_identity` has its past state. `varve_past_row` lists the
/// present rows that do not count, and `varve_past_<type>` has the former rows.
///
/// Invariants:
/// - An entity that is not examined has no life and no ownership in any commit that ``back`` leaves
///   out, and depends on no such entity. If the tables are whole, it has no cells in those commits.
/// - An examined entity is as it was at ``moment``.
struct PastTables {
  var moment: Moment
  var filter: MomentFilter
  /// The moment back to which the log was examined.
  var back: MomentFilter
  /// Whether all commits were examined, and not only those that change lives and ownerships.
  var isWhole: Bool
  /// Whether no entity is examined.
  var isEmpty = true
  /// The last commit of the log for which the patch was made.
  var lastCommit: Int64?
  let withheldCount: Int
  /// The version of the catalogue for which it was made: a rebuild numbers rows, types and keys
  /// anew.
  let catalogueVersion: Int64
  /// The types whose rows differ, with the keys that the rows had then.
  var layouts: [Int64: TableLayout] = [:]
  /// The row of each type up to which every row is examined, in tables that are not whole.
  var covered: [Int64: Int64] = [:]
  /// The tables of words that were made for searches in the state.
  var words: Set<String> = []
  /// The order of the former rows.
  var order = PastOrder()
  /// Whether the examined entities have indexes on their intervals, which the first move makes.
  var hasIntervals = false

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

extension Session {
  /// Makes the tables of a past state, or moves those of another moment, unless they are ready.
  ///
  /// - Parameter whole: whether rows of all entities are needed, and not only what
  ///   ``cover(_:rows:)`` examines.
  /// - Complexity: O(cells since the moment), or since those lives and ownerships that changed;
  ///   from another moment, O(entities that differ).
  func preparePast(_ moment: Moment, _ filter: MomentFilter, whole: Bool) throws {
    try writeBufferedRow()
    if let past, isReady(past, for: moment), past.isWhole || !whole { return }
    // Nothing maintains the words of the whole state.
    if let words = past?.words, !words.isEmpty {
      try dropPastWords("varve_words_past_%")
      past?.words = words.filter { !$0.hasPrefix("varve_words_past_") }
    }
    guard var past else { return try makePast(moment, filter, whole: whole) }
    // If the move fails half-way, the tables are made anew.
    self.past = nil
    if try move(&past, to: moment, filter, whole: whole) {
      self.past = past
    } else {
      try makePast(moment, filter, whole: whole)
    }
  }

  /// Returns whether tables are those of a moment.
  func isReady(_ past: PastTables, for moment: Moment) -> Bool {
    guard past.moment == moment, past.catalogueVersion == catalogue.version,
      pastNotes?.new.isEmpty ?? true
    else { return false }
    return (try? past.lastCommit == log.lastCommit && past.withheldCount == log.withheldCount)
      ?? false
  }

  /// Returns the cells that count at a moment; nil for the present.
  ///
  /// - Parameter livesOnly: whether only lives, relations and elements are read, of which nothing
  ///   is folded.
  /// - Throws: ``VarveError`` if history was folded beyond the moment, or is not here.
  func filter(at moment: Moment, livesOnly: Bool) throws -> MomentFilter? {
    let filter: MomentFilter
    switch moment {
    case .now: return nil
    case .time(let time): filter = MomentFilter(cutoff: time)
    case .frontier(let frontier): filter = try MomentFilter(frontier, in: log)
    }
    guard !livesOnly else { return filter }
    try log.checkHorizons(moment, filter)
    try checkOutlines(moment, filter)
    return filter
  }

  private func makePast(_ moment: Moment, _ filter: MomentFilter, whole: Bool) throws {
    if madePast { try dropPast() }
    madePast = true
    var past = PastTables(
      moment: moment,
      filter: filter,
      back: filter,
      isWhole: whole,
      lastCommit: try log.lastCommit,
      withheldCount: try log.withheldCount,
      catalogueVersion: catalogue.version
    )
    try connection.execute(
      """
      CREATE TEMP TABLE varve_past_identity (
        id PRIMARY KEY, row, type, life, born, since, until, turned, shown) WITHOUT ROWID;
      CREATE TEMP TABLE varve_past_row (row INTEGER PRIMARY KEY);
      """
    )
    let commits = try log.commits(leftOutBy: filter, livesOnly: !whole)
    var changes = try changes(by: commits, livesOnly: !whole)
    if let notes = pastNotes { changes.formUnion(notes.all) }
    pastNotes?.new = PastChanges()
    try examine(changes, from: nil, in: &past)
    self.past = past
  }

  /// Drops the tables of the past state.
  func dropPast() throws {
    past = nil
    try dropPastWords()
    var names: [String] = []
    let tables = try connection.ownStatement(
      "SELECT name FROM temp.sqlite_master WHERE type = 'table' AND name LIKE 'varve_past%'"
    )
    while try tables.step() { names.append(tables.text(0)) }
    tables.reset()
    for name in names { try connection.execute("DROP TABLE temp.\(name.quotedIdentifier)") }
  }
}
