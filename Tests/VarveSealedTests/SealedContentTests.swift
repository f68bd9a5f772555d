import Testing
import VarveCore
import VarveSealed
import VarveTestSupport

@Suite("Sealed content")
struct SealedContentTests {
  private let team: SealedTeam
  private let place: SealedBlock.Place
  private let key: EpochKey

  init() throws {
    team = try SealedTeam()
    place = SealedBlock.Place(
      space: team.space,
      replica: team.replica(of: team.ana),
      sequence: 4,
      index: 1
    )
    key = try team.epochKey
  }

  private func sealed(_ stored: [UInt8], seed: UInt64 = 1) throws -> [UInt8] {
    var random = SplitMix64(seed: seed)
    return try SealedBlock.seal(stored, at: place, under: key, using: &random)
  }

  @Test func `a block is opened as it was stored`() throws {
    for count in [1, 2, 27, 28, 29, 511, 30_000, 1 << 20] {
      let stored = [0] + [UInt8](repeating: 9, count: count - 1)
      #expect(try SealedBlock.open(sealed(stored), at: place, under: key) == stored)
    }
  }

  @Test func `a block is bound to its place and its epoch`() throws {
    let bytes = try sealed([0, 1, 2, 3])
    let others = [
      SealedBlock.Place(space: .random(), replica: place.replica, sequence: 4, index: 1),
      SealedBlock.Place(space: place.space, replica: .random(), sequence: 4, index: 1),
      SealedBlock.Place(space: place.space, replica: place.replica, sequence: 5, index: 1),
      SealedBlock.Place(space: place.space, replica: place.replica, sequence: 4, index: 2),
    ]
    for other in others {
      #expect(throws: VarveError.self) { try SealedBlock.open(bytes, at: other, under: key) }
    }
    let later = EpochKey.new(space: team.space, number: 1)
    #expect(throws: VarveError.self) { try SealedBlock.open(bytes, at: place, under: later) }
  }

  /// The number of the epoch is authenticated, although it makes no other key.
  @Test func `the number of the epoch is authenticated`() throws {
    let number: Int64 = 2
    var writer = ByteWriter()
    for byte in Domain.epochCommitment.bytes { writer.byte(byte) }
    writer.fixed(team.space.high)
    writer.fixed(team.space.low)
    writer.fixed(UInt64(number))
    key.secret.withUnsafeBytes { writer.raw($0) }
    let same = try EpochKey(
      key.secret,
      space: team.space,
      number: number,
      commitment: .sha256(writer.bytes)
    )
    let bytes = try sealed([0, 1, 2, 3])
    #expect(throws: VarveError.self) { try SealedBlock.open(bytes, at: place, under: same) }
  }

  @Test func `every changed byte is noticed`() throws {
    let bytes = try sealed([0] + Array("hats and more hats".utf8))
    for index in bytes.indices {
      var changed = bytes
      changed[index] ^= 1
      #expect(throws: VarveError.self) { try SealedBlock.open(changed, at: place, under: key) }
    }
    for count in bytes.indices {
      #expect(throws: VarveError.self) {
        try SealedBlock.open(Array(bytes.prefix(count)), at: place, under: key)
      }
    }
  }

  /// A cloned machine: the generator gives the same numbers again.
  @Test func `repeated randomness repeats no key with other content`() throws {
    let first = try sealed([0, 1, 2, 3])
    let second = try sealed([0, 1, 2, 4])
    #expect(first[1..<33] != second[1..<33])
    // With one key and the same nonce, the difference of the ciphertexts would be that of the contents.
    let difference = zip(first[33...], second[33...]).map { $0 ^ $1 }
    #expect(difference.filter { $0 != 0 }.count > 3)
  }

  @Test func `two sealings of one block differ`() throws {
    let first = try sealed([0, 1, 2, 3], seed: 1)
    let second = try sealed([0, 1, 2, 3], seed: 2)
    #expect(first[1..<33] != second[1..<33])
    #expect(first[33...] != second[33...])
  }

  @Test func `a sealed block is read with a key only`() throws {
    let stored = try sealed([0, 1, 2, 3])
    let salt = [UInt8](repeating: 0, count: 16)
    let block = Block(salt: salt, digest: .sha256(salt, stored), stored: stored)
    #expect(block.isIntact, "a relay verifies the digest without the key")
    let error = #expect(throws: VarveError.self) { try block.payload() }
    #expect(error?.code == .unsupported)
  }

  @Test func `a block is not sealed twice and not empty`() throws {
    for stored: [UInt8] in [[], [2, 1, 1]] {
      let bytes = try sealed(stored)
      #expect(throws: VarveError.self) { try SealedBlock.open(bytes, at: place, under: key) }
    }
    #expect(throws: VarveError.self) { try SealedBlock.open([0, 1], at: place, under: key) }
  }

  @Test func `content beyond the limit is refused before it is sealed or opened`() throws {
    let limit = (8 << 20) - 4
    let most = [UInt8](repeating: 0, count: limit)
    let bytes = try sealed(most)
    #expect(bytes.count <= 8 << 20 + 4 << 10)
    let error = #expect(throws: VarveError.self) { try sealed(most + [0]) }
    #expect(error?.code == .valueTooLarge)
    let long = bytes + [UInt8](repeating: 0, count: 64)
    let opened = #expect(throws: VarveError.self) {
      try SealedBlock.open(long, at: place, under: key)
    }
    #expect(opened?.message.contains("large") == true)
  }

  @Test func `the padding has few lengths`() throws {
    var lengths: Set<Int> = []
    for count in 1...2_000 { lengths.insert(try sealed([UInt8](repeating: 0, count: count)).count) }
    #expect(lengths.count < 120)
    for count in [1_000, 100_000, 5_000_000] {
      let padded = try sealed([UInt8](repeating: 0, count: count)).count - 49
      #expect(padded >= count && Double(padded) < 1.12 * Double(count))
    }
  }

  @Test func `an author is bound to its commit`() throws {
    let author = SealedAuthor(author: "Ana", message: "why")
    var random = SplitMix64(seed: 3)
    let replica = place.replica
    let bytes = try author.sealed(
      space: team.space,
      replica: replica,
      sequence: 4,
      under: key,
      using: &random
    )
    func open(_ bytes: [UInt8], sequence: Int64) throws -> SealedAuthor {
      try SealedAuthor(
        opening: bytes,
        space: team.space,
        replica: replica,
        sequence: sequence,
        under: key
      )
    }
    #expect(try open(bytes, sequence: 4) == author)
    #expect(throws: VarveError.self) { try open(bytes, sequence: 5) }
    // Content of one kind is not taken for content of another.
    #expect(throws: VarveError.self) { try open(Array(sealed([0]).dropFirst()), sequence: 4) }
  }

  @Test func `the fields of a commit are read strictly`() throws {
    let head = ContentDigest.sha256([1])
    func field(_ number: UInt64, _ bytes: [UInt8]) -> CommitHeader.Extension {
      .init(number: number, bytes: bytes)
    }
    func code(_ fields: [CommitHeader.Extension], kind: UInt8 = 0) -> VarveError.Code? {
      #expect(throws: VarveError.self) { try SealedCommitFields(fields, kind: kind) }?.code
    }
    #expect(try SealedCommitFields([], kind: 0).membershipHead == nil)
    #expect(try SealedCommitFields([field(4, [])], kind: 1).epoch == nil)
    #expect(code([field(1, [2, 0])]) == .newerFormat)
    #expect(code([field(1, [1, 0])]) == .damaged)
    #expect(code([field(6, [1])]) == .damaged)
    #expect(code([field(6, head.bytes), field(6, head.bytes)]) == .damaged)
    #expect(code([field(8, [1])], kind: 2) == .damaged)
    // Versions that do not know field 8 carry it unread, so a kind that they do not know goes with it.
    var list = ByteWriter()
    list.varint(1)
    list.commitID(CommitID(replica: .random(), sequence: 1, hash: head))
    let voided = field(8, list.bytes)
    #expect(try SealedCommitFields([voided], kind: 2).voided.count == 1)
    #expect(code([voided], kind: 0) == .damaged)
    #expect(code([], kind: 2) == .damaged)
    #expect(code([field(8, [0])], kind: 2) == .damaged)
  }
}
