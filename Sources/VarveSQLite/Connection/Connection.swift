import CVarveSQLite
import Foundation
import SQLiteLibrary
import VarveCore

/// An SQLite connection, with its statements.
///
/// It is not safe for concurrent use: the holder of its session uses it alone.
final class Connection {
  /// SQLite's handle.
  var handle: OpaquePointer { database.pointer }
  private let database: DatabaseHandle
  /// The place of the database in errors.
  var place: String { StorePlace.current ?? path }
  private let path: String
  private var statements: [String: Statement] = [:]
  private var hotStatements = [Statement?](repeating: nil, count: HotStatement.allCases.count)

  /// The maximum number of prepared statements that are kept, because the number of different
  /// queries is not limited.
  private static let statementCapacity = 512

  /// The number of open savepoints.
  var savepointCount = 0
  private var watch: ConnectionWatch?
  /// Ends statements of callers.
  let interrupter: StatementInterrupter
  /// SQLite's costly functions with bounds, once a caller with bounds has come.
  private var boundedFunctions: BoundedFunctions?
  private var hasTableFunctions = false
  /// The number of bytes that the page cache is limited to.
  private var cacheByteCount = 0
  /// Whether the database is open.
  private var isOpen = true
  /// Whether the connection is among those that share the memory.
  private var isCounted = false

  /// The stores whose connections share memory with this one.
  private let openStores: OpenStores
  /// The use of the store's file; nil for other databases.
  let use: FileUse?
  let name: DatabaseName
  private let isReadOnly: Bool
  /// The number of the key that the connection was opened with; nil for a plain database.
  let keyGeneration: Int?
  /// The state in which the file is read alone; nil if its write-ahead log is read too.
  let still: StillFile?

  /// Opens a database.
  init(
    _ name: DatabaseName,
    isReadOnly: Bool,
    watch: StatementWatch? = nil,
    sharingWith openStores: OpenStores = .shared
  ) throws {
    self.openStores = openStores
    path = name.place
    (self.name, self.isReadOnly) = (name, isReadOnly)
    keyGeneration = name.key?.generation
    use = name.isStore ? try FileUse(name.path, at: name.place) : nil
    do {
      (database, still) = try Self.open(name, isReadOnly: isReadOnly)
    } catch {
      use?.end()
      throw name.refusal(of: error, generation: keyGeneration)
        ?? name.refusal(of: error, isReadOnly: isReadOnly) ?? SQLiteFailure.error(error, at: path)
    }
    interrupter = StatementInterrupter(database.pointer)
    openStores.noteConnections(1)
    isCounted = true
    adaptCache()
    try execute("PRAGMA synchronous = NORMAL")
    try execute("PRAGMA temp_store = MEMORY")
    try execute("PRAGMA wal_autocheckpoint = 0")
    // When the log restarts, the space that it took because of a slow reader is released.
    try execute("PRAGMA journal_size_limit = \(Checkpointer.pageThreshold * 4_096)")
    cleansUpOnClosing(false)
    // A misspelled name in double quotes is an error, and not a text.
    varve_refuse_quoted_texts(UnsafeMutableRawPointer(handle))
    countLogPages()
    // Nobody writes what SQLite itself keeps, and no SQL gives or takes addresses of the process.
    isDefended(true)
    SQLFunctions.registerRefused(on: handle)
    SQLFunctions.register(on: handle)
    self.watch = watch.map { ConnectionWatch($0, on: handle) }
    try use?.settle(UnsafeMutableRawPointer(handle), isReadOnly: isReadOnly)
  }

  deinit {
    uncount()
    // The file must not be released while SQLite has it open. A database that cannot be closed keeps it.
    do { try close() } catch { database.closeLater() }
  }

  private func uncount() {
    if isCounted { openStores.noteConnections(-1) }
    isCounted = false
  }

  /// Limits the page cache to this connection's share of the process's memory.
  func adaptCache() {
    let share = openStores.connectionShare
    guard share != cacheByteCount else { return }
    cacheByteCount = share
    try? execute("PRAGMA cache_size = -\(share / 1_024)")
  }

  /// Sets whether the last connection moves the log into the database and removes it when it
  /// closes.
  func cleansUpOnClosing(_ isOn: Bool) {
    varve_checkpoint_on_close(UnsafeMutableRawPointer(handle), isOn ? 1 : 0)
  }

  /// Sets whether SQLite refuses statements that could damage the database, such as those without a
  /// journal.
  func isDefended(_ isOn: Bool) {
    varve_defend(UnsafeMutableRawPointer(handle), isOn ? 1 : 0)
  }

  /// The number of pages in the write-ahead log after this connection's last commit.
  var logPageCount: Int { logPages.count }

  private final class PageCount { var count = 0 }
  private let logPages = PageCount()

  /// Counts the pages of the log with SQLite's hook, because the log's file keeps its size when the
  /// log restarts.
  private func countLogPages() {
    sqlite3_wal_hook(
      handle,
      { context, _, _, pageCount in
        if let context {
          Unmanaged<PageCount>.fromOpaque(context).takeUnretainedValue().count = Int(pageCount)
        }
        return SQLITE_OK
      },
      Unmanaged.passUnretained(logPages).toOpaque()
    )
  }

  /// Returns the cached statement for an SQL text.
  @inline(__always)
  func statement(_ sql: String) throws -> Statement {
    if let statement = statements[sql] { return statement }
    return try prepare(sql, by: .varve)
  }

  /// Returns a frequent statement, which is prepared once.
  @inline(__always)
  func statement(_ hot: HotStatement) throws -> Statement {
    if let statement = hotStatements[hot.rawValue] { return statement }
    let statement = try Statement(hot.sql, self)
    hotStatements[hot.rawValue] = statement
    return statement
  }

  private func prepare(_ sql: String, by author: SQLiteFailure.Author) throws -> Statement {
    if statements.count >= Self.statementCapacity { statements.removeAll() }
    let statement = try Statement(sql, self, by: author)
    statements[sql] = statement
    return statement
  }

  /// Returns an uncached statement for the caller alone, which can iterate while others run.
  func ownStatement(_ sql: String) throws -> Statement { try Statement(sql, self) }

  /// Returns a statement that the caller alone uses until it resets it: the cached one unless it is
  /// in use, or an uncached one.
  func freeStatement(_ sql: String) throws -> Statement {
    let cached = try statement(sql)
    return cached.isBusy ? try ownStatement(sql) : cached
  }

  /// Returns a frequent statement that the caller alone uses until it resets it: the cached one
  /// unless it is in use, or an uncached one.
  func freeStatement(_ hot: HotStatement) throws -> Statement {
    let cached = try statement(hot)
    return cached.isBusy ? try ownStatement(hot.sql) : cached
  }

  /// Returns a bound statement for a query: the cached one unless it is in use, or an uncached one.
  func query(_ sql: SQLFragment, isShared: Bool) throws -> Statement {
    let cached = isShared ? statements[sql.text] : nil
    let isFree = cached.map { !$0.isBusy } ?? true
    let statement =
      try isShared && isFree
      ? cached ?? prepare(sql.text, by: .user) : Statement(sql.text, self, by: .user)
    guard statement.parameterCount == sql.bindings.count else {
      throw invalidQuery(
        "the query's SQL has \(statement.parameterCount) placeholders in all for "
          + "\(sql.bindings.count) values"
      )
    }
    guard statement.isReadOnly else { throw invalidQuery("the query's SQL does more than read") }
    statement.reserve(0)
    statement.bind(sql.bindings)
    return statement
  }

  /// Returns a bound statement for a caller's own SQL, which may do nothing but read.
  func foreignQuery(_ sql: SQLFragment, of caller: CallerAuthorizer.Caller) throws -> Statement {
    guard sql.text.contains(where: { !$0.isWhitespace }) else {
      throw invalidQuery("the SQL is empty")
    }
    if case .remote = caller { try requireBounded(sql.text) }
    try connectTableFunctions()
    return try CallerAuthorizer(caller).whilePreparing(on: handle, at: place) {
      try query(sql, isShared: false)
    }
  }

  /// Connects SQLite's functions in place of tables. SQLite does this when one is first named, and
  /// asks for the right to change the schema.
  private func connectTableFunctions() throws {
    guard !hasTableFunctions else { return }
    // It fails where a type has one of these names, whose table then stands for the function.
    _ = try? ownStatement("SELECT 1 FROM json_each('[]'), json_tree('[]')")
    hasTableFunctions = true
  }

  /// Throws if preparing SQL could take long, which nothing ends. Bounds the functions that it calls.
  private func requireBounded(_ sql: String) throws {
    let limit = ReadBounds.statementByteCount
    guard sql.utf8.count <= limit else {
      throw invalidQuery("the SQL has \(sql.utf8.count) bytes, and may have \(limit)")
    }
    var nested = NestedSQL(sql)
    guard nested.repetitionCount() <= NestedSQL.limit else {
      throw invalidQuery("the SQL names its parts within each other too often")
    }
    if boundedFunctions == nil { boundedFunctions = BoundedFunctions(on: handle) }
  }

  private func invalidQuery(_ message: String) -> VarveError {
    VarveError(
      .invalidQuery,
      message,
      at: place,
      remedy:
        "Check custom SQL; nest conditions less deeply, or fetch less at a time."
    )
  }

  /// Runs one or more statements that return no rows.
  func execute(_ sql: String) throws {
    let code = sqlite3_exec(handle, sql, nil, nil, nil)
    guard code == SQLITE_OK else { throw failure(code) }
  }

  /// Commits the open transaction. If this fails, the transaction must be rolled back.
  func commit() throws {
    try statement(.commit).run()
  }

  /// Returns the first column of the first row as an integer.
  func integer(_ sql: String) throws -> Int64? {
    let statement = try ownStatement(sql)
    return try statement.step() ? statement.optionalInt(0) : nil
  }

  var changes: Int32 { sqlite3_changes(handle) }

  /// Whether no transaction is open.
  var isAutocommit: Bool { sqlite3_get_autocommit(handle) != 0 }

  /// Whether a transaction is open that has read something, so that it sees one state.
  var isReading: Bool { sqlite3_txn_state(handle, "main") != SQLITE_TXN_NONE }

  /// A number that changes when any connection changes the database. It is valid while a statement
  /// or a transaction is open.
  var dataVersion: UInt32 {
    var version: UInt32 = 0
    _ = sqlite3_file_control(handle, "main", SQLITE_FCNTL_DATA_VERSION, &version)
    return version
  }

  func failure(_ code: Int32, by author: SQLiteFailure.Author = .varve) -> VarveError {
    let extended = sqlite3_extended_errcode(handle)
    let isLast = extended & 0xFF == code & 0xFF
    if let refusal = name.refusal(code & 0xFF, generation: keyGeneration) { return refusal }
    if code & 0xFF == SQLITE_NOMEM, let refusal = refusalOfKey { return refusal }
    if let refusal = name.refusal(code & 0xFF, isReadOnly: isReadOnly) { return refusal }
    // The connection's message is that of its last call, which a copy's steps are not.
    let message = isLast ? sqlite3_errmsg(handle) : sqlite3_errstr(code)
    return SQLiteFailure.error(
      isLast ? extended : code,
      message.map { String(cString: $0) } ?? "unknown error",
      at: place,
      systemError: systemError(isLast ? extended : code),
      by: author
    )
  }

  private func systemError(_ code: Int32) -> Int32 {
    code == Self.writeFailure
      ? varve_write_errno(UnsafeMutableRawPointer(handle)) : sqlite3_system_errno(handle)
  }

  /// `SQLITE_IOERR_WRITE`, a macro too complex to be imported.
  private static let writeFailure = SQLITE_IOERR | 3 << 8

  func damaged(_ what: String) -> VarveError {
    VarveError(
      .damaged,
      what,
      at: place,
      remedy: "Run `varve check`; restore the file from a copy, or merge from another replica."
    )
  }

  /// Finalizes all statements, so that the schema can change or the file can be closed.
  func finalizeStatements() {
    statements.removeAll()
    for index in hotStatements.indices { hotStatements[index] = nil }
  }

  func close() throws {
    guard isOpen else { return }
    finalizeStatements()
    rollBack()
    uncount()
    do { try database.close() } catch { throw SQLiteFailure.error(error, at: place) }
    isOpen = false
    use?.end()
  }

  /// Ends a transaction that an error left open.
  private func rollBack() {
    if !isAutocommit { sqlite3_exec(handle, "ROLLBACK", nil, nil, nil) }
  }
}
