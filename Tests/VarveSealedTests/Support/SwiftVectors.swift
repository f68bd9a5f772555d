import Foundation
import Testing
import VarveCore
import VarveSealed
import VarveTestSupport

/// Test vectors that Swift makes, with fresh keys.
enum SwiftVectors {
  static func make(histories: UInt64) throws -> VectorFile {
    let made = try SealedSpaceVectors()
    let stated = try VectorFile.read()
    return VectorFile(
      space: made.team.space.hex,
      devices: [made.team.ana, made.guest, made.team.ben].map(made.device),
      recovery: VectorFile.Recovery(
        seed: try made.recoverySeed(),
        printed: made.team.recovery.printed,
        public: made.team.recovery.signer.publicKeys.bytes.hex
      ),
      keyFile: try made.keyFile(),
      padding: stated.padding,
      log: made.team.log.encoded.hex,
      hashes: try made.hashes(),
      epochs: try made.epochs(),
      block: try made.block(),
      author: try made.author(),
      redaction: made.redaction,
      header: try made.header(),
      invitation: made.joining,
      heads: [],
      commits: [],
      histories: try (0..<histories).map { seed in
        let history = try RandomHistory(seed: seed)
        return try VectorFile.History(history.team.log, history.commits, history.heads)
      }
    )
  }

  /// Changes of a file, each of which must be found.
  static let changes: [@Sendable (inout VectorFile) -> Void] = [
    { $0.log = flipped($0.log, at: -1) },
    { $0.block.sealed = flipped($0.block.sealed, at: 40) },
    { $0.block.index = 1 + ($0.block.index ?? 0) },
    { $0.author.sequence = 1 + ($0.author.sequence ?? 0) },
    { $0.invitation.request = flipped($0.invitation.request, at: -1) },
    { $0.redaction.left = flipped($0.redaction.left ?? "", at: -1) },
    { $0.histories?[0].commits[0].verdict = "void: never" },
  ]

  /// Returns hexadecimal digits with one bit changed.
  private static func flipped(_ text: String, at place: Int) -> String {
    var digits = Array(text.utf8)
    let index = place < 0 ? digits.count + place : place
    digits[index] = digits[index] == UInt8(ascii: "0") ? UInt8(ascii: "1") : UInt8(ascii: "0")
    return String(decoding: digits, as: UTF8.self)
  }
}

/// A space with everything that a file of test vectors has.
struct SealedSpaceVectors {
  private(set) var team: SealedTeam
  /// The device that an invitation brought.
  let guest: Signer
  private(set) var joining: VectorFile.Joining
  private(set) var redaction: VectorFile.Sealed
  private let target: CommitID

  init() throws {
    team = try SealedTeam()
    guest = try Signer.newDevice()
    joining = try Self.join(guest, &team)
    let commits = team.commits(2, by: team.ana)
    target = commits[1].id
    try team.append(.checkpoint([target]), by: team.ana)
    redaction = try Self.redact(target, &team)
    try team.append(.remove(team.eve.id, accepted: []), by: team.ana)
    try team.beginEpoch(by: team.ana)
  }

  private static func join(_ guest: Signer, _ team: inout SealedTeam) throws -> VectorFile.Joining {
    let invitation = Invitation(role: .writer)
    let shown = team.log
    let request = try JoinRequest(invitation, shown: shown, device: guest)
    var open = OpenInvitation(invitation, end: .max)
    let confirmation = try open.admit(
      request,
      to: &team.log,
      with: team.keyring,
      milliseconds: team.milliseconds,
      signedBy: team.ana
    )
    // What an admin keeps ends with the code.
    let kept = open.secret.exposed
    let code = String(decoding: kept[10...], as: UTF8.self)
    return VectorFile.Joining(
      secret: try unprinted(code).prefix(34).lowercased(),
      code: code,
      id: invitation.id.hex,
      device: 1,
      shown: shown.head.hexadecimal,
      request: request.encoded.hex,
      confirmation: confirmation.encoded.hex
    )
  }

  private static func redact(
    _ target: CommitID,
    _ team: inout SealedTeam
  ) throws -> VectorFile.Sealed {
    let place = team.log.nextPlace
    let key = try team.epochKey
    let plaintext: [UInt8] = [1, 2, 3]
    var random = SystemRandomNumberGenerator()
    let sealed = try SealedRedaction.seal(
      plaintext,
      number: place.number,
      previous: place.previous,
      under: key,
      using: &random
    )
    let left = ContentDigest.sha256([SealedBlock.encoding, 1, 2, 3])
    let block = PurgedBlock(BlockName(commit: target, index: 0), digest: left)
    let entry = try team.append(.redact([block], sealed: sealed), by: team.ana)
    var vector = VectorFile.Sealed(
      key: "",
      epoch: key.number,
      plaintext: plaintext.hex,
      sealed: sealed.hex
    )
    vector.key = try exposed(key)
    vector.left = left.hexadecimal
    vector.number = place.number
    vector.previous = place.previous.hexadecimal
    vector.entry = entry.hash.hexadecimal
    return vector
  }

  func device(_ signer: Signer) -> VectorFile.Device {
    let secret = signer.secret.exposed
    return VectorFile.Device(
      seed: Array(secret[1..<33]).hex,
      agreement: Array(secret[33...]).hex,
      public: signer.publicKeys.bytes.hex,
      id: signer.id.digest.hexadecimal
    )
  }

  func recoverySeed() throws -> String {
    String(try Self.unprinted(team.recovery.printed).prefix(64))
  }

  func keyFile() throws -> VectorFile.KeyFile {
    let scratch = try Scratch()
    let store = FileKeyStore(folder: scratch.path("keys"))
    try store.keep(team.ana.secret, named: try KeyName("ana"))
    let contents = try Data(contentsOf: URL(fileURLWithPath: scratch.path("keys/ana.varve-key")))
    return VectorFile.KeyFile(secret: team.ana.secret.exposed.hex, contents: Array(contents).hex)
  }

  func hashes() throws -> [String] {
    var hashes: [String] = []
    try team.log.replay { entry, _ in hashes.append(entry.hash.hexadecimal) }
    return hashes
  }

  func epochs() throws -> [VectorFile.Epoch] {
    var epochs: [VectorFile.Epoch] = []
    try team.log.replay { entry, _ in
      guard case .epoch(let epoch) = entry.operation else { return }
      epochs.append(
        VectorFile.Epoch(
          number: epoch.number,
          key: try Self.exposed(team.keyring.key(for: epoch.commitment)),
          commitment: epoch.commitment.hexadecimal
        )
      )
    }
    return epochs
  }

  func block() throws -> VectorFile.Sealed {
    let place = SealedBlock.Place(
      space: team.space,
      replica: team.replica(of: team.ana),
      sequence: 3,
      index: 200
    )
    let key = try team.epochKey
    var random = SystemRandomNumberGenerator()
    let plaintext = [0] + [UInt8](repeating: 7, count: 2_000)
    let sealed = try SealedBlock.seal(plaintext, at: place, under: key, using: &random)
    var vector = VectorFile.Sealed(
      key: try Self.exposed(key),
      epoch: key.number,
      plaintext: plaintext.hex,
      sealed: sealed.hex
    )
    vector.replica = place.replica.hex
    vector.sequence = place.sequence
    vector.index = place.index
    return vector
  }

  func author() throws -> VectorFile.Sealed {
    let author = SealedAuthor(author: "Ben", message: "häts")
    let key = try team.epochKey
    let replica = team.replica(of: team.ana)
    var random = SystemRandomNumberGenerator()
    let sealed = try author.sealed(
      space: team.space,
      replica: replica,
      sequence: 3,
      under: key,
      using: &random
    )
    var writer = ByteWriter()
    writer.text(author.author)
    writer.text(author.message)
    var vector = VectorFile.Sealed(
      key: try Self.exposed(key),
      epoch: key.number,
      plaintext: writer.bytes.hex,
      sealed: sealed.hex
    )
    vector.replica = replica.hex
    vector.sequence = 3
    vector.author = author.author
    vector.message = author.message
    return vector
  }

  func header() throws -> VectorFile.Header {
    let fields = SealedCommitFields(
      epoch: team.log.state.epochNumber,
      sealedAuthor: try author().sealed.raw,
      membershipHead: team.log.head,
      voided: []
    )
    var header = CommitHeader(
      replica: target.replica,
      sequence: 3,
      time: HybridTime(rawValue: 1_790_000_000_000 << 16),
      previous: target.hash,
      dependencies: [],
      author: "",
      message: "",
      ordinalCount: 1,
      blockCount: 1,
      blocksDigest: .sha256([1])
    )
    header.extensions = fields.extensions
    return VectorFile.Header(
      kind: header.kind.rawValue,
      replica: header.replica.hex,
      sequence: header.sequence,
      time: header.time.rawValue,
      previous: header.previous.hexadecimal,
      blocks: header.blocksDigest.hexadecimal,
      epoch: fields.epoch ?? 0,
      author: fields.sealedAuthor.hex,
      membership: team.log.head.hexadecimal,
      voided: [],
      header: header.encoded.hex,
      hash: CommitHeader.hash(ofEncoded: header.encoded).hexadecimal
    )
  }

  /// Returns the bytes of a key as hexadecimal digits.
  private static func exposed(_ key: EpochKey) throws -> String { key.secret.exposed.hex }

  /// Returns the bytes of a printed secret as hexadecimal digits.
  private static func unprinted(_ text: String) throws -> String {
    let digits = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ")
    var bits = ""
    for character in text where character != "-" {
      let value = try #require(digits.firstIndex(of: character))
      let binary = String(value, radix: 2)
      bits += String(repeating: "0", count: 5 - binary.count) + binary
    }
    let bytes = stride(from: 0, to: bits.count, by: 8).compactMap { start -> UInt8? in
      let from = bits.index(bits.startIndex, offsetBy: start)
      return UInt8(bits[from..<bits.index(from, offsetBy: 8)], radix: 2)
    }
    return bytes.hex
  }
}
