import VarveCore

/// `varve_recent_touch`: a row per transaction, numbered from 1 without reuse, with its touches and
/// the number of touches from the first row to this one.
extension Session {
  /// Loads the rows that are not loaded yet. Requires an open transaction that has read something.
  func loadRecentTouches() throws {
    try refreshRecentTouches()
    guard !recentTouches.isLoaded else { return }
    guard recentTouches.hasTable else { return recentTouches.load([]) }
    let statement = try connection.statement(
      "SELECT touches FROM varve_recent_touch WHERE number > ? ORDER BY number"
    )
    statement.bind(1, recentTouches.loadedThrough ?? 0)
    defer { statement.reset() }
    var entries: [RecentTouches.Entry] = []
    while try statement.step() { entries += try RecentTouches.decode(statement.bytes(0)) }
    recentTouches.load(entries)
  }

  /// Adds the touches of the open transaction to the table, or sorts in all of them if there are
  /// many.
  func storeRecentTouches() throws {
    guard !recentTouches.pending.isEmpty else { return }
    try refreshRecentTouches()
    let count = recentTouches.bounds.count + recentTouches.pending.count
    guard count < recentTouches.capacity else { return try sortInRecentTouches() }
    let number = recentTouches.bounds.last + 1
    try addRecentRow(number, count: count, RecentTouches.encode(recentTouches.pending))
    recentTouches.noteStored(as: number)
  }

  /// Moves all touches to the table that is ordered by property. An empty row remains; other
  /// connections detect the change by its number.
  func sortInRecentTouches() throws {
    try loadRecentTouches()
    let entries = (recentTouches.stored + recentTouches.pending).sorted()
    for start in stride(from: 0, to: entries.count, by: RecentTouches.groupCount) {
      try addTouches(entries[start..<min(start + RecentTouches.groupCount, entries.count)])
    }
    if recentTouches.hasTable {
      try connection.statement("DELETE FROM varve_recent_touch").run()
    }
    try beginRecentTouches(at: recentTouches.bounds.last + 1)
  }

  /// Sorts in some touches, with one statement if they are as many as it takes.
  private func addTouches(_ entries: ArraySlice<RecentTouches.Entry>) throws {
    let isWhole = entries.count == RecentTouches.groupCount
    let add = try connection.statement(isWhole ? .addTouches : .addTouch)
    var parameter: Int32 = 1
    for entry in entries {
      add.bind(parameter, entry.row)
      add.bind(parameter + 1, entry.key)
      add.bind(parameter + 2, entry.time)
      add.bind(parameter + 3, entry.block)
      add.bind(parameter + 4, entry.ordinal)
      if isWhole { parameter += 5 } else { try add.run() }
    }
    if isWhole { try add.run() }
  }

  /// Starts over with an empty row.
  func beginRecentTouches(at number: Int64) throws {
    try addRecentRow(number, count: 0, RecentTouches.encode([]))
    recentTouches.noteSortedIn(number: number)
  }

  private func addRecentRow(_ number: Int64, count: Int, _ bytes: [UInt8]) throws {
    if !recentTouches.hasTable {
      try connection.execute(Schema.recentTouches)
      recentTouches.hasTable = true
    }
    let statement = try connection.statement(
      "INSERT INTO varve_recent_touch (number, count, touches) VALUES (?, ?, ?)"
    )
    statement.reserve(bytes.count)
    statement.bind(1, number)
    statement.bind(2, Int64(count))
    statement.bind(3, blob: bytes)
    try statement.run()
  }

  /// Reads the bounds of the table's rows if they may have changed.
  func refreshRecentTouches() throws {
    let version = connection.dataVersion
    guard version != recentTouches.version else { return }
    if !recentTouches.hasTable { recentTouches.hasTable = try hasTable("varve_recent_touch") }
    guard recentTouches.hasTable else { return recentTouches.note(.init(), version: version) }
    var bounds = RecentTouches.Bounds()
    let last = try connection.statement(
      "SELECT number, count FROM varve_recent_touch ORDER BY number DESC LIMIT 1"
    )
    if try last.step() {
      bounds.last = last.int(0)
      bounds.count = Int(last.int(1))
    }
    last.reset()
    bounds.first =
      try connection.integer("SELECT number FROM varve_recent_touch ORDER BY number LIMIT 1") ?? 0
    recentTouches.note(bounds, version: version)
  }
}
