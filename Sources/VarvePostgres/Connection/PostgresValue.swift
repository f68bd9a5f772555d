import VarveCore

/// A parameter of a statement. Statements cast every parameter, so values carry no types.
enum PostgresValue: Sendable {
  case null
  case integer(Int64)
  case text(String)
  case bytes([UInt8])
  case uuid(high: UInt64, low: UInt64)
  case integers([Int64?])
  case texts([String?])
  case byteStrings([[UInt8]?])
  case uuids([ReplicaID])

  init(_ space: SpaceID) { self = .uuid(high: space.high, low: space.low) }

  init(_ replica: ReplicaID) { self = .uuid(high: replica.high, low: replica.low) }

  init(_ text: String?) { self = text.map { .text($0) } ?? .null }

  init(_ bytes: [UInt8]?) { self = bytes.map { .bytes($0) } ?? .null }

  /// Writes the value in PostgreSQL's binary format. Returns false for null.
  func write(to writer: inout ByteWriter) -> Bool {
    switch self {
    case .null: return false
    case .integer(let value): writer.big(value)
    case .text(let text): writer.raw(text.utf8)
    case .bytes(let bytes): writer.raw(bytes)
    case .uuid(let high, let low):
      writer.big(Int64(bitPattern: high))
      writer.big(Int64(bitPattern: low))
    case .integers(let values):
      writer.array(of: values, type: 20) { writer, value in
        guard let value else { return false }
        writer.big(value)
        return true
      }
    case .texts(let texts):
      writer.array(of: texts, type: 25) { writer, text in
        guard let text else { return false }
        writer.raw(text.utf8)
        return true
      }
    case .byteStrings(let strings):
      writer.array(of: strings, type: 17) { writer, bytes in
        guard let bytes else { return false }
        writer.raw(bytes)
        return true
      }
    case .uuids(let ids):
      writer.array(of: ids, type: 2_950) { writer, id in
        writer.big(Int64(bitPattern: id.high))
        writer.big(Int64(bitPattern: id.low))
        return true
      }
    }
    return true
  }
}

extension ByteWriter {
  /// Writes an integer, the most significant byte first, as PostgreSQL's protocol does.
  fileprivate mutating func big(_ value: some FixedWidthInteger) {
    withUnsafeBytes(of: value.bigEndian) { raw($0) }
  }

  /// Writes an array of one dimension; an element for which the closure returns false is null.
  fileprivate mutating func array<Element>(
    of elements: [Element],
    type: Int32,
    _ write: (inout ByteWriter, Element) -> Bool
  ) {
    big(Int32(elements.isEmpty ? 0 : 1))
    big(Int32(1))
    big(type)
    guard !elements.isEmpty else { return }
    big(Int32(elements.count))
    big(Int32(1))
    for element in elements {
      var content = ByteWriter(capacity: 16)
      guard write(&content, element) else {
        big(Int32(-1))
        continue
      }
      big(Int32(content.count))
      raw(content.bytes)
    }
  }
}
