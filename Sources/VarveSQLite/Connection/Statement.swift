import Foundation
import SQLiteLibrary
import VarveCore

/// A prepared statement, bound and read by position.
///
/// SQLite does not copy bound texts and blobs: they are in an arena that lives until the next
/// binding.
final class Statement {
  private let handle: OpaquePointer
  private unowned let connection: Connection
  private let author: SQLiteFailure.Author
  private let interrupter: StatementInterrupter
  private var arena = UnsafeMutableRawPointer.allocate(byteCount: 1_024, alignment: 1)
  private var arenaCapacity = 1_024
  private var arenaCount = 0

  init(
    _ sql: String,
    _ connection: Connection,
    by author: SQLiteFailure.Author = .varve
  ) throws {
    // SQLite would read no further.
    guard !sql.utf8.contains(0) else {
      throw VarveError(
        .invalidQuery,
        "the SQL contains a zero character",
        at: connection.place,
        remedy: "Bind the text as a value, or write char(0) for the character."
      )
    }
    var handle: OpaquePointer?
    var isWhole = true
    let code = sql.withCString { text in
      var rest: UnsafePointer<CChar>?
      let flags = UInt32(SQLITE_PREPARE_PERSISTENT)
      let code = sqlite3_prepare_v3(connection.handle, text, -1, flags, &handle, &rest)
      isWhole = rest?.pointee == 0
      return code
    }
    guard code == SQLITE_OK else { throw connection.failure(code, by: author) }
    guard let handle else {
      throw VarveError(.invalidQuery, "the SQL is no statement", at: connection.place)
    }
    guard isWhole else {
      sqlite3_finalize(handle)
      throw VarveError(.invalidQuery, "the SQL is more than one statement", at: connection.place)
    }
    self.handle = handle
    self.connection = connection
    self.author = author
    interrupter = connection.interrupter
  }

  deinit {
    sqlite3_finalize(handle)
    arena.deallocate()
  }

  // MARK: Binding

  /// Reserves the given number of bytes for texts and blobs, and discards those bound before.
  /// SQLite copies what does not fit.
  @inline(__always)
  func reserve(_ byteCount: Int) {
    arenaCount = 0
    guard byteCount > arenaCapacity else { return }
    arena.deallocate()
    arenaCapacity = max(byteCount, arenaCapacity * 2)
    arena = .allocate(byteCount: arenaCapacity, alignment: 1)
  }

  @inline(__always)
  func bind(_ index: Int32, _ value: Int64) { sqlite3_bind_int64(handle, index, value) }

  @inline(__always)
  func bind(_ index: Int32, _ value: Double) { sqlite3_bind_double(handle, index, value) }

  @inline(__always)
  func bindNull(_ index: Int32) { sqlite3_bind_null(handle, index) }

  func bind(_ index: Int32, _ value: Int64?) {
    if let value { bind(index, value) } else { bindNull(index) }
  }

  func bind(_ index: Int32, text: String) {
    var text = text
    text.withUTF8 { bytes in
      if arenaCount + bytes.count <= arenaCapacity {
        let start = place(UnsafeRawBufferPointer(bytes))
        sqlite3_bind_text64(
          handle,
          index,
          start,
          UInt64(bytes.count),
          nil,
          UInt8(SQLITE_UTF8)
        )
      } else {
        bytes.withMemoryRebound(to: CChar.self) { characters in
          _ = sqlite3_bind_text64(
            handle,
            index,
            characters.baseAddress,
            UInt64(bytes.count),
            transient,
            UInt8(SQLITE_UTF8)
          )
        }
      }
    }
  }

  func bind(_ index: Int32, blob bytes: UnsafeRawBufferPointer) {
    if bytes.isEmpty {
      sqlite3_bind_zeroblob(handle, index, 0)
    } else if arenaCount + bytes.count <= arenaCapacity {
      sqlite3_bind_blob64(handle, index, place(bytes), UInt64(bytes.count), nil)
    } else {
      sqlite3_bind_blob64(handle, index, bytes.baseAddress, UInt64(bytes.count), transient)
    }
  }

  func bind(_ index: Int32, blob bytes: [UInt8]) {
    bytes.withUnsafeBytes { bind(index, blob: $0) }
  }

  func bind(_ index: Int32, _ id: EntityID) {
    switch id.storage {
    case .uuid(let high, let low):
      withUnsafeBytes(of: (high.bigEndian, low.bigEndian)) { bind(index, blob: $0) }
    case .text(let text): bind(index, text: text)
    }
  }

  /// Binds a value in the form it has in a column of its kind.
  func bind(_ index: Int32, _ value: Value) {
    switch value {
    case .bool(let value): bind(index, value ? 1 : 0 as Int64)
    case .int(let value): bind(index, value)
    case .double(let value): bind(index, value)
    case .string(let value): bind(index, text: value)
    case .date(let value): bind(index, value.timeIntervalSinceReferenceDate)
    case .data(let value): value.withUnsafeBytes { bind(index, blob: $0) }
    case .reference(let value): bind(index, value)
    case .array, .dictionary: bind(index, blob: value.encoded)
    }
  }

  /// Binds a packed value in the form it has in a column of its kind. Returns false if the form
  /// does not determine it. The bytes must stay valid until the statement has run.
  @inline(__always)
  func bind(
    _ index: Int32,
    _ slot: PackedValues.Slot,
    in bytes: UnsafeRawBufferPointer
  ) -> Bool {
    switch slot.form {
    case .bool, .int: bind(index, slot.int)
    case .double, .date:
      // SQLite would store a NaN as null.
      guard !slot.double.isNaN else { return false }
      bind(index, slot.double)
    case .string, .name: bind(index, lasting: slot.content(in: bytes))
    case .uuid: sqlite3_bind_blob64(handle, index, slot.content(in: bytes).baseAddress, 16, nil)
    case .nothing, .data, .nested: return false
    }
    return true
  }

  /// Binds a text whose bytes stay valid until the statement has run.
  func bind(_ index: Int32, lasting text: UnsafeRawBufferPointer) {
    guard let start = text.baseAddress else { return bind(index, text: "") }
    let characters = start.assumingMemoryBound(to: CChar.self)
    sqlite3_bind_text64(handle, index, characters, UInt64(text.count), nil, UInt8(SQLITE_UTF8))
  }

  /// Binds a value in the form it has in a column of its kind while a body runs. Its bytes are not
  /// copied because they may be most of the available memory.
  func withBound<Result>(
    _ index: Int32,
    _ value: Value?,
    _ body: () throws -> Result
  ) rethrows -> Result {
    switch value {
    case .data(let data)?:
      return try data.withUnsafeBytes { try withBound(index, lastingBlob: $0, body) }
    case .array?, .dictionary?:
      return try (value?.encoded ?? []).withUnsafeBytes {
        try withBound(index, lastingBlob: $0, body)
      }
    case .string(var text)?:
      return try text.withUTF8 { bytes in
        bind(index, lasting: UnsafeRawBufferPointer(bytes))
        defer { bindNull(index) }
        return try body()
      }
    case let value?:
      bind(index, value)
      return try body()
    case nil:
      bindNull(index)
      return try body()
    }
  }

  /// Binds bytes, or null if there are none, while a body runs.
  func withBound<Result>(
    _ index: Int32,
    _ bytes: UnsafeRawBufferPointer,
    _ body: () throws -> Result
  ) rethrows -> Result {
    guard !bytes.isEmpty else {
      bindNull(index)
      return try body()
    }
    return try withBound(index, lastingBlob: bytes, body)
  }

  private func withBound<Result>(
    _ index: Int32,
    lastingBlob bytes: UnsafeRawBufferPointer,
    _ body: () throws -> Result
  ) rethrows -> Result {
    guard let start = bytes.baseAddress, !bytes.isEmpty else {
      sqlite3_bind_zeroblob(handle, index, 0)
      return try body()
    }
    sqlite3_bind_blob64(handle, index, start, UInt64(bytes.count), nil)
    defer { bindNull(index) }
    return try body()
  }

  func bind(_ values: [SQLValue]) {
    for (position, value) in values.enumerated() {
      let index = Int32(position + 1)
      switch value {
      case .null: bindNull(index)
      case .integer(let value): bind(index, value)
      case .real(let value): bind(index, value)
      case .text(let value): bind(index, text: value)
      case .blob(let value): bind(index, blob: value)
      }
    }
  }

  /// Copies bytes into the arena, which must have room for them.
  @inline(__always)
  private func place(_ bytes: UnsafeRawBufferPointer) -> UnsafePointer<CChar> {
    let start = arena + arenaCount
    if let base = bytes.baseAddress { start.copyMemory(from: base, byteCount: bytes.count) }
    arenaCount += bytes.count
    return UnsafePointer(start.assumingMemoryBound(to: CChar.self))
  }

  // MARK: Running

  /// Advances to the next row. Returns false after the last.
  ///
  /// - Throws: `CancellationError` if the task is cancelled while a caller's query runs.
  func step() throws -> Bool {
    let code = interrupter.step(handle, mayEnd: author == .user)
    if code == SQLITE_ROW { return true }
    if code == SQLITE_DONE { return false }
    let failure = failure(code)
    sqlite3_reset(handle)
    throw failure
  }

  private func failure(_ code: Int32) -> any Error {
    code == SQLITE_INTERRUPT
      ? interrupter.error(at: connection.place) : connection.failure(code, by: author)
  }

  /// Goes on to the next row of sums, as ``step()`` does; nil if a sum of integers overflowed.
  ///
  /// SQLite reports this only in a text, which is examined here and nowhere else.
  func stepSumming() throws -> Bool? {
    let code = interrupter.step(handle, mayEnd: author == .user)
    if code == SQLITE_ROW { return true }
    if code == SQLITE_DONE { return false }
    defer { sqlite3_reset(handle) }
    let text = sqlite3_errmsg(connection.handle).map { String(cString: $0) }
    guard code != SQLITE_ERROR || text != "integer overflow" else { return nil }
    throw failure(code)
  }

  /// Runs the statement to the end and resets it.
  func run() throws {
    defer { reset() }
    while try step() {}
  }

  func reset() { sqlite3_reset(handle) }

  /// Whether the statement has been stepped, and has neither ended nor been reset.
  var isBusy: Bool { sqlite3_stmt_busy(handle) != 0 }

  /// The number of placeholders.
  var parameterCount: Int { Int(sqlite3_bind_parameter_count(handle)) }

  /// The names of the columns.
  var columnNames: [String] {
    (0..<sqlite3_column_count(handle)).map { index in
      sqlite3_column_name(handle, index).map { String(cString: $0) } ?? ""
    }
  }

  /// Returns a value in the storage class that SQLite has it in.
  func native(_ index: Int32) -> Value? {
    switch sqlite3_column_type(handle, index) {
    case SQLITE_INTEGER: .int(int(index))
    case SQLITE_FLOAT: .double(sqlite3_column_double(handle, index))
    case SQLITE_TEXT: .string(text(index))
    case SQLITE_BLOB: .data(Data(blob(index)))
    default: nil
    }
  }

  /// The number of bytes of a text or a blob; 0 for any other value.
  func byteCount(_ index: Int32) -> Int {
    switch sqlite3_column_type(handle, index) {
    case SQLITE_TEXT, SQLITE_BLOB: Int(sqlite3_column_bytes(handle, index))
    default: 0
    }
  }

  /// Whether the statement only reads.
  var isReadOnly: Bool { sqlite3_stmt_readonly(handle) != 0 }

  // MARK: Reading

  var columnCount: Int32 { sqlite3_column_count(handle) }

  @inline(__always)
  func isNull(_ index: Int32) -> Bool { sqlite3_column_type(handle, index) == SQLITE_NULL }

  @inline(__always)
  func type(_ index: Int32) -> Int32 { sqlite3_column_type(handle, index) }

  @inline(__always)
  func int(_ index: Int32) -> Int64 { sqlite3_column_int64(handle, index) }

  func optionalInt(_ index: Int32) -> Int64? { isNull(index) ? nil : int(index) }

  @inline(__always)
  func double(_ index: Int32) -> Double { sqlite3_column_double(handle, index) }

  @inline(__always)
  func text(_ index: Int32) -> String {
    guard let start = sqlite3_column_text(handle, index) else { return "" }
    let count = Int(sqlite3_column_bytes(handle, index))
    return String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
  }

  /// Returns a column of the row, for a caller that reads several of its attributes with one
  /// lookup. It is valid until the next step, on the thread that steps.
  @inline(__always)
  func column(_ index: Int32) -> OpaquePointer? { sqlite3_column_value(handle, index) }

  /// Returns a text, or nil for null.
  @inline(__always)
  func optionalText(_ index: Int32) -> String? {
    let column = column(index)
    guard let start = sqlite3_value_text(column) else { return nil }
    let count = Int(sqlite3_value_bytes(column))
    return String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
  }

  /// Returns an integer, or nil for any other value.
  @inline(__always)
  func optionalInteger(_ index: Int32) -> Int64? {
    let column = column(index)
    return sqlite3_value_type(column) == SQLITE_INTEGER ? sqlite3_value_int64(column) : nil
  }

  /// Returns whether a text of the row has the given bytes.
  @inline(__always)
  func isText(_ column: OpaquePointer?, _ wanted: UnsafeRawBufferPointer) -> Bool {
    guard let start = sqlite3_value_text(column), Int(sqlite3_value_bytes(column)) == wanted.count
    else { return false }
    guard let base = wanted.baseAddress else { return true }
    return memcmp(start, base, wanted.count) == 0
  }

  func blob(_ index: Int32) -> [UInt8] { Array(bytes(index)) }

  /// Returns the bytes of a blob, valid until the next step.
  func bytes(_ index: Int32) -> UnsafeRawBufferPointer {
    let start = sqlite3_column_blob(handle, index)
    return UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, index)))
  }

  func id(_ index: Int32) throws -> EntityID { try optionalID(index) ?? EntityID(unchecked: "") }

  /// Returns an identifier, or nil for null.
  func optionalID(_ index: Int32) throws -> EntityID? {
    let column = column(index)
    switch sqlite3_value_type(column) {
    case SQLITE_NULL: return nil
    case SQLITE_BLOB:
      let start = sqlite3_value_blob(column)
      let bytes = UnsafeRawBufferPointer(start: start, count: Int(sqlite3_value_bytes(column)))
      guard bytes.count == 16 else { throw connection.damaged("an identifier has a wrong length") }
      return EntityID(uuid: bytes)
    default: return EntityID(unchecked: text(index))
    }
  }
}

/// The destructor that makes SQLite copy what is bound.
private let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
