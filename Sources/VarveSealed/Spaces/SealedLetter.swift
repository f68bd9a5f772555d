import VarveCore

/// A message of the exchange of memberships: what the sender has, and what the other side lacks of it.
/// Documentation/Protocol.md, "Sealed spaces", has its bytes.
struct SealedLetter: Sendable {
  /// The state of a side.
  struct Summary: Sendable, Hashable {
    var space: SpaceID
    /// The number of entries of its membership log; 0 if it belongs to no space yet.
    var entryCount: Int64
    var head: ContentDigest
    /// Whether the log is authoritative there.
    var isHome: Bool
    /// Whether it has no keys.
    var isRelay: Bool
  }

  /// A letter that is passed on.
  struct Enclosure: Sendable, Hashable {
    var kind: SealedLetterKind
    /// The invitation's id, 16 bytes.
    var id: [UInt8]
    var content: [UInt8]
  }

  var summary: Summary
  /// The number of the first of the entries.
  var firstEntry: Int64 = 0
  var entries: [[UInt8]] = []
  var signatures: [[UInt8]] = []
  var enclosures: [Enclosure] = []
  /// The digests of what purges left of blocks that the sender has as they were before.
  var wanted: [ContentDigest] = []
  /// The stored bytes that purges left of blocks.
  var replacements: [[UInt8]] = []
  /// Whether the sender waits for nothing, and has nothing new.
  var isDone = false
  /// Whether the entries are new ones, which the home is asked to order.
  var isProposal = false

  /// Version 2 is of messages with wanted or replaced blocks.
  private static let versions: ClosedRange<UInt8> = 1...2

  /// Whether it brings anything but the summary.
  var isEmpty: Bool {
    entries.isEmpty && signatures.isEmpty && enclosures.isEmpty && wanted.isEmpty
      && replacements.isEmpty
  }

  var encoded: [UInt8] {
    var writer = ByteWriter()
    let hasPurges = !wanted.isEmpty || !replacements.isEmpty
    writer.byte(hasPurges ? 2 : 1)
    let flags = [summary.isHome, summary.isRelay, isDone, isProposal]
    writer.byte(flags.enumerated().reduce(0) { $0 | ($1.element ? 1 << UInt8($1.offset) : 0) })
    writer.space(summary.space)
    writer.number64(summary.entryCount)
    writer.digest(summary.head)
    writer.number64(firstEntry)
    writer.varint(entries.count)
    for entry in entries { writer.counted(entry) }
    writer.varint(signatures.count)
    for signature in signatures { writer.counted(signature) }
    writer.varint(enclosures.count)
    for enclosure in enclosures {
      writer.byte(UInt8(enclosure.kind.rawValue))
      writer.raw(enclosure.id)
      writer.counted(enclosure.content)
    }
    guard hasPurges else { return writer.bytes }
    writer.varint(wanted.count)
    for digest in wanted { writer.digest(digest) }
    writer.varint(replacements.count)
    for replacement in replacements { writer.counted(replacement) }
    return writer.bytes
  }

  init(_ summary: Summary) { self.summary = summary }

  /// - Throws: `VarveError` with code `damaged` or `newerFormat`.
  init(encoded bytes: [UInt8]) throws {
    self = try StrictReading.read(bytes, "a message about the membership") { reader in
      let version = try reader.byte()
      guard Self.versions.contains(version) else {
        throw StrictReading.newer("a message about the membership has version \(version)")
      }
      let flags = try reader.byte()
      guard flags <= 15 else { throw reader.damaged("a flag is unknown") }
      var letter = SealedLetter(
        Summary(
          space: try reader.space(),
          entryCount: try reader.number64(),
          head: try reader.digest(),
          isHome: flags & 1 != 0,
          isRelay: flags & 2 != 0
        )
      )
      letter.isDone = flags & 4 != 0
      letter.isProposal = flags & 8 != 0
      letter.firstEntry = try reader.number64()
      letter.entries = try Self.list(&reader, unit: 1, limit: SealedLimits.entryCount)
      letter.signatures = try Self.list(&reader, unit: 1, limit: SealedLimits.headCount)
      for _ in 0..<(try reader.count(unit: 18, limit: Self.enclosureLimit, of: "letters")) {
        letter.enclosures.append(try Enclosure(&reader))
      }
      guard version > 1 else { return letter }
      for _ in 0..<(try reader.count(unit: 32, limit: Self.wantedLimit, of: "wanted blocks")) {
        letter.wanted.append(try reader.digest())
      }
      letter.replacements = try Self.list(&reader, unit: 1, limit: .max)
      return letter
    }
  }

  /// The most blocks that are asked for at once.
  static let wantedLimit = 1_024

  /// The most letters that are passed on at once.
  static let enclosureLimit = 256

  private static func list(
    _ reader: inout ByteReader,
    unit: Int,
    limit: Int
  ) throws -> [[UInt8]] {
    try (0..<(try reader.count(unit: unit, limit: limit, of: "parts"))).map { _ in
      Array(try reader.counted())
    }
  }
}

extension SealedLetter.Enclosure {
  fileprivate init(_ reader: inout ByteReader) throws {
    guard let kind = SealedLetterKind(rawValue: Int64(try reader.byte())), kind != .intent else {
      throw reader.damaged("a letter has an unknown kind")
    }
    self.init(
      kind: kind,
      id: try reader.bytes(16),
      content: Array(try reader.counted())
    )
    guard content.count <= 1_024 else { throw reader.damaged("a letter is too long") }
  }
}
