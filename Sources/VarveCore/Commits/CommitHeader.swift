/// The part of a commit that is chained, and whose hash names the commit. See the
/// Design, "Commit header".
public struct CommitHeader: Hashable, Sendable {
  /// The purpose of a commit. A kind that this version does not know is refused as `newerFormat`.
  public enum Kind: UInt8, Hashable, Sendable {
    /// The commit contains cells.
    case ordinary = 0
    /// The commit contains cells, and redactions: the names of cells whose content is dropped.
    case redactions = 1
    /// The commit also voids others of its author, in a sealed space (R29).
    case voiding = 2
  }

  /// The format version that this build writes.
  public static let formatVersion: UInt8 = 1
  /// The maximum number of ordinals, and of blocks, in a commit. Stores number the blocks of all
  /// commits consecutively, and a false header must not make those numbers overflow.
  private static let maximumCount: Int64 = 1 << 40

  /// The purpose of the commit.
  public var kind: Kind = .ordinary
  /// The replica that wrote the commit.
  public var replica: ReplicaID
  /// The number of the commit in its replica, from 1, without gaps.
  public var sequence: Int64
  /// The time of the commit. The stamps of one replica strictly increase.
  public var time: HybridTime
  /// The hash of the replica's previous commit; zero for the first.
  public var previous: ContentDigest
  /// The newest applied commit of every other replica whose applied number rose since the author's
  /// previous commit: what this commit had seen.
  public var dependencies: [CommitID]
  /// The name of the author; empty if there is none.
  public var author: String
  /// The reason for the commit; empty if none was given.
  public var message: String
  /// The number of ordinals that the cells use.
  public var ordinalCount: Int
  /// The number of blocks that hold the cells.
  public var blockCount: Int
  /// The digest of the concatenated digests of the blocks.
  public var blocksDigest: ContentDigest
  /// The latest time of a cell, if later than the commit's time.
  public var latestCellTime: HybridTime?
  /// Fields that later versions add, in order of number. The hash covers them.
  public var extensions: [Extension] = []

  /// A field that this version keeps without interpreting it.
  public struct Extension: Hashable, Sendable {
    /// The field's number. A reader may ignore an even one and must understand an odd one.
    public let number: UInt64
    /// The field's bytes.
    public let bytes: [UInt8]

    package init(number: UInt64, bytes: [UInt8]) {
      self.number = number
      self.bytes = bytes
    }
  }

  /// Creates a header without extensions.
  package init(
    kind: Kind = .ordinary,
    replica: ReplicaID,
    sequence: Int64,
    time: HybridTime,
    previous: ContentDigest,
    dependencies: [CommitID],
    author: String,
    message: String,
    ordinalCount: Int,
    blockCount: Int,
    blocksDigest: ContentDigest,
    latestCellTime: HybridTime? = nil
  ) {
    self.kind = kind
    self.replica = replica
    self.sequence = sequence
    self.time = time
    self.previous = previous
    self.dependencies = dependencies
    self.author = author
    self.message = message
    self.ordinalCount = ordinalCount
    self.blockCount = blockCount
    self.blocksDigest = blocksDigest
    self.latestCellTime = latestCellTime
  }

  /// The number of the field that a sealed commit has, with its epoch, author and message.
  package static let sealedNumber: UInt64 = 1

  /// Whether only a store that knows sealed spaces can keep the commit.
  package var isForSealedSpaces: Bool {
    kind == .voiding || extensions.contains { $0.number == Self.sealedNumber }
  }

  /// The stamp: time and replica.
  public var stamp: Stamp { Stamp(time: time, replica: replica) }
}

extension CommitHeader {
  /// The bytes that are hashed and stored.
  package var encoded: [UInt8] {
    var writer = ByteWriter(capacity: 160)
    writer.byte(Self.formatVersion)
    writer.byte(kind.rawValue)
    writer.replica(replica)
    writer.varint(UInt64(sequence))
    writer.fixed(UInt64(bitPattern: time.rawValue))
    writer.digest(previous)
    writer.varint(dependencies.count)
    for dependency in dependencies { writer.commitID(dependency) }
    writeAuthor(to: &writer)
    writer.varint(ordinalCount)
    writer.varint(blockCount)
    writer.digest(blocksDigest)
    writeEnd(to: &writer)
    return writer.bytes
  }

  private func writeAuthor(to writer: inout ByteWriter) {
    writer.text(author)
    writer.text(message)
  }

  private func writeEnd(to writer: inout ByteWriter) {
    writer.byte(latestCellTime == nil ? 0 : 1)
    if let latestCellTime { writer.fixed(UInt64(bitPattern: latestCellTime.rawValue)) }
    writer.varint(extensions.count)
    for field in extensions {
      writer.varint(field.number)
      writer.counted(field.bytes)
    }
  }

  /// The part of ``encoded`` with the author and the message.
  package var encodedAuthor: [UInt8] {
    var writer = ByteWriter()
    writeAuthor(to: &writer)
    return writer.bytes
  }

  /// The part of ``encoded`` after the digest of the blocks.
  package var encodedEnd: [UInt8] {
    var writer = ByteWriter()
    writeEnd(to: &writer)
    return writer.bytes
  }

  /// Decodes a header.
  ///
  /// - Throws: ``VarveError`` with code `newerFormat` for a version, kind or mandatory field that
  ///   this build does not know, or `damaged` if the bytes are not a header.
  package init(encoded bytes: [UInt8]) throws {
    self = try bytes.withUnsafeBytes { buffer in
      var reader = ByteReader(buffer)
      return try CommitHeader(&reader)
    }
  }

  /// Returns the author that an encoded header names, without decoding the rest; nil if there is
  /// none.
  package static func author(ofEncoded bytes: [UInt8]) throws -> String? {
    try bytes.withUnsafeBytes { buffer in
      var reader = ByteReader(buffer, offset: 18)
      _ = try reader.varint()
      try reader.skip(40)
      for _ in 0..<(try reader.count(unit: 49)) {
        try reader.skip(16)
        _ = try reader.varint()
        try reader.skip(32)
      }
      return try reader.text().nilIfEmpty
    }
  }

  private init(_ reader: inout ByteReader) throws {
    let version = try reader.byte()
    guard version == Self.formatVersion else {
      throw Self.newer("a commit has format version \(version)")
    }
    let kind = try reader.byte()
    guard let kind = Kind(rawValue: kind) else { throw Self.newer("a commit has kind \(kind)") }
    let replica = try reader.replica()
    let sequence = Int64(try reader.number())
    guard sequence > 0 else { throw reader.damaged("a commit number is not positive") }
    let time = HybridTime(rawValue: Int64(bitPattern: try reader.fixed()))
    let previous = try reader.digest()
    var dependencies: [CommitID] = []
    for _ in 0..<(try reader.count(unit: 49)) { dependencies.append(try reader.commitID()) }
    self.init(
      kind: kind,
      replica: replica,
      sequence: sequence,
      time: time,
      previous: previous,
      dependencies: dependencies,
      author: try reader.text(),
      message: try reader.text(),
      ordinalCount: try reader.number(),
      blockCount: try reader.number(),
      blocksDigest: try reader.digest()
    )
    guard ordinalCount <= Self.maximumCount, blockCount <= Self.maximumCount else {
      throw reader.damaged("a commit has more cells or blocks than there can be")
    }
    latestCellTime = try reader.optionalTime()
    for _ in 0..<(try reader.count(unit: 2)) {
      let number = try reader.varint()
      guard number % 2 == 0 || number == Self.sealedNumber else {
        throw Self.newer("a commit has the mandatory field \(number)")
      }
      extensions.append(Extension(number: number, bytes: Array(try reader.counted())))
    }
    guard reader.isAtEnd else { throw reader.damaged("bytes follow a header") }
  }

  private static func newer(_ what: String) -> VarveError {
    VarveError(.newerFormat, what, remedy: "Open it with a newer version of Varve.")
  }

  /// Returns the hash that names the commit: SHA-256 of a domain separator and the header's bytes.
  package static func hash(ofEncoded bytes: [UInt8]) -> ContentDigest {
    .sha256(domain, bytes)
  }

  /// The domain separator, which is hashed before the header so that no other content has the same
  /// hash.
  private static let domain = Array("varve commit 1\0".utf8)

  /// Returns the digest of the blocks' digests.
  package static func digest(ofBlocks digests: [ContentDigest]) -> ContentDigest {
    .sha256(digests)
  }
}
