import VarveCore

/// A connection with everything that is known of its store, for one reader or writer.
///
/// The catalogue, the log and the touches have owners. An owner alone writes its tables and keeps
/// the copies of them. The session applies cells to the other tables, and reads them.
///
/// `@unchecked Sendable`: a session is handed from holder to holder by a pool or a lock and is used
/// by one at a time.
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
  /// The past state whose tables stand ready in this connection.
  var past: PastTables?
  /// The views that hide tables of the present while SQL somebody wrote reads a past state.
  var pastViews: [String] = []
  /// Whether a transaction that writes is open.
  var isWriting = false
  /// The data version at which the catalogue was refreshed.
  var dataVersion: UInt32?

  init(_ connection: Connection) {
    self.connection = connection
    catalogue = CatalogueTables(connection)
    log = LogTables(connection)
    touches = TouchIndex(connection)
    SQLFunctions.registerStamp(on: connection.handle) { [unowned self] block in
      try? self.log.commit(ofBlock: block).order.sortKey
    }
  }

  /// Forgets every prepared statement, so that tables may be dropped or the file closed.
  func finalizeStatements() {
    plans.forget()
    connection.finalizeStatements()
  }

  func close() throws {
    finalizeStatements()
    try connection.close()
  }

  /// Reads again what another connection may have changed, and forgets what is read when it is needed.
  /// Every copy of what the file says is either named here or compared with a number in the file
  /// whenever it is used. Call with a transaction open.
  func refresh() throws {
    let version = connection.dataVersion
    guard version != dataVersion else { return }
    try refreshCatalogue()
    touches.expire()
    rows.placements.removeAll()
    dataVersion = version
  }

  /// Forgets every copy that may hold what a transaction wrote that was rolled back.
  func forgetCopies() {
    // Its tables were made in that transaction, and went with it.
    past = nil
    dataVersion = nil
    touches.forget()
    rows = RowMemory()
    // Plans are known by the catalogue's version, which another transaction will give out again.
    plans.forget()
  }

  /// Compares every copy with what it is a copy of. Call at the end of a transaction that writes.
  ///
  /// - Complexity: O(what is held in memory + the catalogue).
  func checkInvariants() throws {
    try catalogue.checkInvariants()
    try log.checkInvariants()
    try touches.checkInvariants()
    try checkRows()
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
