import VarveCore

/// The part of a long history that what was written since a time may concern.
extension Session {
  /// Returns the cells of an entity's life, greatest first. Those of its properties are not read,
  /// but for the values of its creation.
  func lives(of id: EntityID, _ filter: HistoryFilter) throws -> [Version] {
    guard let identity = try identity(id) else { return [] }
    let touched = try touchedPlaces(ofLife: identity, filter).map { place in
      PlacedCell(content: try cell(place.touch, of: identity, key: nil), touch: place.touch)
    }
    let born = try bornCells(of: identity, filter).filter { $0.content.key == nil }
    return (touched + born).newestFirst.map(\.version)
  }

  /// Returns a number of the greatest cells of a property among which are all that commits stamped
  /// at a time or later wrote, and one more; nil if that is no less than all, or if several chains
  /// wrote some.
  ///
  /// - Complexity: O(touches of the property), of which none is decoded, and O(runs × log commits).
  func cellCount(
    of id: EntityID,
    key: PropertyKey,
    writtenFrom time: HybridTime
  ) throws -> Int? {
    guard let identity = try identity(id), let row = identity.row,
      let number = catalogue.keyNumbers[key]
    else { return nil }
    var runs = try RunSearch(log.countedRuns(nil), from: time, in: log)
    if let born = identity.born { runs.visit(born) }
    var (count, reach) = (0, 0)
    try touches.forEach(row: row, key: number) { entry in
      if count % 4_096 == 0 { try Task.checkCancellation() }
      count += 1
      if runs.visit(entry.block) { reach = count }
      return !runs.areSeveralChains
    }
    return runs.areSeveralChains || reach + 1 >= count ? nil : reach + 1
  }
}

/// Finds the runs of commits that wrote blocks.
private struct RunSearch {
  private struct Run {
    let chainID: Int64
    /// The numbers of the first commit, and of the first one stamped at the time or later.
    let first: Int64
    let later: Int64
  }

  private let runs: [Run]
  private var place = 0
  private var chainID: Int64?
  /// Whether blocks of several chains were visited.
  private(set) var areSeveralChains = false

  init(_ runs: [CommitRun], from time: HybridTime, in log: LogTables) throws {
    self.runs = try runs.map { run in
      let later = try log.first(of: run, from: run.first) { $0.time >= time }
      return Run(chainID: run.chainID, first: run.first.n, later: later?.n ?? .max)
    }
  }

  /// Returns whether a commit that wrote a block is stamped at the time or later.
  @discardableResult
  mutating func visit(_ block: Int64) -> Bool {
    if !isInPlace(block) { find(block) }
    guard runs.indices.contains(place) else { return true }
    let run = runs[place]
    if chainID == nil { chainID = run.chainID }
    if chainID != run.chainID { areSeveralChains = true }
    return block >= run.later
  }

  private func isInPlace(_ block: Int64) -> Bool {
    guard runs.indices.contains(place), runs[place].first <= block else { return false }
    return place + 1 == runs.count || block < runs[place + 1].first
  }

  /// Finds the last run that begins at a block or before it.
  private mutating func find(_ block: Int64) {
    var (low, high) = (0, runs.count)
    while low < high {
      let middle = (low + high) / 2
      if runs[middle].first <= block { low = middle + 1 } else { high = middle }
    }
    place = low - 1
  }
}
