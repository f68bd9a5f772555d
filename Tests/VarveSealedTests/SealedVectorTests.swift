import Foundation
import Testing
import VarveCore
import VarveSealed
import VarveTestSupport

@Suite("The test vectors that another implementation made")
struct SealedVectorTests {
  private let file: VectorFile
  private let log: MembershipLog

  init() throws {
    file = try VectorFile.read()
    log = try MembershipLog(encoded: file.log.raw)
  }

  private func device(_ index: Int) throws -> Signer {
    let stated = file.devices[index]
    return try Signer(Secret(copying: [1] + stated.seed.raw + stated.agreement.raw))
  }

  private func epochKey(_ sealed: VectorFile.Sealed) throws -> EpochKey {
    let epoch = try #require(file.epochs.first { $0.key == sealed.key })
    return try EpochKey(
      Secret(copying: epoch.key.raw),
      space: file.space.space,
      number: epoch.number,
      commitment: epoch.commitment.digest
    )
  }

  @Test func `devices have the stated keys and ids`() throws {
    for index in file.devices.indices {
      let device = try device(index)
      #expect(device.publicKeys.bytes.hex == file.devices[index].public)
      #expect(device.id.digest.hexadecimal == file.devices[index].id)
      #expect(try Signer(device.secret).publicKeys == device.publicKeys)
    }
  }

  @Test func `the recovery key is read as it was printed`() throws {
    let key = try RecoveryKey(printed: file.recovery.printed)
    #expect(key.printed == file.recovery.printed)
    #expect(key.signer.publicKeys.bytes.hex == file.recovery.public)
    #expect(key.signer.publicKeys == log.state.recovery)
  }

  @Test func `a key file has the stated bytes`() throws {
    let scratch = try Scratch()
    let store = FileKeyStore(folder: scratch.path("keys"))
    let name = try KeyName("kept")
    try store.keep(Secret(copying: file.keyFile.secret.raw), named: name)
    let contents = try Data(contentsOf: URL(fileURLWithPath: scratch.path("keys/kept.varve-key")))
    #expect(Array(contents).hex == file.keyFile.contents)
  }

  @Test func `the log is valid and its entries have the stated hashes`() throws {
    var hashes: [String] = []
    try log.replay { entry, _ in hashes.append(entry.hash.hexadecimal) }
    #expect(hashes == file.hashes)
    #expect(log.encoded.hex == file.log)
  }

  @Test func `every member reads every epoch`() throws {
    let readers = [
      try device(0), try device(1), try RecoveryKey(printed: file.recovery.printed).signer,
    ]
    for reader in readers {
      let keyring = try EpochKeyring(opening: log, with: reader)
      #expect(keyring.count == file.epochs.count)
      for epoch in file.epochs {
        let key = try keyring.key(for: epoch.commitment.digest)
        #expect(key.number == epoch.number)
        // A key with the commitment is the key.
        let stated = try EpochKey(
          Secret(copying: epoch.key.raw),
          space: file.space.space,
          number: epoch.number,
          commitment: epoch.commitment.digest
        )
        #expect(stated.commitment == key.commitment)
      }
    }
  }

  @Test func `blocks are sealed to the stated bytes and opened`() throws {
    let block = file.block
    let place = SealedBlock.Place(
      space: try file.space.space,
      replica: try #require(block.replica).replica,
      sequence: try #require(block.sequence),
      index: try #require(block.index)
    )
    let key = try epochKey(block)
    var random = GivenRandomness(try #require(block.random).raw)
    let sealed = try SealedBlock.seal(block.plaintext.raw, at: place, under: key, using: &random)
    #expect(sealed.hex == block.sealed)
    #expect(try SealedBlock.open(sealed, at: place, under: key).hex == block.plaintext)
  }

  /// A member sealed them, so their tags are right, and their padding is another.
  @Test func `blocks with another padding are refused`() throws {
    let block = file.block
    let place = SealedBlock.Place(
      space: try file.space.space,
      replica: try #require(block.replica).replica,
      sequence: try #require(block.sequence),
      index: try #require(block.index)
    )
    let malformed = try #require(file.malformed)
    #expect(malformed.count == 5)
    for stored in malformed {
      let error = #expect(throws: VarveError.self) {
        try SealedBlock.open(stored.raw, at: place, under: epochKey(block))
      }
      #expect(error?.message.contains("padding") == true)
    }
  }

  @Test func `authors are sealed to the stated bytes and opened`() throws {
    let stated = file.author
    let author = SealedAuthor(
      author: try #require(stated.author),
      message: try #require(stated.message)
    )
    let key = try epochKey(stated)
    var random = GivenRandomness(try #require(stated.random).raw)
    let sealed = try author.sealed(
      space: file.space.space,
      replica: #require(stated.replica).replica,
      sequence: #require(stated.sequence),
      under: key,
      using: &random
    )
    #expect(sealed.hex == stated.sealed)
    let opened = try SealedAuthor(
      opening: sealed,
      space: file.space.space,
      replica: #require(stated.replica).replica,
      sequence: #require(stated.sequence),
      under: key
    )
    #expect(opened == author)
  }

  @Test func `redactions are sealed to the stated bytes and opened`() throws {
    let stated = file.redaction
    let key = try epochKey(stated)
    var random = GivenRandomness(try #require(stated.random).raw)
    let sealed = try SealedRedaction.seal(
      stated.plaintext.raw,
      number: #require(stated.number),
      previous: #require(stated.previous).digest,
      under: key,
      using: &random
    )
    #expect(sealed.hex == stated.sealed)
    let entry = try #require(log.entries.first { $0.hash.hexadecimal == stated.entry })
    #expect(try SealedRedaction.open(entry, under: key).hex == stated.plaintext)
    guard case .redact(let blocks, _) = entry.operation else {
      throw StrictReading.damaged("the entry", "it redacts nothing")
    }
    #expect(blocks.map(\.digest.hexadecimal) == [stated.left])
  }

  @Test func `the header of a sealed commit has the stated bytes`() throws {
    let stated = file.header
    var header = CommitHeader(
      replica: try stated.replica.replica,
      sequence: stated.sequence,
      time: HybridTime(rawValue: stated.time),
      previous: try stated.previous.digest,
      dependencies: [],
      author: "",
      message: "",
      ordinalCount: 1,
      blockCount: 1,
      blocksDigest: try stated.blocks.digest
    )
    let fields = SealedCommitFields(
      epoch: stated.epoch,
      sealedAuthor: try stated.author.raw,
      membershipHead: try stated.membership.digest,
      voided: try stated.voided.map { try $0.commit }
    )
    header.extensions = fields.extensions
    header.kind = try #require(CommitHeader.Kind(rawValue: stated.kind))
    let bytes = header.encoded
    #expect(bytes.hex == stated.header)
    #expect(CommitHeader.hash(ofEncoded: bytes).hexadecimal == stated.hash)
    #expect(try SealedCommitFields(fields.extensions, kind: stated.kind) == fields)
    let read = try CommitHeader(encoded: bytes)
    #expect(read == header && read.isForSealedSpaces)
  }

  @Test func `joining is verified by both sides`() throws {
    let stated = file.invitation
    let invitation = try Invitation(code: stated.code)
    #expect(invitation.id.hex == stated.id)
    let end = try #require(log.entries.firstIndex { $0.hash.hexadecimal == stated.shown })
    var before = try MembershipLog(genesis: log.entries[0])
    for entry in log.entries[1...end] { try before.append(entry) }
    let request = try JoinRequest(encoded: stated.request.raw)
    let admin = try device(0)
    var open = OpenInvitation(invitation, end: 1)
    let confirmation = try open.admit(
      request,
      to: &before,
      with: EpochKeyring(opening: before, with: admin),
      milliseconds: 1,
      signedBy: admin
    )
    _ = try confirmation.accept(invitation, request: request, log: before)
    let statedConfirmation = try JoinConfirmation(encoded: stated.confirmation.raw)
    #expect(statedConfirmation.encoded.hex == stated.confirmation)
    _ = try statedConfirmation.accept(invitation, request: request, log: log)
  }

  @Test func `verdicts are those of the other implementation`() throws {
    let heads = try file.heads.map { try SignedHead(encoded: $0.raw) }
    #expect(heads.map(\.encoded.hex) == file.heads)
    let commits = try file.commits.map { try $0.facts }
    let verdicts = try VoidDecision.verdicts(of: commits, heads: heads, log: log)
    #expect(
      try file.commits.map { verdicts[try $0.id.commit]?.text } == file.commits.map(\.verdict)
    )
  }

  @Test func `content is padded to the stated lengths`() throws {
    let team = try SealedTeam()
    let place = SealedBlock.Place(space: team.space, replica: .random(), sequence: 1, index: 0)
    var random = SplitMix64(seed: 1)
    for pair in file.padding where pair[0] > 4 {
      let content = [UInt8](repeating: 1, count: pair[0] - 4)
      let sealed = try SealedBlock.seal(content, at: place, under: team.epochKey, using: &random)
      // An encoding, a salt and a tag.
      #expect(sealed.count == 1 + 32 + pair[1] + 16)
    }
  }
}
