import VarveCore

/// Folds history: redacts the values that no read from the horizon on can return.
extension Session {
  /// The number of cells redacted at a time, so that memory use does not grow with the store.
  private static let foldedCapacity = 200_000

  /// Folds history up to a time, in the commit being written.
  ///
  /// - Parameter redact: writes and applies redactions.
  /// - Returns: the number of folded cells.
  /// - Complexity: O(entities + cells of properties written more than once).
  func compact(upTo time: HybridTime, _ redact: ([Redaction]) throws -> Void) throws -> Int {
    let unseenDead = Set(try unseenDeaths().map(\.entity))
    var count = 0
    var batch = FoldedPlaces()
    var ids: [EntityID] = []
    repeat {
      ids = try identifiers(after: ids.last)
      for id in ids where !unseenDead.contains(id) {
        count += try fold(id, upTo: time, into: &batch)
      }
      if batch.count >= Self.foldedCapacity || ids.isEmpty {
        try redact(try redactions(batch))
        batch = FoldedPlaces()
      }
    } while !ids.isEmpty
    return count
  }

  /// Returns the commits stamped up to a time, without the one being written.
  func horizon(upTo time: HybridTime) throws -> Horizon {
    var heads: [CommitID] = []
    for chain in log.lineages.values {
      var (low, high) = (chain.forkSequence + 1, chain.appliedSequence)
      var newest: CommitID?
      while low <= high {
        let middle = (low + high) / 2
        guard let n = try commitNumber(lineage: chain.id, sequence: middle) else { break }
        let summary = try commit(ofBlock: n).summary
        if summary.time <= time {
          newest = summary.id
          low = middle + 1
        } else {
          high = middle - 1
        }
      }
      if let newest { heads.append(newest) }
    }
    return Horizon(time: time, frontier: Frontier(heads))
  }

  private func identifiers(after id: EntityID?) throws -> [EntityID] {
    let statement = try connection.statement(
      id == nil
        ? "SELECT id FROM varve_identity ORDER BY id LIMIT 1000"
        : "SELECT id FROM varve_identity WHERE id > ? ORDER BY id LIMIT 1000"
    )
    statement.reserve(1_024)
    if let id { statement.bind(1, id) }
    defer { statement.reset() }
    var ids: [EntityID] = []
    while try statement.step() { ids.append(try statement.id(0)) }
    return ids
  }

  private func fold(
    _ id: EntityID,
    upTo time: HybridTime,
    into batch: inout FoldedPlaces
  ) throws -> Int {
    guard let identity = try identity(id), let row = identity.row else { return 0 }
    var count = 0
    var born: [PlacedCell]?
    for number in try touches.keys(row: row) {
      var touches: [Touch] = []
      func offer(_ touch: Touch) {
        guard touch.info.n != pending?.n, touch.info.summary.time <= time else { return }
        touches.append(touch)
      }
      try forEachTouch(row: row, key: number, notAfter: time) { touch in
        offer(touch)
        return true
      }
      guard !touches.isEmpty else { continue }
      let key = catalogue.keys[number]
      let cells = try born ?? bornCells(of: identity, .now)
      born = cells
      for cell in cells where cell.content.key == key && cell.touch.time <= time {
        let isTouched = touches.contains {
          $0.block == cell.touch.block && $0.ordinal == cell.touch.ordinal
        }
        if !isTouched { offer(cell.touch) }
      }
      let folded = try SupersededCells.indices(among: touches, order: \.order) {
        try hasSeen($0.info, $1.info)
      }
      for index in folded { batch.add(touches[index], key: number) }
      count += folded.count
    }
    return count
  }

  private func redactions(_ batch: FoldedPlaces) throws -> [Redaction] {
    try batch.places.sorted { $0.key < $1.key }.map { n, keys in
      let parts = keys.sorted { $0.key < $1.key }.compactMap { number, ordinals in
        catalogue.keys[number].map { Redaction.Part(key: $0, ordinals: OrdinalSet(ordinals)) }
      }
      return Redaction(try commit(ofBlock: n).summary.id, parts)
    }
  }
}

/// Places of cells by the numbers of their commit and their key.
private struct FoldedPlaces {
  private(set) var places: [Int64: [Int64: [Int]]] = [:]
  private(set) var count = 0

  mutating func add(_ touch: Touch, key: Int64) {
    places[touch.info.n, default: [:]][key, default: []].append(touch.ordinal)
    count += 1
  }
}
