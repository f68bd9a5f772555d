import Testing
import VarveCore
import VarveSealed

@Suite("The limits of sealed spaces")
struct LimitTests {
  private var team: SealedTeam

  init() throws { team = try SealedTeam() }

  private func heads(_ count: Int) -> [CommitID] {
    let replica = team.replica(of: team.ben)
    return (1...count).map { CommitID(replica: replica, sequence: Int64($0), hash: .zero) }
  }

  private func refuses(
    _ operation: MembershipOperation,
    _ words: String,
    location: SourceLocation = #_sourceLocation
  ) throws {
    var log = team.log
    let error = try #require(throws: VarveError.self, sourceLocation: location) {
      try log.append(operation, milliseconds: 1, signedBy: team.ana)
    }
    #expect(error.code == .damaged, sourceLocation: location)
    #expect(error.message.contains(words), "\(error)", sourceLocation: location)
  }

  @Test mutating func `an operation names so many heads`() throws {
    try refuses(.checkpoint(heads(16_385)), "16384 heads")
    try team.append(.checkpoint(heads(16_384)), by: team.ana)
  }

  @Test mutating func `a redaction names so many blocks and has so many bytes`() throws {
    let commit = heads(1)[0]
    try team.append(.checkpoint([commit]), by: team.ana)
    func blocks(_ count: Int) -> [PurgedBlock] {
      (0..<count).map { PurgedBlock(BlockName(commit: commit, index: $0), digest: .zero) }
    }
    try refuses(.redact(blocks(4_097), sealed: [1]), "4096 redacted blocks")
    let sealed = [UInt8](repeating: 0, count: (512 << 10) + 49)
    try refuses(.redact(blocks(1), sealed: sealed), "too large")
    try team.append(.redact(blocks(4_096), sealed: Array(sealed.dropLast())), by: team.ana)
  }

  @Test mutating func `a device has so many replicas`() throws {
    // One is bound already.
    for _ in 1..<1_024 { try team.append(.bind(.random()), by: team.ben) }
    let error = #expect(throws: VarveError.self) {
      try team.append(.bind(.random()), by: team.ben)
    }
    #expect(error?.message.contains("many") == true)
  }

  @Test func `a commit voids so many others`() throws {
    func fields(_ count: Int) throws -> SealedCommitFields {
      let made = SealedCommitFields(
        epoch: 1,
        sealedAuthor: [],
        membershipHead: team.log.head,
        voided: heads(count)
      )
      return try SealedCommitFields(made.extensions, kind: 2)
    }
    #expect(try fields(4_096).voided.count == 4_096)
    #expect(throws: VarveError.self) { try fields(4_097) }
  }

  @Test func `an entry has so many bytes`() throws {
    // A million zeros after the header of an entry.
    let entry = try #require(team.log.entries.last)
    var writer = ByteWriter()
    let header = entry.encoded.dropFirst(entry.encoded.count - 64 - 98 - 16).prefix(98)
    writer.counted(Array(header) + [UInt8](repeating: 0, count: 1 << 20))
    writer.raw([UInt8](repeating: 0, count: 64))
    let error = #expect(throws: VarveError.self) { try MembershipEntry(encoded: writer.bytes) }
    #expect(error?.message.contains("1048576 bytes") == true)
  }

  @Test func `a message has so many bytes`() throws {
    var random = SystemRandomNumberGenerator()
    let key = try team.epochKey
    func seal(_ count: Int) throws -> [UInt8] {
      try SealedAuthor(author: "", message: String(repeating: "x", count: count)).sealed(
        space: team.space,
        replica: .random(),
        sequence: 1,
        under: key,
        using: &random
      )
    }
    // The frame has a length of four bytes, and the texts have lengths of one and three.
    let most = (256 << 10) - 8
    #expect(try seal(most).count == (256 << 10) + 48)
    let error = #expect(throws: VarveError.self) { try seal(most + 1) }
    #expect(error?.code == .valueTooLarge)
  }

  @Test func `a secret has so many bytes`() {
    let store = FileKeyStore(folder: "/nowhere")
    let error = #expect(throws: VarveError.self) {
      try store.keep(
        Secret(copying: [UInt8](repeating: 0, count: (64 << 10) + 1)),
        named: KeyName("large")
      )
    }
    #expect(error?.code == .valueTooLarge)
  }
}
