import Testing
import VarveCore

@Suite("The frozen format")
struct GoldenTests {
  private let payload: [UInt8] = {
    var table = Creations(
      type: "Hat",
      columns: [.init(key: "color", semanticType: "string")],
      time: nil
    )
    table.ids = ["h", "01900000-0000-7000-8000-00000000000a"]
    table.ordinals = [0, 1]
    table.values = ["red", nil]
    let cells = [
      Cell(
        ordinal: 2,
        entity: "s",
        content: .add(Relation(.owns), target: "h", position: nil)
      ),
      Cell(
        ordinal: 3,
        entity: "h",
        time: HybridTime(millisecondsSince1970: -1),
        content: .value("size", 12, semanticType: "integer")
      ),
    ]
    return BlockContent(sections: [.creations(table), .cells(cells)]).payloads()[0]
  }()

  @Test func `the frozen format writes a block as it always did`() throws {
    let golden = """
      0101034861740105636f6c6f7206737472696e67020000000168000190000000
      007000800000000000000a040101037265640202000202017301680300047369
      7a6507696e746567657200020001ffffffffffff000000010901000168000501
      020218
      """
    #expect(hexadecimal(payload) == golden)
    #expect(try BlockContent(decoding: bytes(golden)).payloads() == [payload])
  }

  @Test func `the frozen format writes a header, and names its commit, as it always did`() throws {
    let block = Block(
      salt: Array(0..<16),
      digest: .sha256(Array(0..<16), [0] + payload),
      stored: [0] + payload
    )
    let header = CommitHeader(
      replica: ReplicaID(high: 1, low: 2),
      sequence: 300,
      time: HybridTime(millisecondsSince1970: 1_700_000_000_000, counter: 1),
      previous: .sha256([0]),
      dependencies: [
        CommitID(replica: ReplicaID(high: 3, low: 4), sequence: 1, hash: .sha256([1]))
      ],
      author: "sam",
      message: "é",
      ordinalCount: 4,
      blockCount: 1,
      blocksDigest: CommitHeader.digest(ofBlocks: [block.digest]),
      latestCellTime: .distantFuture
    )
    let commit = Commit(header: header, blocks: [block])
    try commit.verify()
    let golden = """
      010000000000000000010000000000000002ac02018bcfe5680000016e340b9c
      ffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d01000000
      00000000030000000000000004014bf5122f344554c53bde2ebb8cd2b7e3d160
      0ad631c385a5d7cce23c7785459a0373616d02c3a904017e6f5d383cc1e6df27
      a2a47a03fc1eb8c312a896c26e64e191f87485e7f8b2d7017fffffffffffffff
      00
      """
    #expect(hexadecimal(commit.headerBytes) == golden)
    #expect(
      commit.id.hash.hexadecimal
        == "45d54748afc751c55368404749ae8c4e410c8bef6c7a8c4a77177159ec7e829e"
    )
    #expect(try CommitHeader(encoded: bytes(golden)) == header)
  }

  private func hexadecimal(_ bytes: [UInt8]) -> String {
    let digits = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
    return stride(from: 0, to: digits.count, by: 32).map { start in
      digits[start..<min(start + 32, digits.count)].joined()
    }.joined(separator: "\n")
  }

  private func bytes(_ text: String) -> [UInt8] {
    let digits = Array(text.filter { $0 != "\n" })
    return stride(from: 0, to: digits.count, by: 2).compactMap { index in
      UInt8(String(digits[index...index + 1]), radix: 16)
    }
  }
}
