import VarveCore

/// The overflow column, which contains what does not fit into a row's columns.
///
/// Entries in order of key: the key's number (varint), a flag (1: the value is in its column and
/// only the semantic type differs; 2: the value is here; 3: the property is a to-many relation),
/// the semantic type (text), and for flag 2 the value (canonical encoding).
struct Overflow: Equatable {
  struct Entry: Equatable {
    var semanticType: String
    /// The value; nil unless it is stored here.
    var value: Value?
    /// Whether the property is a to-many relation.
    var isCollection = false

    static func == (left: Entry, right: Entry) -> Bool {
      left.value == right.value && left.isCollection == right.isCollection
        && left.semanticType.isSame(as: right.semanticType)
    }
  }

  var entries: [Int64: Entry] = [:]

  init() {}

  init(_ bytes: UnsafeRawBufferPointer) throws {
    var reader = ByteReader(bytes)
    while !reader.isAtEnd {
      let key = Int64(try reader.number())
      entries[key] = try Self.entry(&reader)
    }
  }

  /// The bytes, or nil if there are no entries.
  var encoded: [UInt8]? {
    guard !entries.isEmpty else { return nil }
    var writer = ByteWriter()
    for (key, entry) in entries.sorted(by: { $0.key < $1.key }) {
      writer.varint(UInt64(key))
      writer.byte(entry.isCollection ? 3 : entry.value == nil ? 1 : 2)
      writer.text(entry.semanticType)
      if let value = entry.value { writer.value(value) }
    }
    return writer.bytes
  }

  /// Returns the entry of one key, without decoding the values of others.
  static func entry(in bytes: UnsafeRawBufferPointer, key: Int64) throws -> Entry? {
    var reader = ByteReader(bytes)
    while !reader.isAtEnd {
      let number = Int64(try reader.number())
      if number == key { return try entry(&reader) }
      guard number < key else { return nil }
      let flag = try reader.byte()
      try reader.skip(reader.count())
      if flag == 2 { try reader.skipValue() }
    }
    return nil
  }

  private static func entry(_ reader: inout ByteReader) throws -> Entry {
    let flag = try reader.byte()
    let semanticType = try reader.text()
    return Entry(
      semanticType: semanticType,
      value: flag == 2 ? try reader.value() : nil,
      isCollection: flag == 3
    )
  }
}
