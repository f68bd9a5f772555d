import Testing
import VarveCore
import VarveTestSupport

@Suite("Finding cells in a block")
struct IndexedBlockTests {
  @Test(arguments: 0..<(40 as UInt64))
  func `finding cells in a block gives the cells that decoding gives`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    var ordinal = 0
    var sections: [Section] = []
    for number in 0..<random.pick([1, 2, 3]) {
      sections.append(.creations(table(number, &ordinal, &random)))
    }
    if random.chance(50) { sections.append(.cells(cells(&ordinal, &random))) }
    let content = BlockContent(sections: sections)
    let encoded = try #require(try IndexedBlock(content.payloads()[0]))
    let decoded = IndexedBlock(content)
    let all = sections.flatMap(\.cells)
    for id in Set(all.map(\.entity)).union([.new(), "absent"]) {
      let table = sections.lazy.compactMap { section -> [Cell]? in
        let cells = section.cells.filter { $0.entity == id }
        if case .creations = section { return cells.isEmpty ? nil : cells }
        return cells.first { $0.content == .life(.created("T", datestamp: nil)) }.map { [$0] }
      }.first
      #expect(try encoded.creation(of: id) == table ?? [])
      #expect(try decoded.creation(of: id) == table ?? [])
    }
    for cell in all {
      let key = cell.content.key
      #expect(try encoded.cell(ordinal: cell.ordinal, key: key) == cell)
      #expect(try decoded.cell(ordinal: cell.ordinal, key: key) == cell)
    }
    #expect(try encoded.cell(ordinal: ordinal + 1, key: nil) == nil)
  }

  @Test(arguments: 0..<(40 as UInt64))
  func `finds one value without the others, as decoding gives it`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    var ordinal = 0
    let tables = (0..<random.pick([1, 2, 3])).map { table($0, &ordinal, &random) }
    let last = cells(&ordinal, &random)
    let content = BlockContent(sections: tables.map { .creations($0) } + [.cells(last)])
    let payload = content.payloads()[0]
    var found = 0
    for table in tables {
      for id in table.ids {
        for key in ["k0", "k1", "k2", "k3", "k4", "absent"] as [PropertyKey] {
          let wanted = table.cells.filter { $0.entity == id && $0.content.key == key }
          #expect(try BlockContent.skimCreation(of: id, key: key, in: payload) == wanted)
          found += wanted.count
        }
      }
    }
    #expect(found > 0 || tables.allSatisfy { $0.ids.isEmpty || $0.columns.isEmpty })
    for cell in last {
      #expect(try BlockContent.skimCreation(of: cell.entity, key: "k", in: payload) == nil)
    }
  }

  @Test(
    arguments: 0..<(40 as UInt64)
  )
  func `finding cells in a block finds one cell without the others, as decoding gives it`(
    seed: UInt64
  ) throws {
    var random = SplitMix64(seed: seed)
    let hasTimes = random.chance(50)
    let hasGaps = random.chance(50)
    var ordinal = random.pick([0, 5, 70_000])
    let simple = BlockCodingTests.contents.filter { content in
      switch content {
      case .life(.created), .life(.recreated), .remove: false
      default: true
      }
    }
    let cells = (0..<random.pick([1, 7, 8, 9, 300])).map { index in
      defer { ordinal += hasGaps ? random.pick([1, 2, 300]) : 1 }
      let key = PropertyKey("k\(index % 200)")
      let value = random.value(references: ["r"])
      return Cell(
        ordinal: ordinal,
        entity: random.chance(20) ? EntityID(unchecked: "e\(index)") : .new(),
        time: hasTimes && random.chance(50) ? HybridTime(rawValue: Int64(index)) : nil,
        content: random.chance(30) ? random.pick(simple) : .value(key, value, semanticType: "s")
      )
    }
    let payload = BlockContent(sections: [.cells(cells)]).payloads()[0]
    for cell in cells {
      #expect(try BlockContent.skim(payload, ordinal: cell.ordinal) == cell.content)
    }
    #expect(try BlockContent.skim(payload, ordinal: ordinal + 1) == nil)
  }

  @Test func `leaves a block whose large value is in other blocks to decoding`() throws {
    let value = Value.string(String(repeating: "x", count: BlockContent.chunkByteCount + 1))
    let cell = Cell(
      ordinal: 0,
      entity: "e",
      time: nil,
      content: .value("k", value, semanticType: "s")
    )
    let payloads = BlockContent(sections: [.cells([cell])]).payloads()
    #expect(payloads.count == 3)
    #expect(try IndexedBlock(payloads[0]) == nil)
  }

  @Test func `refuses a value that is damaged when it is asked for, and finds the others`() throws {
    var table = Creations(type: "T", columns: [.init(key: "k", semanticType: "s")], time: nil)
    table.ids = ["a", "b"]
    table.ordinals = [0, 1]
    table.values = PackedValues([.string("first"), .string("second")])
    var payload = BlockContent(sections: [.creations(table)]).payloads()[0]
    let place = try #require(payload.firstRange(of: Array("first".utf8))).lowerBound
    payload[place] = 0xFF
    let block = try #require(try IndexedBlock(payload))
    #expect(performing { try block.creation(of: "a") } == .damaged)
    #expect(try block.creation(of: "b").count == 2)
  }

  private func table(
    _ number: Int,
    _ ordinal: inout Int,
    _ random: inout SplitMix64
  ) -> Creations {
    let columns = (0..<random.pick([0, 1, 5])).map {
      Creations.Column(key: PropertyKey("k\($0)"), semanticType: "s")
    }
    var table = Creations(
      type: "T",
      columns: columns,
      time: random.chance(50) ? nil : HybridTime(rawValue: Int64(number))
    )
    let hasGaps = random.chance(50)
    let onlyUUIDs = random.chance(50)
    for row in 0..<random.pick([0, 1, 8, 9, 50]) {
      let isNamed = !onlyUUIDs && random.chance(50)
      table.ids.append(isNamed ? EntityID(unchecked: "e\(number)/\(row)") : .new())
      table.ordinals.append(ordinal)
      ordinal += random.pick([1, 1, 300])
      for column in columns.indices {
        let value: Value =
          switch column {
          case 0: .bool(row % 2 == 0)
          case 1: .double(Double(row))
          case 2: .int(Int64(row) * 1_000)
          case 3: .string("text \(row)")
          default: random.value(references: ["r"])
          }
        table.values.append(hasGaps && random.chance(30) ? nil : value)
      }
    }
    return table
  }

  private func cells(_ ordinal: inout Int, _ random: inout SplitMix64) -> [Cell] {
    let contents: [Cell.Content] = [
      .life(.created("T", datestamp: nil)), .value("k", .int(5), semanticType: "integer"),
      .removal("k"), .life(.erased),
    ]
    return (0..<20).map { index in
      ordinal += random.pick([1, 7])
      let id = EntityID(unchecked: "c\(index / contents.count)")
      return Cell(
        ordinal: ordinal,
        entity: id,
        time: nil,
        content: contents[index % contents.count]
      )
    }
  }
}
