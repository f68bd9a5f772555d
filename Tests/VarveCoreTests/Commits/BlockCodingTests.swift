import Foundation
import Testing
import VarveCore
import VarveTestSupport

@Suite("The encoding of blocks")
struct BlockCodingTests {
  static let commit = CommitID(
    replica: ReplicaID(high: 7, low: 8),
    sequence: .max,
    hash: .sha256([1])
  )
  static let contents: [Cell.Content] = [
    .life(.created("T", datestamp: nil)), .life(.created("", datestamp: .distantPast)),
    .life(.recreated("Ünï", datestamp: .distantFuture)), .life(.erased), .life(.restored),
    .value("k", .int(.min), semanticType: "integer"), .value("", [[:]], semanticType: ""),
    .removal("k"), .collection("e\u{301}"),
    .add(Relation(.owns), target: "t", position: nil),
    .add(Relation(.owns, "r"), target: "t", position: nil, pairing: Pairing("k", at: .target)),
    .add(Relation(.free), target: "e", position: nil, pairing: Pairing("", at: .source)),
    .add(
      Relation(.owns),
      target: "e",
      position: nil,
      pairing: Pairing("void", at: .source, isVoid: true)
    ),
    .add(Relation(.member, "k"), target: .new(), position: ListPosition(bytes: [0])),
    .remove(Relation(.free, "k"), target: "t", adds: []),
    .remove(
      Relation(.owns),
      target: "t",
      adds: [AddID(commit: nil, ordinal: 3), AddID(commit: commit, ordinal: 70_000)]
    ),
  ]

  @Test func `decodes every kind of cell, with times for none, all or some`() throws {
    let all: [(Int) -> HybridTime?] = [
      { _ in nil }, { _ in HybridTime(rawValue: -5) },
      { $0 % 2 == 0 ? nil : HybridTime(rawValue: Int64($0)) },
    ]
    for time in all {
      let cells = Self.contents.enumerated().map { index, content in
        Cell(
          ordinal: index * index,
          entity: index % 3 == 0 ? "x" : "y",
          time: time(index),
          content: content
        )
      }
      let content = BlockContent(sections: [.cells(cells)])
      let payloads = content.payloads()
      #expect(payloads.count == 1)
      #expect(try BlockContent(decoding: payloads[0]).sections == content.sections)
    }
  }

  @Test func `brings back tables with gaps, mixed kinds and no rows or columns at all`() throws {
    var random = SplitMix64(seed: 9)
    for rowCount in [0, 1, 7, 8, 9, 100] {
      for width in [0, 1, 3] {
        let columns = (0..<width).map {
          Creations.Column(key: PropertyKey("k\($0)"), semanticType: "s")
        }
        var table = Creations(
          type: "T",
          columns: columns,
          time: random.chance(50) ? nil : .distantPast
        )
        var ordinal = 0
        for row in 0..<rowCount {
          table.ids.append(random.chance(50) ? EntityID(unchecked: "e\(row)") : .new())
          ordinal += random.pick([1, 1, 1, 300])
          table.ordinals.append(ordinal)
          for column in 0..<width {
            let value: Value = column == 0 ? .int(Int64(row)) : random.value(references: [])
            table.values.append(random.chance(80) ? value : nil)
          }
        }
        let content = BlockContent(sections: [.creations(table), .creations(table)])
        #expect(try BlockContent(decoding: content.payloads()[0]).sections == content.sections)
      }
    }
  }

  @Test func `hands out ordinals in the order of the calls, whatever shapes alternate`() throws {
    var builder = BlockBuilder()
    for index in 0..<60 {
      let entity = EntityID(unchecked: "e\(index)")
      let columns = (0..<index % 12).map {
        Creations.Column(key: PropertyKey("k\($0)"), semanticType: "integer")
      }
      var table = Creations(type: "T", columns: columns, time: nil)
      table.ids = [entity]
      table.values = PackedValues(columns.map { _ in .int(Int64(index)) })
      #expect(builder.create(row: 0, of: table) == index * 2)
      #expect(builder.add(.removal("r"), entity: entity, time: nil) == index * 2 + 1)
    }
    let content = builder.take()
    #expect(builder.isEmpty)
    let decoded = try BlockContent(decoding: content.payloads()[0])
    let cells = decoded.sections.flatMap(\.cells)
    #expect(Set(cells.map(\.ordinal)) == Set(0..<120))
    for cell in cells { #expect(cell.entity == EntityID(unchecked: "e\(cell.ordinal / 2)")) }
  }

  @Test func `has the same bytes whether rows are added together or one by one`() {
    var random = SplitMix64(seed: 9)
    for width in 0..<5 {
      let columns = (0..<width).map {
        Creations.Column(key: PropertyKey("k\($0)"), semanticType: "any")
      }
      var table = Creations(type: "T", columns: columns, time: nil)
      for row in 0..<40 {
        table.ids.append(EntityID(unchecked: "e\(row)"))
        table.ordinals.append(row)
        for _ in columns {
          table.values.append(random.chance(80) ? random.value(references: []) : nil)
        }
      }
      var (together, single) = (BlockBuilder(), BlockBuilder())
      for start in stride(from: 0, to: 40, by: 8) {
        #expect(together.create(rows: start..<start + 8, of: table) == start)
        for row in start..<start + 8 { #expect(single.create(row: row, of: table) == row) }
        #expect(together.byteCount == single.byteCount)
      }
      #expect(together.nextOrdinal == single.nextOrdinal)
      #expect(together.take().payloads() == single.take().payloads())
    }
  }

  @Test func `cuts a value of 3 MiB into chunks, and puts it together again`() async throws {
    let words = (0..<3 << 17 as Range<UInt64>).map { $0 &* $0 &* 0x9E37_79B9 }
    let large = words.withUnsafeBytes { Data($0) }
    let backend = ReferenceBackend()
    _ = try await backend.write(WriteRequest()) { writer in
      for operation in [
        Operation.create(Creation("x", "T", [Assignment("a", .data(large)), Assignment("b", 1)])),
        .set("x", Assignment("c", .data(large)), time: nil),
        .set("x", Assignment("d", 2), time: nil),
      ] {
        try await operation.apply(to: writer)
      }
    }
    let commit = try #require(try backend.arrivals().first)
    #expect(commit.blocks.count >= 8)
    let copy = ReferenceBackend()
    _ = try await copy.append([Commit(headerBytes: commit.headerBytes, blocks: commit.blocks)])
    let entity = try #require(try await copy.read(at: .now) { try await $0.entity("x") })
    #expect(entity["a"] == .data(large))
    #expect(entity["c"] == .data(large))
    #expect(entity.keys == ["a", "b", "c", "d"])
    let torn = Commit(header: commit.header, blocks: Array(commit.blocks.dropLast(2)))
    #expect(performing { try torn.verify() } == .damaged)
    #expect(performing { try torn.cells() } == .damaged)
  }

  @Test func `the encoding of blocks never writes a block it would refuse to read`() throws {
    let payload = [UInt8](repeating: 1, count: Block.maximumPayloadByteCount + 1)
    #expect(try Block(sealing: payload).payload() == payload)
    let fitting = [UInt8](repeating: 1, count: Block.maximumPayloadByteCount)
    let block = Block(sealing: fitting)
    #expect(block.stored.count < 10_000)
    #expect(try block.payload() == fitting)
  }

  @Test func `the encoding of blocks compresses long payloads, not short ones, and salts both`()
    throws
  {
    for count in [0, 1, 511, 512, 10_000] {
      let payload = [UInt8](repeating: 7, count: count)
      let (one, two) = (Block(sealing: payload), Block(sealing: payload))
      #expect(one.stored.first == (count < 512 ? 0 : 1))
      #expect(one.stored == two.stored)
      #expect(one.salt != two.salt)
      #expect(one.digest != two.digest)
      #expect(one.isIntact)
      #expect(try one.payload() == payload)
    }
  }
}
