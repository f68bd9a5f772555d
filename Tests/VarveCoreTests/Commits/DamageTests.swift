import Testing
import VarveCore
import VarveTestSupport

@Suite("Damaged commits")
struct DamageTests {
  @Test func `damaged commits throw an error if their header is cut or a bit is flipped`() throws {
    let commit = try sample()
    let bytes = commit.headerBytes
    for length in 0..<bytes.count {
      #expect(performing { try CommitHeader(encoded: Array(bytes[..<length])) } != nil)
    }
    for bit in 0..<bytes.count * 8 {
      let flipped = bytes.flipping(bit)
      guard let header = try? CommitHeader(encoded: flipped) else { continue }
      // If it is still a header, it is that of another commit, and is encoded as it was read.
      #expect(header.encoded == flipped)
      #expect(try Commit(headerBytes: flipped, blocks: commit.blocks).id != commit.id)
    }
  }

  @Test func `damaged commits never crash the reader of a payload, cut or flipped`() throws {
    for block in try sample().blocks {
      let payload = try block.payload()
      for length in 0..<payload.count {
        _ = try? BlockContent(decoding: Array(payload[..<length]))
        findAll(Array(payload[..<length]))
      }
      for bit in 0..<payload.count * 8 { readAll(payload.flipping(bit)) }
    }
  }

  @Test func `damaged commits never crash the reader of random bytes`() {
    var random = SplitMix64(seed: 10)
    for _ in 0..<5_000 {
      let count = Int.random(in: 0...60, using: &random)
      var bytes = (0..<count).map { _ in
        random.chance(60)
          ? random.pick([0, 1, 2, 3, 5, 0xFF]) : UInt8(truncatingIfNeeded: random.next())
      }
      bytes.insert(BlockContent.cellsTag, at: 0)
      readAll(bytes)
      _ = try? Value(encoded: bytes)
      _ = try? CommitHeader(encoded: bytes)
    }
  }

  @Test func `damaged commits are noticed by verify at every flipped bit of salt and content`()
    throws
  {
    let commit = try sample()
    try commit.verify()
    for index in commit.blocks.indices {
      let block = commit.blocks[index]
      for bit in 0..<min(block.stored.count * 8, 4_000) {
        let flipped = Block(
          salt: block.salt,
          digest: block.digest,
          stored: block.stored.flipping(bit)
        )
        #expect(performing { try replacing(index, of: commit, by: flipped).verify() } == .damaged)
      }
      let resealed = Block(sealing: try block.payload())
      #expect(performing { try replacing(index, of: commit, by: resealed).verify() } == .damaged)
      let salted = Block(
        salt: block.salt.flipping(3),
        digest: block.digest,
        stored: block.stored
      )
      #expect(performing { try replacing(index, of: commit, by: salted).verify() } == .damaged)
    }
    let fewer = Commit(header: commit.header, blocks: [])
    #expect(performing { try fewer.verify() } == .damaged)
  }

  @Test func `damaged commits of a newer format are refused as such`() throws {
    var bytes = try sample().headerBytes
    bytes[0] = 2
    #expect(performing { try CommitHeader(encoded: bytes) } == .newerFormat)
    bytes[0] = 1
    bytes[1] = 9
    #expect(performing { try CommitHeader(encoded: bytes) } == .newerFormat)
    bytes[1] = 0
    bytes[bytes.count - 1] = 1
    #expect(performing { try CommitHeader(encoded: bytes + [3, 0]) } == .newerFormat)
    let kept = try CommitHeader(encoded: bytes + [4, 1, 9])
    #expect(kept.extensions.map(\.number) == [4])
    #expect(kept.encoded == bytes + [4, 1, 9])
  }

  @Test func `damaged commits with a chunk count beyond all bounds are refused`() throws {
    for count in [1, 2, Int.max] as [Int] {
      var writer = ByteWriter()
      for byte in [1, 2, 1, 0, 0, 1] as [UInt8] { writer.byte(byte) }
      writer.entityID("x")
      writer.varint(1)
      writer.text("k")
      for byte in [0, 0, 0, 6, 0, 0] as [UInt8] { writer.byte(byte) }
      writer.varint(Int.max)
      writer.varint(count)
      let blocks = [Block(sealing: writer.bytes), Block(sealing: [BlockContent.chunkTag, 1])]
      let commit = ScriptedReplica.sealing(blocks)
      #expect(performing { try commit.verify() } == nil)
      #expect(performing { try commit.cells() } == .damaged)
    }
  }

  private func sample() throws -> Commit {
    var replica = ScriptedReplica(1)
    let first = replica.commit(at: 1, [])
    var lines = BlockCodingTests.contents.map { EntityID("x").says($0) }
    lines[1].time = .distantFuture
    return replica.commit(at: 2, seen: [first.id, BlockCodingTests.commit], lines)
  }

  private func replacing(_ index: Int, of commit: Commit, by block: Block) -> Commit {
    var blocks = commit.blocks
    blocks[index] = block
    return Commit(header: commit.header, blocks: blocks)
  }

  private func readAll(_ payload: [UInt8]) {
    let commit = ScriptedReplica.sealing([Block(salt: [], digest: .zero, stored: [0] + payload)])
    _ = try? commit.cells()
    findAll(payload)
  }

  private func findAll(_ payload: [UInt8]) {
    for ordinal in 0..<20 { _ = try? BlockContent.skim(payload, ordinal: ordinal) }
    for id: EntityID in ["x", "e1"] {
      _ = try? BlockContent.skimCreation(of: id, key: "k", in: payload)
    }
    guard let block = try? IndexedBlock(payload) else { return }
    for id: EntityID in ["x", "e1"] { _ = try? block.creation(of: id) }
    for ordinal in 0..<20 { _ = try? block.cell(ordinal: ordinal, key: nil) }
  }
}

extension [UInt8] {
  fileprivate func flipping(_ bit: Int) -> [UInt8] {
    var bytes = self
    bytes[bit / 8] ^= 1 << UInt8(bit % 8)
    return bytes
  }
}

extension ScriptedReplica {
  /// A first commit of any blocks at all.
  static func sealing(_ blocks: [Block]) -> Commit {
    let header = CommitHeader(
      replica: ScriptedReplica(1).id,
      sequence: 1,
      time: .distantPast,
      previous: .zero,
      dependencies: [],
      author: "",
      message: "",
      ordinalCount: 1,
      blockCount: 0,
      blocksDigest: .zero
    )
    return CommitDraft(header: header).commit(blocks, ordinalCount: 1, latestTime: nil)
  }
}
