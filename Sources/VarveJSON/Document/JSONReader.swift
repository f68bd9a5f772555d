import VarveCore

/// Reads one JSON document (RFC 8259), strictly: no trailing commas unless allowed, no duplicate
/// names in an object, no malformed UTF-8, no integer beyond 64 bits.
///
/// Nesting uses no stack, and is limited to ``maximumDepth``.
public struct JSONReader {
  /// The reason why a text is not a JSON document.
  public struct Failure: Error, Hashable, CustomStringConvertible {
    /// The error.
    public let message: String
    /// The position of the error.
    public let position: JSONPosition
    /// `message at line 1, column 9`.
    public var description: String { "\(message) at \(position)" }
  }

  /// The maximum nesting: that of the most nested value (each of its levels is an object and its
  /// tagged content), inside the most nested operation.
  public static let maximumDepth = 1_280

  let bytes: [UInt8]
  var position = 0
  /// Whether a comma may follow the last member or element.
  private let allowsTrailingCommas: Bool
  /// Whether names may be repeated in an object; the last member counts.
  private let allowsRepeatedNames: Bool
  /// The repeated names, if they are allowed.
  private(set) var repetitions: [RepeatedName] = []

  init(
    _ bytes: [UInt8],
    allowsTrailingCommas: Bool = false,
    allowsRepeatedNames: Bool = false
  ) {
    self.bytes = bytes
    self.allowsTrailingCommas = allowsTrailingCommas
    self.allowsRepeatedNames = allowsRepeatedNames
  }

  /// Returns the names that were repeated since the last call, and forgets them.
  mutating func takeRepetitions() -> [RepeatedName] {
    defer { repetitions.removeAll() }
    return repetitions
  }

  /// Returns the document in a text.
  public static func read(_ text: String) throws(Failure) -> JSON {
    try read(bytes: Array(text.utf8))
  }

  /// Returns the document in a text, given as UTF-8.
  public static func read(bytes: [UInt8]) throws(Failure) -> JSON {
    try read(bytes: bytes, allowsTrailingCommas: false)
  }

  /// Returns the document in a text, and optionally allows a comma after the last member or
  /// element.
  static func read(bytes: [UInt8], allowsTrailingCommas: Bool) throws(Failure) -> JSON {
    var reader = JSONReader(bytes, allowsTrailingCommas: allowsTrailingCommas)
    let document = try reader.value()
    reader.skipSpace()
    guard reader.position == bytes.count else {
      throw reader.failure("something follows the document")
    }
    return document
  }

  /// Returns a document and its repeated names; of several members with one name the last counts. A
  /// comma may follow the last member or element.
  static func readLeniently(bytes: [UInt8]) throws(Failure) -> (JSON, [RepeatedName]) {
    var reader = JSONReader(bytes, allowsTrailingCommas: true, allowsRepeatedNames: true)
    let document = try reader.value()
    reader.skipSpace()
    guard reader.position == bytes.count else {
      throw reader.failure("something follows the document")
    }
    return (document, reader.repetitions)
  }

  func failure(_ message: String) -> Failure {
    Failure(message: message, position: JSONPosition(of: position, in: bytes))
  }

  var next: UInt8? { position < bytes.count ? bytes[position] : nil }

  mutating func skipSpace() {
    while position < bytes.count {
      switch bytes[position] {
      case 0x20, 0x09, 0x0A, 0x0D: position += 1
      default: return
      }
    }
  }

  mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard position < bytes.count, bytes[position] == UInt8(ascii: character) else { return false }
    position += 1
    return true
  }
}

/// An array or object in progress.
private struct OpenContainer {
  let isObject: Bool
  var elements: [JSON] = []
  var members: [JSON.Member] = []
  var name = ""
  /// The names so far, once there are many.
  var names: Set<ExactText> = []

  /// Whether the last name is a repeated one, whose value replaces the earlier one.
  var isRepeated = false

  mutating func add(_ value: JSON) {
    if isObject {
      if isRepeated {
        members.removeAll { $0.name.isSame(as: name) }
        isRepeated = false
      }
      members.append(JSON.Member(name: name, value: value))
    } else {
      elements.append(value)
    }
  }

  /// Begins a member; returns false if its name is a duplicate.
  mutating func begin(_ name: String) -> Bool {
    self.name = name
    guard members.count > 16 else {
      return !members.contains { $0.name.isSame(as: name) }
    }
    if names.isEmpty { names = Set(members.map { ExactText($0.name) }) }
    return names.insert(ExactText(name)).inserted
  }

  var document: JSON { isObject ? .object(members) : .array(elements) }
}

extension JSONReader {
  /// Reads one value and everything in it.
  mutating func value() throws(Failure) -> JSON {
    var open: [OpenContainer] = []
    while true {
      skipSpace()
      guard var finished = try begin(&open) else { continue }
      while true {
        guard let last = open.indices.last else { return finished }
        open[last].add(finished)
        skipSpace()
        let isObject = open[last].isObject
        if take(","), !isClosing(isObject) {
          if isObject, let repeated = try name(for: &open[last]) {
            let steps: [JSONStep] = open.map {
              $0.isObject ? .name($0.name) : .index($0.elements.count)
            }
            repetitions.append(RepeatedName(path: steps, position: repeated))
          }
          break
        }
        guard take(isObject ? "}" : "]") else {
          throw failure(isObject ? "a comma or } is expected" : "a comma or ] is expected")
        }
        finished = open[last].document
        open.removeLast()
      }
    }
  }

  /// Returns whether the comma just read is a trailing one.
  private mutating func isClosing(_ isObject: Bool) -> Bool {
    guard allowsTrailingCommas else { return false }
    skipSpace()
    return next == UInt8(ascii: isObject ? "}" : "]")
  }

  /// Begins a value: returns it, or nil if it is an array or object, which is then open.
  private mutating func begin(_ open: inout [OpenContainer]) throws(Failure) -> JSON? {
    guard let byte = next else { throw failure("the text ends where a value is expected") }
    switch byte {
    case UInt8(ascii: "{"), UInt8(ascii: "["):
      guard open.count < Self.maximumDepth else { throw failure("values are nested too deep") }
      let isObject = byte == UInt8(ascii: "{")
      position += 1
      skipSpace()
      if take(isObject ? "}" : "]") { return isObject ? .object([]) : .array([]) }
      var container = OpenContainer(isObject: isObject)
      if isObject { _ = try name(for: &container) }
      open.append(container)
      return nil
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try number()
    default: return try word()
    }
  }

  /// Reads the name of a member, and the colon. Returns the position of the name if it is repeated.
  private mutating func name(
    for container: inout OpenContainer
  ) throws(Failure) -> JSONPosition? {
    skipSpace()
    let start = position
    guard next == UInt8(ascii: "\"") else { throw failure("a name in quotes is expected") }
    let name = try string()
    container.isRepeated = !container.begin(name)
    guard !container.isRepeated || allowsRepeatedNames else {
      position = start
      throw failure("the name \"\(name)\" is repeated")
    }
    skipSpace()
    guard take(":") else { throw failure("a colon is expected") }
    return container.isRepeated ? JSONPosition(of: start, in: bytes) : nil
  }

  private mutating func word() throws(Failure) -> JSON {
    let words: [(String, JSON)] = [("true", true), ("false", false), ("null", .null)]
    for (word, value) in words where bytes[position...].starts(with: word.utf8) {
      position += word.utf8.count
      return value
    }
    throw failure("a value is expected")
  }
}
