import VarveCore

/// The places of the history of every property: `varve_touch`, ordered by property, and
/// `varve_recent_touch`, with the touches that are not sorted in yet.
///
/// It owns both tables and the copy of the second in memory. Nothing else writes them.
///
/// Invariants, between transactions and at the end of each:
/// - The copy holds the rows of `varve_recent_touch` up to some row, in order.
/// - The last row's count is the number of touches in all rows.
/// - The open transaction's touches are in the copy or in the table, never in both.
///
/// `varve_recent_touch` has a row per transaction, numbered from 1 without reuse, with its touches
/// and the number of touches from the first row to this one.
final class TouchIndex {
  /// A touch: a property's row and key, its cell's time, and the cell's place.
  typealias Entry = RecentTouches.Entry

  let connection: Connection
  var recent = RecentTouches()
  /// The sorted touches of some rows, while they are read together.
  var gathered: GatheredTouches?

  /// The key number of the touches of life cells.
  static let lifeKey: Int64 = 0

  init(_ connection: Connection) { self.connection = connection }

  /// The maximum number of touches that are kept unsorted.
  var capacity: Int {
    get { recent.capacity }
    set { recent.capacity = newValue }
  }

  // MARK: Transactions

  /// Forgets what another connection may have changed.
  func expire() { recent.expire() }

  /// Forgets everything read, and what a transaction added that was rolled back.
  func forget() { recent.forget() }

  /// Records that the open transaction was committed, and the resulting data version.
  func noteCommitted(version: UInt32) { recent.noteCommitted(version: version) }

  /// Adds the touches of the open transaction to the table, or sorts in all of them if there are
  /// many.
  func store() throws {
    guard recent.pendingCount > 0 else { return }
    try refresh()
    let count = recent.bounds.count + recent.pendingCount
    guard count < recent.capacity else { return try sortIn() }
    let number = recent.bounds.last + 1
    try addRow(number, count: count, RecentTouches.encode(recent.pending))
    recent.noteStored(as: number)
  }

  // MARK: Writing

  /// Records the place of a cell. Recording it again has no effect.
  func add(row: Int64, key: Int64, time: HybridTime, block: Int64, ordinal: Int) throws {
    recent.add(
      .init(row: row, key: key, time: time.rawValue, block: block, ordinal: Int64(ordinal))
    )
    if recent.pendingCount >= recent.capacity { try sortIn() }
  }

  /// Removes the record of a cell that is redacted.
  func remove(row: Int64, key: Int64, time: HybridTime, block: Int64, ordinal: Int) throws {
    try load()
    if recent.hasAny { try sortIn() }
    let delete = try connection.statement(
      "DELETE FROM varve_touch WHERE row = ? AND key = ? AND time = ? AND b = ? AND ordinal = ?"
    )
    delete.bind(1, row)
    delete.bind(2, key)
    delete.bind(3, time.rawValue)
    delete.bind(4, block)
    delete.bind(5, Int64(ordinal))
    try delete.run()
  }

  /// Drops all touches while the body drops and makes the tables, and starts over with an empty
  /// row. Its number is new, by which other connections detect the change.
  func remake(_ body: () throws -> Void) throws {
    try refresh()
    let last = recent.bounds.last
    try body()
    recent.forget()
    try begin(at: last + 1)
  }

  /// Moves all touches to the table that is ordered by property. An empty row remains; other
  /// connections detect the change by its number.
  private func sortIn() throws {
    try load()
    let entries = (recent.stored + recent.pending).sorted()
    for start in stride(from: 0, to: entries.count, by: RecentTouches.groupCount) {
      try insert(entries[start..<min(start + RecentTouches.groupCount, entries.count)])
    }
    if recent.hasTable { try connection.statement("DELETE FROM varve_recent_touch").run() }
    try begin(at: recent.bounds.last + 1)
  }

  /// Sorts in some touches, with one statement if they are as many as it takes.
  private func insert(_ entries: ArraySlice<Entry>) throws {
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
  private func begin(at number: Int64) throws {
    try addRow(number, count: 0, RecentTouches.encode([]))
    recent.noteSortedIn(number: number)
  }

  private func addRow(_ number: Int64, count: Int, _ bytes: [UInt8]) throws {
    if !recent.hasTable {
      try connection.execute(Schema.recentTouches)
      recent.hasTable = true
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

  // MARK: The copy in memory

  /// Loads the rows that are not loaded yet. Requires an open transaction that has read something.
  func load() throws {
    try refresh()
    guard !recent.isLoaded else { return }
    guard recent.hasTable else { return recent.load([]) }
    let statement = try connection.statement(
      "SELECT touches FROM varve_recent_touch WHERE number > ? ORDER BY number"
    )
    statement.bind(1, recent.loadedThrough ?? 0)
    defer { statement.reset() }
    var entries: [Entry] = []
    while try statement.step() { try RecentTouches.decode(statement.bytes(0), into: &entries) }
    recent.load(entries)
  }

  /// Reads the bounds of the table's rows if they may have changed.
  private func refresh() throws {
    let version = connection.dataVersion
    guard version != recent.version else { return }
    if !recent.hasTable { recent.hasTable = try connection.hasTable("varve_recent_touch") }
    guard recent.hasTable else { return recent.note(.init(), version: version) }
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
    recent.note(bounds, version: version)
  }
}
