/// A table of creations in its encoded form, in which single rows are found and decoded.
///
/// To find where values begin takes a fraction of the time of decoding them, which copies and
/// validates every text.
struct EncodedCreations: Sendable {
  private struct Column: Sendable {
    let declaration: Creations.Column
    /// The kind of every value; nil if each value begins with its own.
    let kind: Value.Kind?
    /// Where the bits are that mark rows with a value; nil if every row has one.
    let presence: Int?
    let values: Places
  }

  private let type: EntityType
  /// The time from which the rows hold; nil for the time of the commit.
  let time: HybridTime?
  private let ordinals: [Int]
  private let ids: Places
  private let columns: [Column]

  /// Reads to the end of a table.
  ///
  /// - Parameter bytes: the bytes that the reader reads.
  /// - Complexity: O(rows × columns), without copying or validating values.
  init(_ reader: inout ByteReader, of bytes: UnsafeRawBufferPointer) throws {
    type = EntityType(try reader.text())
    var declarations: [Creations.Column] = []
    for _ in 0..<(try reader.count(unit: 2)) { declarations.append(try reader.columnDeclaration()) }
    let rowCount = try reader.count(unit: 2)
    ordinals = try reader.ordinals(count: rowCount)
    time = try reader.optionalTime()
    ids = try Places(ofIdentifiers: rowCount, &reader)
    try reader.checkColumnCount(declarations.count, rows: rowCount)
    columns = try declarations.map { declaration in
      let form = try reader.columnForm()
      let presence = form.isWhole ? nil : reader.offset
      if presence != nil { try reader.skip((rowCount + 7) / 8) }
      let values = try Places(ofValues: rowCount, form.kind, presence, &reader, of: bytes)
      return Column(declaration: declaration, kind: form.kind, presence: presence, values: values)
    }
  }

  /// Returns the row of an entity; nil if the table does not create it.
  ///
  /// - Complexity: O(rows), some comparisons of bytes a row.
  func row(of id: EntityID, in bytes: UnsafeRawBufferPointer) -> Int? {
    ids.row(of: id, count: ordinals.count, in: bytes)
  }

  /// Returns the rows by entity.
  ///
  /// - Throws: ``VarveError`` with code `damaged`.
  /// - Complexity: O(rows).
  func rows(in bytes: UnsafeRawBufferPointer) throws -> [EntityID: Int] {
    var rows: [EntityID: Int] = [:]
    rows.reserveCapacity(ordinals.count)
    for row in ordinals.indices {
      var reader = ByteReader(bytes, offset: ids[row])
      let id = try reader.entityID()
      if rows[id] == nil { rows[id] = row }
    }
    return rows
  }

  /// Returns the row with an ordinal, or nil.
  func row(ordinal: Int) -> Int? {
    let row = ordinals.partitioningIndex { $0 >= ordinal }
    return row < ordinals.count && ordinals[row] == ordinal ? row : nil
  }

  /// Decodes the cells of a row.
  ///
  /// - Throws: ``VarveError`` with code `damaged`.
  func cells(ofRow row: Int, of bytes: UnsafeRawBufferPointer) throws -> [Cell] {
    var reader = ByteReader(bytes, offset: ids[row])
    let id = try reader.entityID()
    func cell(_ content: Cell.Content) -> Cell {
      Cell(ordinal: ordinals[row], entity: id, time: time, content: content)
    }
    var cells = [cell(.life(.created(type, datestamp: nil)))]
    for column in columns where column.presence.map({ bytes.hasBit(row, at: $0) }) ?? true {
      var reader = ByteReader(bytes, offset: column.values[row])
      let value = try column.kind.map { try reader.content($0) } ?? reader.value()
      let (key, semanticType) = (column.declaration.key, column.declaration.semanticType)
      cells.append(cell(.value(key, value, semanticType: semanticType)))
    }
    return cells
  }
}

/// The places of the elements of a column, one for each row.
enum Places: Sendable {
  case regular(first: Int, width: Int)
  case listed([UInt32])

  subscript(row: Int) -> Int {
    switch self {
    case .regular(let first, let width): first + row * width
    case .listed(let places): Int(places[row])
    }
  }

  /// Skips the identifiers of all rows.
  init(
    ofIdentifiers count: Int,
    _ reader: inout ByteReader
  ) throws {
    if reader.isAtUUIDs(count) {
      self = .regular(first: reader.offset, width: 17)
      try reader.skip(count * 17)
    } else {
      self = try .listed(places(count, &reader) { _, reader in try reader.skipEntityID() })
    }
  }

  /// Skips the values of all rows.
  init(
    ofValues count: Int,
    _ kind: Value.Kind?,
    _ presence: Int?,
    _ reader: inout ByteReader,
    of bytes: UnsafeRawBufferPointer
  ) throws {
    if presence == nil, let width = kind?.fixedWidth {
      self = .regular(first: reader.offset, width: width)
      try reader.skip(count * width)
    } else {
      self = try .listed(
        places(count, &reader) { row, reader in
          if let presence, !bytes.hasBit(row, at: presence) { return }
          if let kind { try reader.skipContent(kind) } else { try reader.skipValue() }
        }
      )
    }
  }

  /// Returns the first row whose identifier is this one, if these are the places of identifiers.
  ///
  /// - Complexity: O(rows), some comparisons of bytes a row.
  func row(of id: EntityID, count: Int, in bytes: UnsafeRawBufferPointer) -> Int? {
    switch id.storage {
    case .uuid(let high, let low):
      return firstRow(count: count, byteCount: 17, in: bytes) { place in
        bytes[place] == 0
          && bytes.loadUnaligned(fromByteOffset: place + 9, as: UInt64.self) == low.bigEndian
          && bytes.loadUnaligned(fromByteOffset: place + 1, as: UInt64.self) == high.bigEndian
      }
    case .text:
      var writer = ByteWriter()
      writer.entityID(id)
      let encoded = writer.bytes
      return firstRow(count: count, byteCount: encoded.count, in: bytes) { place in
        bytes[place..<place + encoded.count].elementsEqual(encoded)
      }
    }
  }

  /// Returns the first row whose bytes satisfy a condition, of those with enough bytes.
  @inline(__always)
  private func firstRow(
    count: Int,
    byteCount: Int,
    in bytes: UnsafeRawBufferPointer,
    where holds: (Int) -> Bool
  ) -> Int? {
    for row in 0..<count {
      let place = self[row]
      if place + byteCount <= bytes.count, holds(place) { return row }
    }
    return nil
  }
}

/// Returns the places of elements that are skipped one by one.
@inline(__always)
private func places(
  _ count: Int,
  _ reader: inout ByteReader,
  skip: (Int, inout ByteReader) throws -> Void
) throws -> [UInt32] {
  var places: [UInt32] = []
  places.reserveCapacity(count)
  for row in 0..<count {
    places.append(UInt32(reader.offset))
    try skip(row, &reader)
  }
  return places
}

extension Value.Kind {
  /// The number of bytes of every encoded content, if they are as many in each.
  fileprivate var fixedWidth: Int? {
    switch self {
    case .bool: 1
    case .double, .date: 8
    case .int, .string, .data, .reference, .array, .dictionary: nil
    }
  }
}

extension UnsafeRawBufferPointer {
  /// Returns a bit of a row, lowest first, of bits that begin at a place.
  func hasBit(_ row: Int, at place: Int) -> Bool {
    self[place + row >> 3] & 1 << UInt8(row & 7) != 0
  }
}
