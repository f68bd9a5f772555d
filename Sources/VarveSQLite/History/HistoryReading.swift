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
    let places = try touchedPlaces(of: identity, key: key, limit: limit, filter)
    if let key, places.isEmpty, let versions = try versionsOfCreation(of: identity, key, filter) {
      return Array(versions.prefix(limit ?? .max))
    }
    return try cells(of: identity, key: key, limit: limit, filter, at: places, &size)
      .map(\.version)
  }

  /// Returns the cells with their places.
  ///
  /// - Parameter size: the bound of the cells that are read; by default there is none.
  /// - Complexity: a look into the index for each key, and for each place that is not after the
  ///   last one returned; only the cells returned are read, and those of the creation if one of
  ///   them may be among them.
  func placedCells(
    of identity: Identity,
    key: PropertyKey?,
    limit: Int?,
    _ filter: HistoryFilter,
    within size: ResultSize = ResultSize(atMost: nil)
  ) throws -> [PlacedCell] {
    var size = size
    let places = try touchedPlaces(of: identity, key: key, limit: limit, filter)
    return try cells(of: identity, key: key, limit: limit, filter, at: places, &size)
  }

  /// Returns the cells at places, and those of the creation, greatest first.
  private func cells(
    of identity: Identity,
    key: PropertyKey?,
    limit: Int?,
    _ filter: HistoryFilter,
    at places: [TouchedPlace],
    _ size: inout ResultSize
  ) throws -> [PlacedCell] {
    let touched = try places.map { place in
      try Task.checkCancellation()
      let content = try cell(place.touch, of: identity, key: place.key)
      try size.add(content, of: place.touch.info.summary)
      return PlacedCell(content: content, touch: place.touch)
    }
    if let limit, touched.count == limit, let last = touched.last,
      try last.touch.time > latestBirth(of: identity)
    {
      return touched
    }
    let born = try bornCells(of: identity, key: key, filter)
    return Array((touched + born).newestFirst.prefix(limit ?? .max))
  }

  /// Returns an upper bound of the times of an entity's creation cells, without decoding their
  /// block.
  func latestBirth(of identity: Identity) throws -> HybridTime {
    guard let born = identity.born else { return .distantPast }
    return try log.commit(ofBlock: born).latest
  }

  /// Returns the places of the greatest cells after the creation, greatest first, up to the limit.
  private func touchedPlaces(
    of identity: Identity,
    key: PropertyKey?,
    limit: Int?,
    _ filter: HistoryFilter
  ) throws -> [TouchedPlace] {
    guard let row = identity.row else { return [] }
    var numbers: [Int64] = []
    if let key {
      if let number = catalogue.keyNumbers[key] { numbers = [number] }
    } else {
      numbers = [TouchIndex.lifeKey] + (try touches.keys(row: row))
    }
    var places: [TouchedPlace] = []
    for number in numbers {
      // What is earlier than as many as the limit is not among them.
      let isFull = limit.map { places.count >= $0 } ?? false
      let earliest = isFull ? places.last?.touch.time ?? .distantFuture : .distantPast
      let key = number == TouchIndex.lifeKey ? nil : catalogue.keys[number]
      places += try touches(
        at: (row: row, key: number),
        limit: limit,
        from: earliest,
        filter
      ).map { TouchedPlace(key: key, touch: $0) }
      places = Array(places.newestFirst.prefix(limit ?? .max))
    }
    return places
  }

  /// Returns the places of the cells of a life after the creation, greatest first.
  func touchedPlaces(
    ofLife identity: Identity,
    _ filter: HistoryFilter
  ) throws -> [TouchedPlace] {
    guard let row = identity.row else { return [] }
    return try touches(
      at: (row: row, key: TouchIndex.lifeKey),
      limit: nil,
      from: .distantPast,
      filter
    ).map { TouchedPlace(key: nil, touch: $0) }
  }

  /// Returns the touches of a key, latest first, up to the limit, including all with the time of the
  /// last one.
  private func touches(
    at place: (row: Int64, key: Int64),
    limit: Int?,
    from earliest: HybridTime,
    _ filter: HistoryFilter
  ) throws -> [Touch] {
    let (row, number) = place
    var found: [Touch] = []
    // Several cells of one property, time and commit count as one.
    var count = 0
    var commitsOfTime: Set<Int64> = []
    try touches.forEach(row: row, key: number, notAfter: filter.cutoff) { entry in
      try Task.checkCancellation()
      guard entry.time >= earliest.rawValue else { return false }
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
    return found
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
