import VarveCore

/// A connection and the in-memory copies of its tables, for one reader or writer.
///
/// The catalogue, the log and the touches have owners. Only the owner writes its tables and keeps
/// copies of them. The connection writes the numbers in `varve_meta` for all of them. The session
/// reads the other tables, and applies cells to them.
///
/// `@unchecked Sendable`: a pool or a lock passes a session from one user to the next, so only one
/// uses it at a time.
final class Session: @unchecked Sendable {
  let connection: Connection
  let catalogue: CatalogueTables
  let log: LogTables
  /// The places of the cells of properties.
  let touches: TouchIndex
  /// The copies of single rows.
  var rows = RowMemory()
  /// Statements and plans made for a version of the catalogue.
  var plans = PreparedPlans()
  /// The state of applying a commit.
  var applying = Application()
  /// The state of destroying redacted bytes.
  var forgetting = ForgettingState()
  /// The past state whose tables this connection has made.
  var past: PastTables?
  /// Whether this connection has read a page of a past state, so that tables pay off.
  var hasReadPastPage = false
  /// Whether this connection ever made such tables, so that some may be there.
  var madePast = false
  /// What the open transaction wrote since it began to read a past state.
  var pastNotes: PastNotes?
  /// The names of the views that SQL of a caller sees while it runs.
  var callerViews: [String] = []
  /// Whether SQL of a caller sees dates as texts, and not as they are stored.
  var showsDates = false
  /// Returns the elements of the first of some to-many properties, in the state that a query reads.
  var elements: (EntityID, [PropertyKey]) throws -> [EntityID] = { _, _ in [] }
  /// The number of the next list of relevances.
  var relevanceSlot = 0
  /// Whether a transaction that writes is open.
  var isWriting = false
  /// The time of the open transaction: the wall clock's, or that of the log's home.
  var wall = HybridTime.distantPast
  /// The lead over the clock with which a commit of a sealed space still takes effect at once (R11).
  var toleranceMilliseconds = HybridClock.defaultToleranceMilliseconds
  /// The data version at which the catalogue was refreshed.
  var dataVersion: UInt32?

  init(_ connection: Connection, sealing: (any SpaceSealing)? = nil) {
    self.connection = connection
    catalogue = CatalogueTables(connection)
    log = LogTables(connection, sealing: sealing)
    touches = TouchIndex(connection)
    SQLFunctions.registerStamp(on: connection.handle) { [unowned self] block in
      try? self.log.commit(ofBlock: block).order.sortKey
    }
    SQLFunctions.registerDates(on: connection.handle) { [unowned self] in showsDates }
    SQLFunctions.registerElements(on: connection.handle) { [unowned self] id, keys in
      try self.elements(id, keys)
    }
  }

  /// Finalizes every prepared statement, so that tables can be dropped or the file closed.
  func finalizeStatements() {
    plans.forget()
    connection.finalizeStatements()
  }

  func close() throws {
    finalizeStatements()
    try connection.close()
  }

  /// Refreshes the copies that another connection may have made stale.
  ///
  /// Every copy of stored data is either refreshed here or compared with a number in the file when
  /// it is used. Requires an open transaction.
  func refresh() throws {
    let version = connection.dataVersion
    guard version != dataVersion else { return }
    try refreshCatalogue()
    touches.expire()
    rows.placements.removeAll()
    dataVersion = version
  }

  /// Discards every copy that may contain data of a transaction that was rolled back.
  func forgetCopies() {
    // Its tables were made in that transaction and are gone.
    past = nil
    pastNotes = nil
    dataVersion = nil
    touches.forget()
    rows = RowMemory()
    // Plans are identified by the catalogue's version, which another transaction will use again.
    plans.forget()
  }
}

extension Session {
  /// Begins a read transaction.
  func begin() throws { try connection.statement(.begin).run() }

  /// Ends the read transaction.
  func end() {
    if !callerViews.isEmpty { dropViews() }
    dropRelevances()
    _ = try? connection.statement(.commit).run()
    guard !connection.isAutocommit else { return }
    // The tables of a past state are as they were before.
    past = nil
    try? connection.execute("ROLLBACK")
  }
}

extension CommitOrder {
  /// Bytes whose order is the order of commits.
  fileprivate var sortKey: [UInt8] {
    var writer = ByteWriter(capacity: 56)
    writer.fixed(UInt64(bitPattern: stamp.time.rawValue) ^ 1 << 63)
    writer.replica(stamp.replica)
    writer.digest(hash)
    return writer.bytes
  }
}
