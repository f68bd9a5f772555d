import GRDBSQLite

/// A prepared statement, bound and read by position.
final class RawStatement {
  private let handle: OpaquePointer
  private let database: RawDatabase

  init(_ handle: OpaquePointer, _ database: RawDatabase) {
    self.handle = handle
    self.database = database
  }

  deinit { sqlite3_finalize(handle) }

  @inline(__always)
  func bind(_ index: Int32, _ value: Int64) { sqlite3_bind_int64(handle, index, value) }

  @inline(__always)
  func bind(_ index: Int32, _ value: Double) { sqlite3_bind_double(handle, index, value) }

  @inline(__always)
  func bind(_ index: Int32, _ value: String) {
    var value = value
    value.withUTF8 { bytes in
      bytes.withMemoryRebound(to: CChar.self) { characters in
        _ = sqlite3_bind_text(
          handle,
          index,
          characters.baseAddress,
          Int32(characters.count),
          transient
        )
      }
    }
  }

  @inline(__always)
  func step() throws -> Bool {
    switch sqlite3_step(handle) {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    default: throw database.failure("step")
    }
  }

  @inline(__always)
  func reset() { sqlite3_reset(handle) }

  func clearBindings() { sqlite3_clear_bindings(handle) }

  @inline(__always)
  func isNull(_ index: Int32) -> Bool { sqlite3_column_type(handle, index) == SQLITE_NULL }

  @inline(__always)
  func optionalInt(_ index: Int32) -> Int? { isNull(index) ? nil : Int(int(index)) }

  @inline(__always)
  func optionalText(_ index: Int32) -> String? { isNull(index) ? nil : text(index) }

  @inline(__always)
  func int(_ index: Int32) -> Int64 { sqlite3_column_int64(handle, index) }

  @inline(__always)
  func double(_ index: Int32) -> Double { sqlite3_column_double(handle, index) }

  /// Returns the first two bytes of a text, which distinguish the keys.
  @inline(__always)
  func textStart(_ index: Int32) -> UInt16 {
    guard let start = sqlite3_column_text(handle, index), start[0] != 0 else { return 0 }
    return UInt16(start[0]) << 8 | UInt16(start[1])
  }

  @inline(__always)
  func text(_ index: Int32) -> String {
    guard let start = sqlite3_column_text(handle, index) else { return "" }
    let count = Int(sqlite3_column_bytes(handle, index))
    return String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
  }
}

/// The destructor that makes SQLite copy what is bound.
private let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
