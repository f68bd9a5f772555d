import SQLiteLibrary
import VarveCore

/// Ends statements that only read once the task that runs them is cancelled or the store is suspended,
/// or once they need more memory than they may.
///
/// SQLite calls it from time to time while a statement runs, on the thread of the task. Statements
/// of Varve are never ended half-way: what they write into temporary tables must be whole.
final class StatementInterrupter {
  private let handle: OpaquePointer
  /// Whether the statement that runs may be ended.
  private var isOn = false
  /// The number of bytes that SQLite may have allocated in this process.
  private var memoryEnd = Int64.max
  private var isOutOfMemory = false
  /// Whether the connection's store is suspended; nil if it cannot be.
  var suspension: Suspension?

  /// The steps of SQLite's machine between two calls, and those of a statement with bounds, of
  /// which each may allocate as much as a value may have.
  private static let (period, boundedPeriod): (Int32, Int32) = (4_000, 32)

  /// Observes a connection, which must retain the object.
  init(_ handle: OpaquePointer) {
    self.handle = handle
    observe(every: Self.period)
  }

  private func observe(every period: Int32) {
    sqlite3_progress_handler(
      handle,
      period,
      { context in
        guard let context else { return 0 }
        let interrupter = Unmanaged<StatementInterrupter>.fromOpaque(context)
        return interrupter.takeUnretainedValue().mustEnd ? 1 : 0
      },
      Unmanaged.passUnretained(self).toOpaque()
    )
  }

  private var mustEnd: Bool {
    guard isOn else { return false }
    if memoryEnd < .max, sqlite3_memory_used() > memoryEnd {
      isOutOfMemory = true
      return true
    }
    return Task.isCancelled || suspension?.isOn == true
  }

  /// Advances a statement.
  ///
  /// - Parameter mayEnd: whether it only reads, for a caller. A statement that runs within another,
  ///   in a function, is not ended, because the function may not pass the error on.
  @inline(__always)
  func step(_ statement: OpaquePointer, mayEnd: Bool) -> Int32 {
    guard isOn || mayEnd else { return sqlite3_step(statement) }
    let outer = isOn
    isOn = mayEnd
    defer { isOn = outer }
    return sqlite3_step(statement)
  }

  /// Runs a body whose statements have bounds. They end with an error beyond them.
  func bounded<Result>(by bounds: ReadBounds?, _ body: () throws -> Result) rethrows -> Result {
    guard let bounds else { return try body() }
    let longest = Int32(clamping: bounds.resultByteCount)
    let length = sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, longest)
    let patternLength = Self.patternLength(forTextsOf: Int(longest))
    let pattern = sqlite3_limit(handle, SQLITE_LIMIT_LIKE_PATTERN_LENGTH, patternLength)
    memoryEnd = sqlite3_memory_used() + Int64(bounds.memoryByteCount)
    observe(every: Self.boundedPeriod)
    defer {
      memoryEnd = .max
      observe(every: Self.period)
      sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, length)
      sqlite3_limit(handle, SQLITE_LIMIT_LIKE_PATTERN_LENGTH, pattern)
    }
    return try body()
  }

  /// Returns the maximum length of a pattern for texts of a size. Comparing a text with one is a
  /// single step, whose time is the product of both lengths.
  private static func patternLength(forTextsOf byteCount: Int) -> Int32 {
    Int32(clamping: min(1_000, max(100, (Int64(1) << 32) / Int64(max(1, byteCount)))))
  }

  /// The error of a statement that was ended.
  func error(at place: String) -> any Error {
    if suspension?.isOn == true { return Suspension.error(at: place) }
    guard isOutOfMemory else { return CancellationError() }
    isOutOfMemory = false
    return VarveError(
      .invalidQuery,
      "the SQL needs more memory than it may",
      at: place,
      remedy: "Fetch less at a time."
    )
  }
}
