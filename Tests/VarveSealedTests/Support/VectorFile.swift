import Foundation
import Testing
import VarveCore
import VarveSealed

/// A file of test vectors, as Scripts/sealed-vectors.py makes and verifies it. Bytes are hexadecimal.
struct VectorFile: Codable {
  struct Device: Codable {
    var seed: String
    var agreement: String
    var `public`: String
    var id: String
  }

  struct Recovery: Codable {
    var seed: String
    var printed: String
    var `public`: String
  }

  struct KeyFile: Codable {
    var secret: String
    var contents: String
  }

  struct Epoch: Codable {
    var number: Int64
    var key: String
    var commitment: String
  }

  struct Sealed: Codable {
    var key: String
    var epoch: Int64
    var replica: String?
    var sequence: Int64?
    var index: Int?
    var number: Int64?
    var previous: String?
    var entry: String?
    var left: String?
    var author: String?
    var message: String?
    var random: String?
    var plaintext: String
    var sealed: String
  }

  struct Header: Codable {
    var kind: UInt8
    var replica: String
    var sequence: Int64
    var time: Int64
    var previous: String
    var blocks: String
    var epoch: Int64
    var author: String
    var membership: String
    var voided: [String]
    var header: String
    var hash: String
  }

  struct Joining: Codable {
    var secret: String
    var code: String
    var id: String
    var device: Int
    var shown: String
    var request: String
    var confirmation: String
  }

  struct Commit: Codable {
    var id: String
    var previous: String
    var time: Int64
    var membership: String?
    var epoch: Int64?
    var voided: [String]
    var content: String
    var verdict: String
  }

  struct History: Codable {
    var log: String
    var heads: [String]
    var commits: [Commit]
  }

  var space: String
  var devices: [Device]
  var recovery: Recovery
  var keyFile: KeyFile
  var padding: [[Int]]
  var log: String
  var hashes: [String]
  var epochs: [Epoch]
  var block: Sealed
  var malformed: [String]?
  var author: Sealed
  var redaction: Sealed
  var header: Header
  var invitation: Joining
  var heads: [String]
  var commits: [Commit]
  var histories: [History]?

  static let path = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("Fixtures/sealed-vectors.json")

  static func read() throws -> VectorFile {
    try JSONDecoder().decode(VectorFile.self, from: Data(contentsOf: path))
  }
}

extension String {
  /// The bytes of hexadecimal digits.
  var raw: [UInt8] {
    get throws {
      let digits = Array(utf8)
      return try stride(from: 0, to: digits.count, by: 2).map {
        let text = String(decoding: digits[$0..<min($0 + 2, digits.count)], as: UTF8.self)
        return try #require(UInt8(text, radix: 16))
      }
    }
  }

  var digest: ContentDigest { get throws { try #require(ContentDigest(hexadecimal: self)) } }

  var space: SpaceID {
    get throws {
      let bytes = try raw
      return try bytes.withUnsafeBytes { buffer in
        var reader = ByteReader(buffer)
        return SpaceID(high: try reader.fixed(), low: try reader.fixed())
      }
    }
  }

  var replica: ReplicaID {
    get throws {
      let bytes = try raw
      return try bytes.withUnsafeBytes { buffer in
        var reader = ByteReader(buffer)
        return try reader.replica()
      }
    }
  }

  var commit: CommitID {
    get throws {
      let bytes = try raw
      return try bytes.withUnsafeBytes { buffer in
        var reader = ByteReader(buffer)
        return try reader.commitID()
      }
    }
  }
}

extension [UInt8] {
  var hex: String { String(hexadecimal: self) }
}

extension CommitID {
  var hex: String {
    var writer = ByteWriter()
    writer.commitID(self)
    return writer.bytes.hex
  }
}

extension SpaceID {
  var hex: String {
    var writer = ByteWriter()
    writer.fixed(high)
    writer.fixed(low)
    return writer.bytes.hex
  }
}

extension ReplicaID {
  var hex: String {
    var writer = ByteWriter()
    writer.replica(self)
    return writer.bytes.hex
  }
}

extension Secret {
  /// The bytes, for comparing them.
  var exposed: [UInt8] { withUnsafeBytes { Array($0) } }
}

extension CommitVerdict {
  /// The verdict as the script writes it.
  var text: String {
    switch self {
    case .accepted: "accepted"
    case .waiting(let reason): "waiting: \(reason)"
    case .void(let reason): "void: \(reason)"
    }
  }
}

extension VectorFile.Commit {
  var facts: CommitFacts {
    get throws {
      let content: CommitFacts.Content =
        switch content {
        case "valid": .valid
        case "invalid": .invalid
        default: .newer
        }
      return CommitFacts(
        id: try id.commit,
        previous: try previous.digest,
        time: HybridTime(rawValue: time),
        fields: SealedCommitFields(
          epoch: epoch,
          sealedAuthor: [],
          membershipHead: try membership?.digest,
          voided: try voided.map { try $0.commit }
        ),
        content: content
      )
    }
  }

  init(_ facts: CommitFacts, _ verdict: CommitVerdict?) {
    self.init(
      id: facts.id.hex,
      previous: facts.previous.hexadecimal,
      time: facts.time.rawValue,
      membership: facts.fields.membershipHead?.hexadecimal,
      epoch: facts.fields.epoch,
      voided: facts.fields.voided.map(\.hex),
      content: "\(facts.content)",
      verdict: verdict?.text ?? ""
    )
  }
}

extension VectorFile.History {
  init(_ log: MembershipLog, _ commits: [CommitFacts], _ heads: [SignedHead]) throws {
    let verdicts = try VoidDecision.verdicts(of: commits, heads: heads, log: log)
    self.init(
      log: log.encoded.hex,
      heads: heads.map(\.encoded.hex),
      commits: commits.map { .init($0, verdicts[$0.id]) }
    )
  }
}

/// A source of given bytes.
struct GivenRandomness: RandomNumberGenerator {
  private var bytes: ArraySlice<UInt8>

  init(_ bytes: [UInt8]) { self.bytes = bytes[...] }

  mutating func next() -> UInt64 {
    let word = bytes.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    bytes = bytes.dropFirst(8)
    return word
  }
}
