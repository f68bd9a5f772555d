/// Finds one cell of a block without decoding the others.
extension BlockContent {
  /// Returns the content of the cell with an ordinal if the block is a single section of cells; nil
  /// if the block must be decoded to find it.
  ///
  /// - Complexity: O(bytes before the cell), without allocating for them.
  package static func skim(_ payload: [UInt8], ordinal: Int) throws -> Cell.Content? {
    try payload.withUnsafeBytes { buffer in
      var reader = ByteReader(buffer)
      guard try reader.byte() == cellsTag, try reader.byte() == SectionTag.cells.rawValue else {
        return nil
      }
      return try reader.skimCells(ordinal: ordinal)
    }
  }
}

extension ByteReader {
  fileprivate mutating func skimCells(ordinal: Int) throws -> Cell.Content? {
    let cellCount = try count(unit: 2)
    guard let index = try index(of: ordinal, among: cellCount) else { return nil }
    var tables = DecodedTables()
    try skipEntityIDs(count())
    for _ in 0..<(try count()) { tables.keys.append(PropertyKey(try text())) }
    for _ in 0..<(try count(unit: 49)) { tables.commits.append(try commitID()) }
    try skipTimes(count: cellCount)
    try skipVarints(cellCount)
    for _ in 0..<index {
      guard try skipCellContent() else { return nil }
    }
    var chunked: BlockContent.ChunkedValue?
    let content = try cellContent(tables, chunked: &chunked)
    return chunked == nil ? content : nil
  }

  /// Returns the index of an ordinal among rising ones.
  private mutating func index(of ordinal: Int, among count: Int) throws -> Int? {
    switch try byte() {
    case 0:
      let index = ordinal - (try number())
      return (0..<count).contains(index) ? index : nil
    case 1:
      var last = 0
      var found: Int?
      for index in 0..<count {
        let (next, overflow) = last.addingReportingOverflow(try number())
        guard !overflow else { throw damaged("an ordinal is too large") }
        last = next
        if last == ordinal { found = index }
      }
      return found
    default: throw damaged("ordinals have an unknown mode")
    }
  }

  private mutating func skipTimes(count: Int) throws {
    switch try byte() {
    case 0: return
    case 1: try skip(8)
    case 2: for _ in 0..<count { _ = try optionalTime() }
    default: throw damaged("times have an unknown mode")
    }
  }

  /// Skips a cell's content; returns false for kinds it does not handle.
  @inline(__always)
  private mutating func skipCellContent() throws -> Bool {
    switch CellTag(rawValue: try byte()) {
    case .value:
      try skipVarint()
      try skipVarint()
      let kind = try byte()
      guard kind != Value.Kind.int.rawValue else {
        try skipVarint()
        break
      }
      guard let kind = Value.Kind(rawValue: kind) else {
        throw damaged("a value has an unknown kind")
      }
      try skipContent(kind)
    case .removal, .collection: try skipVarint()
    case .erased, .restored: break
    case .add:
      try skip(1)
      try skipVarint()
      try skipEntityID()
      try skip(count())
    case .pairedAdd:
      try skip(1)
      try skipVarint()
      try skipEntityID()
      try skip(count())
      try skip(1)
      try skipVarint()
    case .created, .recreated, .largeValue, .remove, nil: return false
    }
    return true
  }
}
