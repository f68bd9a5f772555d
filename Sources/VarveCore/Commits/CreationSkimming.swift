/// Finds one value of a creation without decoding the others.
extension BlockContent {
  /// Returns the cell of a property in an entity's creation, or none if it gave no value, if a table
  /// before any other section created the entity; nil if the block must be decoded to find it.
  ///
  /// - Complexity: O(rows × columns before the property's), without allocating for them.
  package static func skimCreation(
    of id: EntityID,
    key: PropertyKey,
    in payload: [UInt8]
  ) throws -> [Cell]? {
    try payload.withUnsafeBytes { bytes in
      var reader = ByteReader(bytes)
      guard try reader.byte() == cellsTag else { return nil }
      while !reader.isAtEnd, try reader.byte() == SectionTag.creations.rawValue {
        if let cells = try reader.skimCreations(of: id, key: key, in: bytes) { return cells }
      }
      return nil
    }
  }
}

extension ByteReader {
  /// Returns the cells of a property in the creation of an entity. If the table does not create the
  /// entity, skips it and returns nil.
  fileprivate mutating func skimCreations(
    of id: EntityID,
    key: PropertyKey,
    in bytes: UnsafeRawBufferPointer
  ) throws -> [Cell]? {
    _ = try utf8()
    var columns: [Creations.Column] = []
    for _ in 0..<(try count(unit: 2)) { columns.append(try columnDeclaration()) }
    let rowCount = try count(unit: 2)
    let ordinal = try ordinalOfRow(count: rowCount)
    let time = try optionalTime()
    let row = try Places(ofIdentifiers: rowCount, &self).row(of: id, count: rowCount, in: bytes)
    try checkColumnCount(columns.count, rows: rowCount)
    // Nothing is read after the last column of the property.
    let end = row == nil ? columns.count : (columns.lastIndex { $0.key == key } ?? -1) + 1
    var cells: [Cell] = []
    for (index, column) in columns.prefix(end).enumerated() {
      let form = try columnForm()
      let presence = form.isWhole ? nil : offset
      if presence != nil { try skip((rowCount + 7) / 8) }
      if let row, column.key == key, presence.map({ bytes.hasBit(row, at: $0) }) ?? true {
        var reader = self
        try reader.skipContents(presence.map { bytes.bitCount(row, at: $0) } ?? row, of: form.kind)
        let value = try form.kind.map { try reader.content($0) } ?? reader.value()
        let content = Cell.Content.value(key, value, semanticType: column.semanticType)
        cells.append(Cell(ordinal: ordinal(row), entity: id, time: time, content: content))
      }
      if row != nil, index == end - 1 { break }
      try skipContents(presence.map { bytes.bitCount(rowCount, at: $0) } ?? rowCount, of: form.kind)
    }
    return row == nil ? nil : cells
  }

  /// Reads the ordinals of rows; returns a function from the row.
  private mutating func ordinalOfRow(count: Int) throws -> (Int) -> Int {
    guard try peek() == 0 else {
      let ordinals = try ordinals(count: count)
      return { ordinals[$0] }
    }
    try skip(1)
    let first = try number()
    guard first < Int.max - count else { throw damaged("an ordinal is too large") }
    return { first + $0 }
  }
}

extension UnsafeRawBufferPointer {
  /// Returns how many of the first bits are set, lowest first, of bits that begin at a place.
  fileprivate func bitCount(_ count: Int, at place: Int) -> Int {
    let whole = self[place..<place + count / 8].reduce(0) { $0 + $1.nonzeroBitCount }
    guard count % 8 > 0 else { return whole }
    return whole + (self[place + count / 8] & (1 << UInt8(count % 8) - 1)).nonzeroBitCount
  }
}
