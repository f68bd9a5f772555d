import VarveCore

/// A connection with what is known of its store: everything a reader or a writer works with.
///
/// `@unchecked Sendable`: a session is handed from holder to holder by a pool or a lock and is used
/// by one at a time.
final class Session: @unchecked Sendable {
  let connection: Connection
  var catalogue = Catalogue()
  var log = LogState()
  /// The data version the copies above were read at.
  var dataVersion: UInt32?
  /// Commits and blocks read recently.
  var commits = RecentCommits()
  var blocks = RecentBlocks()
  /// The touches that are not sorted in yet.
  var recentTouches = RecentTouches()
  /// The commit being written, if there is one.
  var pending: PendingCommit?
  /// The past state whose tables stand ready in this connection.
  var past: PastTables?
  /// The views that hide tables of the present while SQL somebody wrote reads a past state.
  var pastViews: [String] = []

  /// Whether a transaction that writes is open.
  var isWriting = false
  /// The identifier looked up last in this transaction.
  var lastIdentity: Identity?
  /// The insertion planned last.
  var lastPlan: InsertionPlan?
  /// While a foreign commit is applied: the chains of which it had not seen all that is applied,
  /// with what it had seen.
  var unseen: [Int64: Int64] = [:]
  /// The blocks this transaction has replaced, if the log's home is to hear of them.
  var replaced: Set<Int64>?
  /// Whether cells were taken out of blocks since the last transaction ended.
  var isForgetting = false
  /// What is to be done about bytes of what was forgotten that may still stand in the file.
  var scrubStep: ScrubStep?
  /// While several cells are applied as one: whose lives they may change.
  var deferred: DeferredLiveness?
  /// The row whose overflow column is being changed.
  var bufferedRow: BufferedRow?
  /// The column that was set last.
  var lastColumn: ColumnUpdate?
  /// The statements that set one column, by type and key, with the catalogue's version.
  var columnUpdates: [ColumnUpdateKey: ColumnUpdate] = [:]
  /// How rows of each type are read, with the catalogue's version and the statement that finds one.
  var rowReaders: [Int64: (version: Int64, reader: RowReader, byRow: Statement)] = [:]
  /// How models are read, with the catalogue's version and the statement that finds one row.
  var shapePlans: [ObjectIdentifier: PreparedShape] = [:]
  /// The place in creation order of the last row of each type, where known.
  var placements: [Int64: CellOrder] = [:]

  init(_ connection: Connection) {
    self.connection = connection
    SQLFunctions.registerStamp(on: connection.handle) { [unowned self] block in
      try? self.commit(ofBlock: block).order.sortKey
    }
  }

  /// Forgets every prepared statement, so that tables may be dropped or the file closed.
  func finalizeStatements() {
    lastPlan = nil
    lastColumn = nil
    columnUpdates.removeAll()
    rowReaders.removeAll()
    shapePlans.removeAll()
    connection.finalizeStatements()
  }

  func close() throws {
    finalizeStatements()
    try connection.close()
  }

  /// Reads again what another connection may have changed, and forgets what is read when it is needed.
  /// Every copy of what the file says is either named here or compared with a number in the file
  /// whenever it is used. Call with a transaction open.
  func refresh(withLog: Bool) throws {
    let version = connection.dataVersion
    guard version != dataVersion else { return }
    try refreshCatalogue()
    if withLog { try loadLog() }
    recentTouches.expire()
    placements.removeAll()
    dataVersion = version
  }

  /// Forgets every copy that may hold what a transaction wrote that was rolled back.
  func forgetCopies() {
    // Its tables were made in that transaction, and went with it.
    past = nil
    bufferedRow = nil
    dataVersion = nil
    commits.removeAll()
    blocks.removeAll()
    recentTouches.forget()
    placements.removeAll()
    rowReaders.removeAll()
    columnUpdates.removeAll()
    // Plans are known by the catalogue's version, which another transaction will give out again.
    shapePlans.removeAll()
    lastPlan = nil
    lastColumn = nil
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
