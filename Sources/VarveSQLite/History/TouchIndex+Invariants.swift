import VarveCore

extension TouchIndex: InvariantChecking {
  /// Compares the copy in memory with the table.
  func checkInvariants() throws {
    if let broken = recent.brokenInvariant { try require(false, broken) }
    guard recent.version == connection.dataVersion else { return }
    try require(
      recent.hasTable || recent.bounds == RecentTouches.Bounds(),
      "recent touches are known of a table that is not there"
    )
    guard recent.hasTable else { return }
    let statement = try connection.ownStatement(
      "SELECT number, count, touches FROM varve_recent_touch ORDER BY number"
    )
    var (bounds, entries) = (RecentTouches.Bounds(), [Entry]())
    var loadedCount = 0
    while try statement.step() {
      try RecentTouches.decode(statement.bytes(2), into: &entries)
      bounds.last = statement.int(0)
      bounds.count = Int(statement.int(1))
      if bounds.first == 0 { bounds.first = bounds.last }
      if bounds.last <= recent.loadedThrough ?? 0 { loadedCount = entries.count }
      try require(
        bounds.count == entries.count,
        "row \(bounds.last) of the recent touches counts \(bounds.count) of \(entries.count)"
      )
    }
    try require(bounds == recent.bounds, "the bounds of the recent touches are not the table's")
    try require(
      recent.stored.elementsEqual(entries.prefix(loadedCount)),
      "the recent touches in memory are not those of the table"
    )
  }
}
