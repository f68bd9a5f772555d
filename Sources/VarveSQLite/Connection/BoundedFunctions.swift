import SQLiteLibrary
import VarveCore

/// SQLite's functions of which a single call may take hours, with a bound.
///
/// SQLite looks at deadlines between the steps of its machine, and such a call is one step. Each
/// replacement computes a bound of the time from its arguments, and then calls SQLite's own function
/// on a connection that still has it.
final class BoundedFunctions {
  /// A connection without a file.
  private let plain: OpaquePointer
  private var statements: [String: OpaquePointer] = [:]

  /// The most that a call may write, or compare, in bytes.
  private static let limit: Int64 = 1 << 32

  /// Replaces the functions of a connection, which must retain the object.
  init?(on handle: OpaquePointer) {
    var plain: OpaquePointer?
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY | SQLITE_OPEN_NOMUTEX
    guard sqlite3_open_v2(":memory:", &plain, flags, nil) == SQLITE_OK, let plain else {
      sqlite3_close(plain)
      return nil
    }
    self.plain = plain
    for name in ["printf", "format"] {
      define(name, on: handle) { Self.widths($0) }
    }
    for name in ["instr", "replace", "trim", "ltrim", "rtrim"] {
      define(name, on: handle) { Self.product($0) }
    }
  }

  deinit {
    for statement in statements.values { sqlite3_finalize(statement) }
    sqlite3_close(plain)
  }

  typealias Arguments = UnsafeBufferPointer<OpaquePointer?>

  private final class Function {
    unowned let functions: BoundedFunctions
    let name: String
    /// Returns a bound of the bytes that a call writes or compares.
    let cost: (Arguments) -> Int64

    init(_ functions: BoundedFunctions, _ name: String, _ cost: @escaping (Arguments) -> Int64) {
      self.functions = functions
      self.name = name
      self.cost = cost
    }
  }

  private func define(
    _ name: String,
    on handle: OpaquePointer,
    _ cost: @escaping (Arguments) -> Int64
  ) {
    sqlite3_create_function_v2(
      handle,
      name,
      -1,
      SQLITE_UTF8 | SQLITE_DETERMINISTIC,
      Unmanaged.passRetained(Function(self, name, cost)).toOpaque(),
      { context, count, arguments in
        guard let data = sqlite3_user_data(context) else { return }
        let function = Unmanaged<Function>.fromOpaque(data).takeUnretainedValue()
        let values = Arguments(start: arguments, count: Int(count))
        function.functions.call(function, context, values)
      },
      nil,
      nil,
      { data in if let data { Unmanaged<Function>.fromOpaque(data).release() } }
    )
  }

  private func call(_ function: Function, _ context: OpaquePointer?, _ arguments: Arguments) {
    let handle = sqlite3_context_db_handle(context)
    let length = sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, -1)
    guard function.cost(arguments) <= Self.limit else {
      return sqlite3_result_error(context, "\(function.name)() of this would take too long", -1)
    }
    sqlite3_limit(plain, SQLITE_LIMIT_LENGTH, length)
    guard let statement = statement(function.name, arguments.count) else {
      return fail(context)
    }
    defer {
      sqlite3_reset(statement)
      sqlite3_clear_bindings(statement)
    }
    for (index, value) in arguments.enumerated() {
      sqlite3_bind_value(statement, Int32(index + 1), value)
    }
    guard sqlite3_step(statement) == SQLITE_ROW else { return fail(context) }
    sqlite3_result_value(context, sqlite3_column_value(statement, 0))
  }

  private func fail(_ context: OpaquePointer?) {
    let code = sqlite3_errcode(plain)
    sqlite3_result_error(context, sqlite3_errmsg(plain), -1)
    sqlite3_result_error_code(context, code)
  }

  /// Returns the statement that calls SQLite's own function with a number of arguments.
  private func statement(_ name: String, _ count: Int) -> OpaquePointer? {
    let key = "\(name) \(count)"
    if let known = statements[key] { return known }
    var statement: OpaquePointer?
    let places = (0..<count).map { "?\($0 + 1)" }.joined(separator: ", ")
    let flags = UInt32(SQLITE_PREPARE_PERSISTENT)
    let sql = "SELECT \(name)(\(places))"
    guard sqlite3_prepare_v3(plain, sql, -1, flags, &statement, nil) == SQLITE_OK else {
      return nil
    }
    statements[key] = statement
    return statement
  }

  // MARK: Costs

  /// Returns the product of the sizes of the first two arguments.
  private static func product(_ arguments: Arguments) -> Int64 {
    guard arguments.count > 1 else { return 0 }
    let sizes = arguments.prefix(2).map { Int64(max(1, sqlite3_value_bytes($0))) }
    return sizes[0] * sizes[1]
  }

  /// Returns the sum of the widths and precisions in a format, which SQLite writes out one by one.
  private static func widths(_ arguments: Arguments) -> Int64 {
    guard let format = arguments.first, let bytes = SQLFunctions.bytes(format) else { return 0 }
    var sum: Int64 = 0
    var next = 1
    var index = bytes.startIndex
    /// Reads a width or a precision: digits, or the next argument.
    func number() -> Int64 {
      if index < bytes.endIndex, bytes[index] == UInt8(ascii: "*") {
        index += 1
        defer { next += 1 }
        guard next < arguments.count else { return 0 }
        let value = sqlite3_value_int64(arguments[next])
        return value == .min ? .max : abs(value)
      }
      var value: Int64 = 0
      while index < bytes.endIndex, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[index]) {
        value = min(value * 10 + Int64(bytes[index] - UInt8(ascii: "0")), Int64(1) << 40)
        index += 1
      }
      return value
    }
    while index < bytes.endIndex {
      defer { index += 1 }
      guard bytes[index] == UInt8(ascii: "%") else { continue }
      index += 1
      while index < bytes.endIndex, flags.contains(bytes[index]) { index += 1 }
      var width = number()
      var precision: Int64 = 0
      if index < bytes.endIndex, bytes[index] == UInt8(ascii: ".") {
        index += 1
        precision = number()
      }
      while index < bytes.endIndex, bytes[index] == UInt8(ascii: "l") { index += 1 }
      guard index < bytes.endIndex else { break }
      // A precision of a text only cuts it.
      if texts.contains(bytes[index]) { precision = 0 }
      if bytes[index] != UInt8(ascii: "%") { next += 1 }
      width = min(width, Int64(1) << 40)
      sum = min(sum + width + min(precision, Int64(1) << 40), Int64(1) << 50)
    }
    // Each is written by a call of its own.
    return sum * 64
  }

  private static let flags = Set("-+ #!0,".utf8)
  private static let texts = Set("sqQwz".utf8)
}
