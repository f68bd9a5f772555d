import Foundation

/// The canonical encoding: one byte of kind, then the content. See the Design, "Values".
extension Value {
  /// The canonical encoding.
  public var encoded: [UInt8] {
    var writer = ByteWriter()
    writer.value(self)
    return writer.bytes
  }

  /// Decodes a canonical encoding.
  ///
  /// - Throws: ``VarveError`` with code `damaged` if the bytes are not exactly one canonical value.
  public init(encoded bytes: [UInt8]) throws {
    self = try bytes.withUnsafeBytes { buffer in
      var reader = ByteReader(buffer)
      let value = try reader.value()
      guard reader.isAtEnd else { throw reader.damaged("bytes follow a value") }
      return value
    }
  }

  /// Checks the requirements for storing a value.
  ///
  /// - Throws: ``VarveError`` with code `valueTooLarge` or `unsupportedValue`.
  package func validate(at place: @autoclosure () -> String) throws {
    let size = byteCountEstimate(depth: 0)
    guard let size else {
      throw VarveError(
        .unsupportedValue,
        "a value is nested more than \(Self.maximumDepth) deep",
        at: place(),
        remedy: "Flatten it, or store it as data."
      )
    }
    guard size <= Self.maximumByteCount else {
      throw VarveError(
        .valueTooLarge,
        "a value has \(size) bytes",
        at: place(),
        remedy: "Store at most \(Self.maximumByteCount) bytes, or split the value."
      )
    }
  }

  /// Returns the size of the encoding to within a few bytes per value, or nil if it is nested too
  /// deep.
  package func byteCountEstimate(depth: Int = 0) -> Int? {
    switch self {
    case .bool: return 1
    case .int: return 6
    case .double, .date: return 9
    case .string(let text): return text.utf8.count + 3
    case .data(let data): return data.count + 3
    case .reference(let id):
      if case .text(let text) = id.storage { return text.utf8.count + 3 }
      return 18
    case .array(let values): return Self.sum(values, depth: depth)
    case .dictionary(let fields):
      guard let values = Self.sum(fields.values, depth: depth) else { return nil }
      return fields.keys.reduce(values) { $0 + $1.text.utf8.count + 2 }
    }
  }

  private static func sum(_ values: some Collection<Value>, depth: Int) -> Int? {
    guard depth < maximumDepth else { return nil }
    var total = 4
    for value in values {
      guard let size = value.byteCountEstimate(depth: depth + 1) else { return nil }
      total += size
    }
    return total
  }
}

extension ByteWriter {
  /// Appends kind and content.
  package mutating func value(_ value: Value) {
    byte(value.kind.rawValue)
    content(of: value)
  }

  /// Appends the content without the kind.
  package mutating func content(of value: Value) {
    switch value {
    case .bool(let value): byte(value ? 1 : 0)
    case .int(let value): signed(value)
    case .double(let value): fixed(value.bitPattern)
    case .string(let value): text(value)
    case .date(let value): fixed(value.timeIntervalSinceReferenceDate.bitPattern)
    case .data(let value):
      varint(value.count)
      value.withUnsafeBytes { raw($0) }
    case .reference(let value): entityID(value)
    case .array(let values):
      varint(values.count)
      for value in values { self.value(value) }
    case .dictionary(let fields):
      varint(fields.count)
      for (key, value) in fields.sorted(by: { $0.key < $1.key }) {
        text(key.text)
        self.value(value)
      }
    }
  }
}

extension ByteReader {
  package mutating func kind() throws -> Value.Kind {
    guard let kind = Value.Kind(rawValue: try byte()) else {
      throw damaged("a value has an unknown kind")
    }
    return kind
  }

  package mutating func value(depth: Int = 0) throws -> Value {
    try content(kind(), depth: depth)
  }

  package mutating func content(_ kind: Value.Kind, depth: Int = 0) throws -> Value {
    switch kind {
    case .bool:
      let byte = try byte()
      guard byte < 2 else { throw damaged("a truth value is neither 0 nor 1") }
      return .bool(byte == 1)
    case .int: return .int(try signed())
    case .double: return .double(Double(bitPattern: try fixed()))
    case .string: return .string(try text())
    case .date:
      let seconds = Double(bitPattern: try fixed())
      return .date(Date(timeIntervalSinceReferenceDate: seconds))
    case .data: return .data(Data(try counted()))
    case .reference: return .reference(try entityID())
    case .array:
      return .array(try elements(depth: depth) { reader in try reader.value(depth: depth + 1) })
    case .dictionary: return .dictionary(try fields(depth: depth))
    }
  }

  private mutating func elements<Element>(
    depth: Int,
    _ next: (inout ByteReader) throws -> Element
  ) throws -> [Element] {
    guard depth < Value.maximumDepth else { throw damaged("a value is nested too deep") }
    let count = try count()
    var elements: [Element] = []
    // A count is untrusted: in nested values, a few bytes could claim all memory.
    elements.reserveCapacity(min(count, 1_024))
    for _ in 0..<count { elements.append(try next(&self)) }
    return elements
  }

  private mutating func fields(depth: Int) throws -> [PropertyKey: Value] {
    var last: PropertyKey?
    let pairs = try elements(depth: depth) { reader -> (PropertyKey, Value) in
      let key = PropertyKey(try reader.text())
      if let last, !(last < key) { throw reader.damaged("a dictionary is not in key order") }
      last = key
      return (key, try reader.value(depth: depth + 1))
    }
    return Dictionary(uniqueKeysWithValues: pairs)
  }

  package mutating func skipValue() throws { try skipContent(kind()) }

  package mutating func skipContent(_ kind: Value.Kind) throws {
    switch kind {
    case .bool: try skip(1)
    case .int: _ = try varint()
    case .double, .date: try skip(8)
    case .string, .data: try skip(count())
    case .reference: try skipEntityID()
    case .array, .dictionary: _ = try content(kind)
    }
  }

  /// Skips the contents of several values of a kind, or whole values if there is no common kind.
  mutating func skipContents(_ count: Int, of kind: Value.Kind?) throws {
    switch kind {
    case .int: try skipVarints(count)
    case .string, .data: try skipCounted(count)
    case .reference: try skipEntityIDs(count)
    case .bool, .double, .date:
      let width = kind == .bool ? 1 : 8
      guard count <= remaining / width else { throw damaged("a count is too large") }
      try skip(count * width)
    case .array, .dictionary, nil:
      for _ in 0..<count { try kind.map { try skipContent($0) } ?? skipValue() }
    }
  }
}
