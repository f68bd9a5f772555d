import VarveCore

/// Reads history and log.
extension Session {
  /// Returns the cells of an entity, or of one of its properties, greatest first.
  func history(
    of id: EntityID,
    key: PropertyKey?,
    limit: Int?,
    _ filter: HistoryFilter
  ) throws -> [Version] {
    guard let identity = try identity(id) else { return [] }
    if let key, let versions = try versionsOfCreation(of: identity, key, filter) {
      return Array(versions.prefix(limit ?? .max))
    }
    return try placedCells(of: identity, key: key, limit: limit, filter, within: ResultSize())
      .map(\.version)
  }

  /// Returns the cells with their places.
  ///
  /// - Parameter size: the bound of the cells that are read; by default there is none.
  func placedCells(
    of identity: Identity,
    key: PropertyKey?,
    limit: Int?,
    _ filter: HistoryFilter,
    within size: ResultSize = ResultSize(atMost: nil)
  ) throws -> [PlacedCell] {
    var size = size
    var cells: [PlacedCell] = []
    if let row = identity.row {
      var numbers: [Int64] = []
      if let key {
        if let number = catalogue.keyNumbers[key] { numbers = [number] }
      } else {
        numbers = [TouchIndex.lifeKey] + (try touches.keys(row: row))
      }
      for number in numbers {
        let place = (row: row, key: number)
        cells += try touchedCells(of: identity, at: place, limit: limit, filter, &size)
      }
    }
    let touched = Array(sorted(cells).prefix(limit ?? .max))
    if let limit, touched.count == limit, let last = touched.last,
      try last.touch.time > latestBirth(of: identity)
    {
      return touched
    }
    let born = try bornCells(of: identity, filter).filter { key == nil || $0.content.key == key }
    return Array(sorted(cells + born).prefix(limit ?? .max))
  }

  /// Returns an upper bound of the times of an entity's creation cells, without decoding their
  /// block.
  func latestBirth(of identity: Identity) throws -> HybridTime {
    guard let born = identity.born else { return .distantPast }
    let info = try log.commit(ofBlock: born)
    if info.n == log.pending?.n { return .distantFuture }
    let statement = try connection.statement("SELECT latest FROM varve_postdated WHERE n = ?")
    statement.bind(1, info.n)
    defer { statement.reset() }
    return try statement.step() ? HybridTime(rawValue: statement.int(0)) : info.summary.time
  }

  /// Returns the cells of a key, latest first, up to the limit, including all with the time of the
  /// last one.
  private func touchedCells(
    of identity: Identity,
    at place: (row: Int64, key: Int64),
    limit: Int?,
    _ filter: HistoryFilter,
    _ size: inout ResultSize
  ) throws -> [PlacedCell] {
    let (row, number) = place
    var touches: [Touch] = []
    // Several cells of one property, time and commit count as one.
    var count = 0
    var commitsOfTime: Set<Int64> = []
    try forEachTouch(row: row, key: number, notAfter: filter.cutoff) { touch in
      try Task.checkCancellation()
      if let last = touches.last, touch.time < last.time {
        if let limit, count >= limit { return false }
        commitsOfTime.removeAll(keepingCapacity: true)
      }
      guard try filter.includes(touch.info) else { return true }
      touches.append(touch)
      if number == TouchIndex.lifeKey || commitsOfTime.insert(touch.info.n).inserted { count += 1 }
      return true
    }
    let key = number == TouchIndex.lifeKey ? nil : catalogue.keys[number]
    return try touches.map { touch in
      try Task.checkCancellation()
      let content = try cell(touch, of: identity, key: key)
      try size.add(content, of: touch.info.summary)
      return PlacedCell(content: content, touch: touch)
    }
  }

  /// Sorts greatest first and removes duplicates. Of several cells of one property, time and
  /// commit, only the last is kept (R3).
  private func sorted(_ cells: [PlacedCell]) -> [PlacedCell] {
    let ordered = cells.sorted { left, right in
      let (first, second) = (left.touch.order, right.touch.order)
      if first != second { return second < first }
      guard let key = left.content.key else { return false }
      return right.content.key.map { key < $0 } ?? true
    }
    var seen: Set<Slot> = []
    return ordered.filter { cell in
      let ordinal = cell.content.key == nil ? cell.touch.ordinal : -1
      return seen.insert(
        Slot(
          key: cell.content.key,
          time: cell.touch.time,
          commit: cell.touch.info.n,
          ordinal: ordinal
        )
      ).inserted
    }
  }

  /// Returns the log, newest arrival first.
  func log(limit: Int?, offset: Int, _ filter: HistoryFilter) throws -> [CommitSummary] {
    let statement = try connection.ownStatement(
      "SELECT n FROM varve_commit ORDER BY n DESC"
    )
    var summaries: [CommitSummary] = []
    var size = ResultSize()
    var passed = 0
    while summaries.count < limit ?? .max, try statement.step() {
      try Task.checkCancellation()
      let info = try log.commit(ofBlock: statement.int(0))
      guard try filter.includes(info), info.summary.time <= filter.cutoff else { continue }
      passed += 1
      guard passed > offset else { continue }
      try size.add(info.summary)
      summaries.append(info.summary)
    }
    return summaries
  }
}

/// The properties that cells share if they count as one.
private struct Slot: Hashable {
  var key: PropertyKey?
  var time: HybridTime
  var commit: Int64
  /// Distinguishes life cells, all of which count.
  var ordinal: Int
}
