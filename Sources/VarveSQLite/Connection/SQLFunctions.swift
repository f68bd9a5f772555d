import Foundation
import SQLiteLibrary
import VarveCore

/// The SQL functions that Varve's queries use. See `QueryCompiler` for their meaning.
enum SQLFunctions {
  static func register(on handle: OpaquePointer) {
    define(handle, "varve_text", 1) { context, arguments in
      guard let id = identifier(arguments[0]) else { return sqlite3_result_null(context) }
      result(context, text: id.text)
    }
    define(handle, "varve_prefix", 2) { context, arguments in
      guard let text = bytes(arguments[0]), let prefix = bytes(arguments[1]),
        sqlite3_value_type(arguments[0]) != SQLITE_NULL
      else { return sqlite3_result_null(context) }
      sqlite3_result_int(context, text.starts(with: prefix) ? 1 : 0)
    }
    define(handle, "varve_json", 1) { context, arguments in
      if sqlite3_value_type(arguments[0]) == SQLITE_NULL { return sqlite3_result_null(context) }
      guard sqlite3_value_type(arguments[0]) == SQLITE_BLOB, let bytes = bytes(arguments[0]),
        let value = try? Value(encoded: Array(bytes)),
        value.kind == .array || value.kind == .dictionary
      else {
        return sqlite3_result_error(context, "varve_json takes an array or a dictionary", -1)
      }
      result(context, text: JSONText(value).text)
    }
    define(handle, "varve_bound", 1, isDeterministic: false) { context, arguments in
      sqlite3_result_value(context, arguments[0])
    }
    registerStored(on: handle)
    registerEncoded(on: handle)
    registerAggregate(on: handle)
  }

  /// Replaces `fts3_tokenizer`, which returns an address of the process, and takes one.
  static func registerRefused(on handle: OpaquePointer) {
    for count in 1...2 {
      define(handle, "fts3_tokenizer", Int32(count)) { context, _ in
        sqlite3_result_error(context, "fts3_tokenizer() is off", -1)
      }
    }
  }

  /// Registers the functions on columns and the overflow column.
  private static func registerStored(on handle: OpaquePointer) {
    define(handle, "varve_has_more", 2) { context, arguments in
      let entry = overflow(arguments[0], key: arguments[1])
      sqlite3_result_int(context, entry?.value == nil ? 0 : 1)
    }
    define(handle, "varve_more", 3) { context, arguments in
      guard let value = overflow(arguments[0], key: arguments[1])?.value,
        value.sortRank == Int(sqlite3_value_int(arguments[2])), !value.isNotComparable
      else { return sqlite3_result_null(context) }
      result(context, value)
    }
    define(handle, "varve_any", 2) { context, arguments in
      guard let value = overflow(arguments[0], key: arguments[1])?.value else {
        return sqlite3_result_null(context)
      }
      result(context, value)
    }
    define(handle, "varve_shown", 2) { context, arguments in
      guard let value = overflow(arguments[0], key: arguments[1])?.value else {
        return sqlite3_result_null(context)
      }
      shown(context, value)
    }
    define(handle, "varve_spill", 5) { context, arguments in
      guard let bytes = spilled(arguments) else { return sqlite3_result_null(context) }
      result(context, blob: bytes)
    }
    define(handle, "varve_comparable", 2) { context, arguments in
      let value = overflow(arguments[0], key: arguments[1])?.value
      sqlite3_result_int(context, value?.isNotComparable == false ? 1 : 0)
    }
    define(handle, "varve_decimal", 4) { context, arguments in
      guard let number = columnOrOverflow(arguments)?.decimal else {
        return sqlite3_result_null(context)
      }
      result(context, blob: number.orderKey)
    }
    define(handle, "varve_sort", 4) { context, arguments in
      guard let value = columnOrOverflow(arguments) else { return sqlite3_result_null(context) }
      result(context, blob: value.sortKey)
    }
    define(handle, "varve_value", 4) { context, arguments in
      guard let value = columnOrOverflow(arguments) else { return sqlite3_result_null(context) }
      result(context, blob: value.encoded)
    }
    define(handle, "varve_join", 4) { context, arguments in
      guard let key = columnOrOverflow(arguments)?.joinKey else {
        return sqlite3_result_null(context)
      }
      result(context, blob: key)
    }
  }

  /// Registers the functions on encoded values and on texts.
  private static func registerEncoded(on handle: OpaquePointer) {
    define(handle, "varve_fold", 1) { context, arguments in
      if sqlite3_value_type(arguments[0]) == SQLITE_NULL { return sqlite3_result_null(context) }
      result(context, text: text(arguments[0]).caseFolded)
    }
    define(handle, "varve_folded", 1) { context, arguments in
      guard let value = encoded(arguments[0]) else { return sqlite3_result_null(context) }
      result(context, blob: value.folded.encoded)
    }
    define(handle, "varve_at", 2) { context, arguments in
      guard let value = encoded(arguments[0]), case .array(let path)? = encoded(arguments[1]),
        let inner = value.at(path.compactMap(ValueStep.init))
      else { return sqlite3_result_null(context) }
      result(context, blob: inner.encoded)
    }
    define(handle, "varve_ranked", 2) { context, arguments in
      guard let value = encoded(arguments[0]), !value.isNotComparable,
        sqlite3_value_type(arguments[1]) == SQLITE_NULL
          || value.sortRank == Int(sqlite3_value_int(arguments[1]))
      else { return sqlite3_result_null(context) }
      result(context, value)
    }
    define(handle, "varve_order", 3) { context, arguments in
      guard var one = encoded(arguments[0]), var other = encoded(arguments[1]) else {
        return sqlite3_result_null(context)
      }
      let texts = sqlite3_value_int(arguments[2])
      if texts > 0 { (one, other) = (one.withoutReference, other.withoutReference) }
      if texts > 1 { (one, other) = (one.folded, other.folded) }
      guard let order = one.compared(with: other) else { return sqlite3_result_null(context) }
      sqlite3_result_int(context, Int32(order))
    }
    define(handle, "varve_includes", 3) { context, arguments in
      let fields: [Field] = [.identifier, .decimal(.identifier), .folded(.identifier)]
      guard case .array(let elements)? = encoded(arguments[0]), let value = encoded(arguments[1]),
        let answer = fields[Int(sqlite3_value_int(arguments[2]))].includes(value, in: elements)
      else { return sqlite3_result_null(context) }
      sqlite3_result_int(context, answer ? 1 : 0)
    }
  }

  static func encoded(_ value: OpaquePointer?) -> Value? {
    guard sqlite3_value_type(value) == SQLITE_BLOB, let bytes = bytes(value) else { return nil }
    return try? Value(encoded: Array(bytes))
  }

  /// Registers `varve_stamp(block)`: a commit's place in the order of commits.
  static func registerStamp(on handle: OpaquePointer, _ sortKey: @escaping (Int64) -> [UInt8]?) {
    define(handle, "varve_stamp", 1) { context, arguments in
      guard let bytes = sortKey(sqlite3_value_int64(arguments[0])) else {
        return sqlite3_result_null(context)
      }
      result(context, blob: bytes)
    }
  }

  typealias Arguments = UnsafeMutablePointer<OpaquePointer?>
  typealias Function = @convention(c) (OpaquePointer?, Int32, Arguments?) -> Void

  private final class Body {
    let call: (OpaquePointer?, Arguments) -> Void
    init(_ call: @escaping (OpaquePointer?, Arguments) -> Void) { self.call = call }
  }

  static func define(
    _ handle: OpaquePointer,
    _ name: String,
    _ count: Int32,
    isDeterministic: Bool = true,
    _ body: @escaping (OpaquePointer?, Arguments) -> Void
  ) {
    sqlite3_create_function_v2(
      handle,
      name,
      count,
      SQLITE_UTF8 | (isDeterministic ? SQLITE_DETERMINISTIC : 0),
      Unmanaged.passRetained(Body(body)).toOpaque(),
      { context, _, arguments in
        guard let data = sqlite3_user_data(context), let arguments else { return }
        Unmanaged<Body>.fromOpaque(data).takeUnretainedValue().call(context, arguments)
      },
      nil,
      nil,
      { data in if let data { Unmanaged<Body>.fromOpaque(data).release() } }
    )
  }

  static func bytes(_ value: OpaquePointer?) -> UnsafeRawBufferPointer? {
    let start = sqlite3_value_blob(value)
    return UnsafeRawBufferPointer(start: start, count: Int(sqlite3_value_bytes(value)))
  }

  static func text(_ value: OpaquePointer?) -> String {
    guard let bytes = bytes(value) else { return "" }
    return String(decoding: bytes, as: UTF8.self)
  }

  static func identifier(_ value: OpaquePointer?) -> EntityID? {
    switch sqlite3_value_type(value) {
    case SQLITE_NULL: return nil
    case SQLITE_BLOB:
      guard let bytes = bytes(value), bytes.count == 16 else { return nil }
      var reader = ByteReader(bytes)
      guard let high = try? reader.fixed(), let low = try? reader.fixed() else { return nil }
      return EntityID(storage: .uuid(high: high, low: low))
    default: return EntityID(unchecked: text(value))
    }
  }

  private static func overflow(_ more: OpaquePointer?, key: OpaquePointer?) -> Overflow.Entry? {
    guard sqlite3_value_type(more) == SQLITE_BLOB, let bytes = bytes(more) else { return nil }
    return try? Overflow.entry(in: bytes, key: sqlite3_value_int64(key))
  }

  /// Returns the overflow column with one more value.
  ///
  /// The arguments are the column, the key, the value's kind, its semantic type unless the column
  /// has another, and the value.
  private static func spilled(_ arguments: Arguments) -> [UInt8]? {
    let more = sqlite3_value_type(arguments[0]) == SQLITE_BLOB ? bytes(arguments[0]) : nil
    guard var overflow = more.map({ try? Overflow($0) }) ?? Overflow() else { return nil }
    let key = sqlite3_value_int64(arguments[1])
    if sqlite3_value_type(arguments[4]) != SQLITE_NULL,
      let kind = Value.Kind(rawValue: UInt8(truncatingIfNeeded: sqlite3_value_int(arguments[2]))),
      let value = value(arguments[4], kind: kind)
    {
      var entry = overflow.entries[key] ?? .init(semanticType: text(arguments[3]))
      entry.value = value
      overflow.entries[key] = entry
    }
    return overflow.encoded
  }

  /// Returns the value in a column or the overflow column. The arguments are the column, its kind,
  /// the overflow column and the key.
  private static func columnOrOverflow(_ arguments: Arguments) -> Value? {
    if sqlite3_value_type(arguments[0]) == SQLITE_NULL {
      return overflow(arguments[2], key: arguments[3])?.value
    }
    guard
      let kind = Value.Kind(rawValue: UInt8(truncatingIfNeeded: sqlite3_value_int(arguments[1])))
    else { return nil }
    return value(arguments[0], kind: kind)
  }

  private static func value(_ value: OpaquePointer?, kind: Value.Kind) -> Value? {
    switch kind {
    case .bool: .bool(sqlite3_value_int(value) != 0)
    case .int, .double:
      sqlite3_value_type(value) == SQLITE_INTEGER
        ? .int(sqlite3_value_int64(value)) : .double(sqlite3_value_double(value))
    case .string: .string(text(value))
    case .date: .date(.init(timeIntervalSinceReferenceDate: sqlite3_value_double(value)))
    case .data: bytes(value).map { .data(.init($0)) }
    case .reference: identifier(value).map { .reference($0) }
    case .array, .dictionary: bytes(value).flatMap { try? Value(encoded: Array($0)) }
    }
  }

  static func result(_ context: OpaquePointer?, _ value: Value) {
    switch value {
    case .bool(let value): sqlite3_result_int(context, value ? 1 : 0)
    case .int(let value): sqlite3_result_int64(context, value)
    case .double(let value): sqlite3_result_double(context, value)
    case .string(let value): result(context, text: value)
    case .date(let value):
      sqlite3_result_double(context, value.timeIntervalSinceReferenceDate)
    case .data(let value): result(context, blob: Array(value))
    case .reference(let id):
      switch id.storage {
      case .uuid:
        var writer = ByteWriter(capacity: 17)
        writer.entityID(id)
        result(context, blob: Array(writer.bytes.dropFirst()))
      case .text(let text): result(context, text: text)
      }
    case .array, .dictionary: result(context, blob: value.encoded)
    }
  }

  static func result(_ context: OpaquePointer?, text: String) {
    var text = text
    text.withUTF8 { bytes in
      bytes.withMemoryRebound(to: CChar.self) {
        sqlite3_result_text64(
          context,
          $0.baseAddress,
          UInt64($0.count),
          transient,
          UInt8(SQLITE_UTF8)
        )
      }
    }
  }

  static func result(_ context: OpaquePointer?, blob: [UInt8]) {
    blob.withUnsafeBytes {
      sqlite3_result_blob64(context, $0.baseAddress, UInt64($0.count), transient)
    }
  }
}

/// The destructor that makes SQLite copy the result.
private let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
