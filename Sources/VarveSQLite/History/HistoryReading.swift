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
    var size = ResultSize()
    let touched = try touchedCells(of: identity, key: key, limit: limit, filter, &size)
    if let key, touched.isEmpty, let versions = try versionsOfCreation(of: identity, key, filter) {
      return Array(versions.prefix(limit ?? .max))
    }
    return try cells(of: identity, key: key, limit: limit, filter, touched: touched).map(\.version)
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
    let touched = try touchedCells(of: identity, key: key, limit: limit, filter, &size)
    return try cells(of: identity, key: key, limit: limit, filter, touched: touched)
  }

  /// Returns the cells of the creation and the touched ones, greatest first.
  private func cells(
    of identity: Identity,
    key: PropertyKey?,
    limit: Int?,
    _ filter: HistoryFilter,
    touched cells: [PlacedCell]
  ) throws -> [PlacedCell] {
    let touched = Array(sorted(cells).prefix(limit ?? .max))
    if let limit, touched.count == limit, let last = touched.last,
      try last.touch.time > latestBirth(of: identity)
    {
      return touched
    }
    let born = try bornCells(of: identity, filter).filter { key == nil || $0.content.key == key }
    return Array(sorted(cells + born).prefix(limit ?? .max))
  }

  /// Returns the cells that were written since the creation, of one property or of all.
  private func touchedCells(
    of identity: Identity,
    key: PropertyKey?,
    limit: Int?,
    _ filter: HistoryFilter,
    _ size: inout ResultSize
  ) throws -> [PlacedCell] {
    guard let row = identity.row else { return [] }
    var numbers: [Int64] = []
    if let key {
      if let number = catalogue.keyNumbers[key] { numbers = [number] }
    } else {
      numbers = [TouchIndex.lifeKey] + (try touches.keys(row: row))
    }
    var cells: [PlacedCell] = []
    for number in numbers {
      let place = (row: row, key: number)
      cells += try touchedCells(of: identity, at: place, limit: limit, filter, &size)
    }
    return cells
  }

  /// Returns an upper bound of the times of an entity's creation cells, without decoding their
  /// block.
  func latestBirth(of identity: Identity) throws -> HybridTime {
    guard let born = identity.born else { return .distantPast }
    return try log.commit(ofBlock: born).latest
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
    var found: [Touch] = []
    // Several cells of one property, time and commit count as one.
    var count = 0
    var commitsOfTime: Set<Int64> = []
    try touches.forEach(row: row, key: number, notAfter: filter.cutoff) { entry in
      try Task.checkCancellation()
      if let last = found.last, entry.time < last.time.rawValue {
        if let limit, count >= limit { return false }
        commitsOfTime.removeAll(keepingCapacity: true)
      }
      let touch = try touch(entry)
      guard try filter.includes(touch.info) else { return true }
      found.append(touch)
      if number == TouchIndex.lifeKey || commitsOfTime.insert(touch.info.n).inserted { count += 1 }
      return true
    }
    let key = number == TouchIndex.lifeKey ? nil : catalogue.keys[number]
    return try found.map { touch in
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
