import CVarveJSON

/// Parses JSON with simdjson: the only type that uses it.
///
/// It accepts nothing where there is no simdjson. It is as strict as ``JSONReader``, but does not describe
/// errors: to find the cause of a failure,
/// parse the text again with that.
final class FastParser {
  private let parser: OpaquePointer?
  /// The text, followed by the padding that must be readable after it.
  private var padded: [UInt8] = []

  init() { parser = varve_json_parser_create() }

  deinit { varve_json_parser_destroy(parser) }

  /// Parses the elements of an array, given without its brackets; nil if they are not JSON. The
  /// result is valid until the next call.
  func elements(_ bytes: UnsafeRawBufferPointer) -> [JSONTape]? { parse(bytes)?.elements }

  /// Returns whether the elements of an array, given without its brackets, are JSON.
  func accepts(_ bytes: UnsafeRawBufferPointer) -> Bool { parse(bytes) != nil }

  private func parse(_ bytes: UnsafeRawBufferPointer) -> JSONTape? {
    guard let parser else { return nil }
    padded.removeAll(keepingCapacity: true)
    padded.reserveCapacity(bytes.count + 2 + varve_json_padding())
    padded.append(UInt8(ascii: "["))
    padded.append(contentsOf: bytes)
    padded.append(UInt8(ascii: "]"))
    let count = padded.count
    padded.append(contentsOf: repeatElement(0, count: varve_json_padding()))
    var tape = varve_json_tape()
    guard varve_json_parse(parser, padded, count, &tape) != 0, let words = tape.tape,
      let strings = tape.strings
    else { return nil }
    return JSONTape(words: words, strings: strings, index: 1)
  }
}

/// A value on simdjson's tape. Valid until the parser that wrote it parses something else.
struct JSONTape {
  fileprivate let words: UnsafePointer<UInt64>
  fileprivate let strings: UnsafePointer<UInt8>
  fileprivate let index: Int

  fileprivate init(words: UnsafePointer<UInt64>, strings: UnsafePointer<UInt8>, index: Int) {
    self.words = words
    self.strings = strings
    self.index = index
  }

  /// The type of the value, as a letter of simdjson's doc/tape.md.
  private var letter: UInt8 { UInt8(truncatingIfNeeded: words[index] >> 56) }
  private var payload: Int { Int(words[index] & 0x00FF_FFFF_FFFF_FFFF) }

  /// The index of the next value.
  private var next: Int {
    switch letter {
    case UInt8(ascii: "{"), UInt8(ascii: "["): payload & 0xFFFF_FFFF
    case UInt8(ascii: "l"), UInt8(ascii: "d"): index + 2
    default: index + 1
    }
  }

  private func at(_ index: Int) -> JSONTape {
    JSONTape(words: words, strings: strings, index: index)
  }

  var isObject: Bool { letter == UInt8(ascii: "{") }
  var isNull: Bool { letter == UInt8(ascii: "n") }

  /// The bytes of a string.
  private var bytes: UnsafeBufferPointer<UInt8> {
    let start = strings + payload
    let count = UnsafeRawPointer(start).loadUnaligned(as: UInt32.self)
    return UnsafeBufferPointer(start: start + 4, count: Int(UInt32(littleEndian: count)))
  }

  /// The bytes of a string; nil for any other value.
  var string: UnsafeBufferPointer<UInt8>? { letter == UInt8(ascii: "\"") ? bytes : nil }

  /// The integer; nil for any other value.
  var int: Int64? { letter == UInt8(ascii: "l") ? Int64(bitPattern: words[index + 1]) : nil }

  /// The number with a fraction; nil for any other value.
  var double: Double? { letter == UInt8(ascii: "d") ? Double(bitPattern: words[index + 1]) : nil }

  /// The truth value; nil for any other value.
  var bool: Bool? {
    switch letter {
    case UInt8(ascii: "t"): true
    case UInt8(ascii: "f"): false
    default: nil
    }
  }

  /// The elements of an array.
  var elements: [JSONTape] {
    var elements: [JSONTape] = []
    elements.reserveCapacity(min((payload >> 32) & 0xFF_FFFF, 1 << 16))
    let end = next - 1
    var place = index + 1
    while place < end {
      let element = at(place)
      elements.append(element)
      place = element.next
    }
    return elements
  }

  /// Calls the body with the name's bytes and the value of each member of an object.
  @inline(__always)
  func forEachMember(_ body: (UnsafeBufferPointer<UInt8>, JSONTape) -> Void) {
    let end = next - 1
    var place = index + 1
    while place < end {
      let value = at(place + 1)
      body(at(place).bytes, value)
      place = value.next
    }
  }

  /// The value of a scalar; nil for null, arrays and objects.
  var scalar: JSONScalar? {
    switch letter {
    case UInt8(ascii: "\""): .string(String(decoding: bytes, as: UTF8.self))
    case UInt8(ascii: "l"): .integer(Int64(bitPattern: words[index + 1]))
    case UInt8(ascii: "d"): .fraction(Double(bitPattern: words[index + 1]))
    case UInt8(ascii: "t"): .bool(true)
    case UInt8(ascii: "f"): .bool(false)
    default: nil
    }
  }

  /// The value as a separate document.
  var json: JSON {
    switch letter {
    case UInt8(ascii: "["): return .array(elements.map(\.json))
    case UInt8(ascii: "{"):
      var members: [JSON.Member] = []
      forEachMember { name, value in
        members.append(.init(name: String(decoding: name, as: UTF8.self), value: value.json))
      }
      return .object(members)
    default:
      switch scalar {
      case .string(let text)?: return .string(text)
      case .integer(let value)?: return .integer(value)
      case .fraction(let value)?: return .fraction(value)
      case .bool(let value)?: return .bool(value)
      case nil: return .null
      }
    }
  }
}

/// A JSON scalar.
enum JSONScalar {
  case string(String)
  case integer(Int64)
  case fraction(Double)
  case bool(Bool)
}
