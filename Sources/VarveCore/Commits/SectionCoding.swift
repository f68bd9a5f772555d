/// The tag in front of each section of a block.
enum SectionTag: UInt8 {
  case creations = 1
  case cells = 2
  case redactions = 3
}

extension ByteWriter {
  package mutating func section(_ section: Section, large: inout [UInt8]?) {
    switch section {
    case .creations(let table):
      byte(SectionTag.creations.rawValue)
      creations(table)
    case .cells(let cells):
      byte(SectionTag.cells.rawValue)
      cellSection(cells, large: &large)
    }
  }

  /// Encodes increasing numbers: 0 and the first if they are consecutive, otherwise 1 and the
  /// differences.
  package mutating func ordinals(_ ordinals: [Int]) {
    let first = ordinals.first ?? 0
    if ordinals.isEmpty || ordinals[ordinals.count - 1] - first == ordinals.count - 1 {
      byte(0)
      varint(first)
      return
    }
    byte(1)
    var last = 0
    for ordinal in ordinals {
      varint(ordinal - last)
      last = ordinal
    }
  }

  private mutating func creations(_ table: Creations) {
    text(table.type.text)
    varint(table.columns.count)
    for column in table.columns {
      text(column.key.text)
      text(column.semanticType)
    }
    varint(table.ids.count)
    ordinals(table.ordinals)
    byte(table.time == nil ? 0 : 1)
    if let time = table.time { fixed(UInt64(bitPattern: time.rawValue)) }
    for id in table.ids { entityID(id) }
    for column in table.columns.indices { self.column(column, of: table) }
  }

  /// Encodes a column: its kind, or 0 and a kind before each value; then whether every row has a
  /// value.
  private mutating func column(_ column: Int, of table: Creations) {
    let width = table.columns.count
    var kind: Value.Kind?
    var isMixed = false
    var presentCount = 0
    for row in table.ids.indices {
      guard let next = table.values.kind(at: row * width + column) else { continue }
      presentCount += 1
      if kind == nil { kind = next } else if kind != next { isMixed = true }
    }
    byte(isMixed ? 0 : (kind ?? .bool).rawValue)
    byte(presentCount == table.ids.count ? 0 : 1)
    if presentCount < table.ids.count { presence(of: column, in: table) }
    for row in table.ids.indices {
      let place = row * width + column
      if isMixed, let kind = table.values.kind(at: place) { byte(kind.rawValue) }
      content(of: table.values, at: place)
    }
  }

  /// Encodes which rows have a value: one bit per row, lowest first.
  private mutating func presence(of column: Int, in table: Creations) {
    var bits: UInt8 = 0
    for row in table.ids.indices {
      if table.values.kind(at: row * table.columns.count + column) != nil {
        bits |= 1 << UInt8(row & 7)
      }
      if row & 7 == 7 || row == table.ids.count - 1 {
        byte(bits)
        bits = 0
      }
    }
  }
}

extension ByteReader {
  package mutating func section(chunked: inout BlockContent.ChunkedValue?) throws -> Section {
    switch try sectionTag() {
    case .creations: return .creations(try creations())
    case .cells: return .cells(try cellSection(chunked: &chunked))
    case .redactions: throw damaged("a section has an unknown tag")
    }
  }

  mutating func sectionTag() throws -> SectionTag {
    guard let tag = SectionTag(rawValue: try byte()) else {
      throw damaged("a section has an unknown tag")
    }
    return tag
  }

  /// Reads the tag in front of all sections.
  mutating func blockTag() throws {
    guard try byte() == BlockContent.cellsTag else { throw damaged("a block does not hold cells") }
  }

  /// Reads the redactions of a section.
  package mutating func redactions() throws -> [Redaction] {
    var redactions: [Redaction] = []
    for _ in 0..<(try count(unit: 50)) { redactions.append(try redaction()) }
    return redactions
  }

  package mutating func ordinals(count: Int) throws -> [Int] {
    let mode = try byte()
    let first = try number()
    guard first < Int.max - count else { throw damaged("an ordinal is too large") }
    switch mode {
    case 0: return Array(first..<first + count)
    case 1:
      var ordinals = count > 0 ? [first] : []
      while ordinals.count < count {
        let (next, overflow) = ordinals[ordinals.count - 1].addingReportingOverflow(try number())
        // The ordinal after the last one must not overflow either.
        guard !overflow, next < Int.max else { throw damaged("an ordinal is too large") }
        ordinals.append(next)
      }
      return ordinals
    default: throw damaged("ordinals have an unknown mode")
    }
  }

  package mutating func optionalTime() throws -> HybridTime? {
    switch try byte() {
    case 0: return nil
    case 1: return HybridTime(rawValue: Int64(bitPattern: try fixed()))
    default: throw damaged("a time has an unknown mode")
    }
  }

  private mutating func creations() throws -> Creations {
    let type = EntityType(try text())
    var columns: [Creations.Column] = []
    for _ in 0..<(try count(unit: 2)) { columns.append(try columnDeclaration()) }
    let rowCount = try count(unit: 2)
    let ordinals = try ordinals(count: rowCount)
    var table = Creations(type: type, columns: columns, time: try optionalTime())
    table.ordinals = ordinals
    table.ids.reserveCapacity(rowCount)
    for _ in 0..<rowCount { table.ids.append(try entityID()) }
    try checkColumnCount(columns.count, rows: rowCount)
    table.values = PackedValues(nothings: rowCount * columns.count)
    for column in columns.indices { try self.column(column, of: &table) }
    return table
  }

  mutating func columnDeclaration() throws -> Creations.Column {
    Creations.Column(key: PropertyKey(try text()), semanticType: try text())
  }

  /// Checks that the rest can hold the columns of a table: each has two bytes of form and at least
  /// one bit per row.
  func checkColumnCount(_ count: Int, rows: Int) throws {
    guard count <= remaining / (2 + rows / 8) else { throw damaged("a table has too many columns") }
  }

  /// Reads the kind of all values of a column, nil if they differ, and whether every row has one.
  mutating func columnForm() throws -> (kind: Value.Kind?, isWhole: Bool) {
    let tag = try byte()
    let kind = Value.Kind(rawValue: tag)
    guard tag == 0 || kind != nil else { throw damaged("a column has an unknown kind") }
    let form = try byte()
    guard form < 2 else { throw damaged("a column has an unknown form") }
    return (kind, form == 0)
  }

  private mutating func column(_ column: Int, of table: inout Creations) throws {
    let (kind, isWhole) = try columnForm()
    let present = try isWhole ? nil : raw((table.ids.count + 7) / 8)
    let width = table.columns.count
    for row in table.ids.indices {
      if let present, present[row >> 3] & 1 << UInt8(row & 7) == 0 { continue }
      let place = row * width + column
      if kind == .string {
        table.values.set(place, text: try utf8())
      } else {
        table.values[place] = try kind.map { try content($0) } ?? value()
      }
    }
  }
}
