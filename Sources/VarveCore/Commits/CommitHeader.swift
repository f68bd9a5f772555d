/// What is signed, chained and named by the hash of a commit. See the Design, "Commit header".
public struct CommitHeader: Hashable, Sendable {
  /// What a commit is for. Kinds this version does not know are refused as `newerFormat`.
  public enum Kind: UInt8, Hashable, Sendable {
    /// Cells.
    case ordinary = 0
    /// Cells, and the names of others whose content is dropped.
    case redactions = 1
  }

  /// The version of the format this build writes.
  public static let formatVersion: UInt8 = 1
  /// The most ordinals, and blocks, of a commit: stores number the blocks of all commits through,
  /// and those numbers must not overflow by what a header claims.
  private static let maximumCount = 1 << 40

  /// What the commit is for.
  public var kind: Kind = .ordinary
  /// The replica that wrote it.
  public var replica: ReplicaID
  /// Its number among that replica's, from 1, without gaps.
  public var sequence: Int64
  /// When it was written. Stamps of one replica rise strictly.
  public var time: HybridTime
  /// The hash of the replica's previous commit; zero for the first.
  public var previous: ContentDigest
  /// For every other replica whose applied number rose since the author's previous commit, the
  /// newest commit applied: what this commit had seen.
  public var dependencies: [CommitID]
  /// The author; empty if there is none.
  public var author: String
  /// The reason; empty if there is none.
  public var message: String
  /// How many ordinals its cells use.
  public var ordinalCount: Int
  /// How many blocks hold them.
  public var blockCount: Int
  /// The digest of the blocks' digests, one after another.
  public var blocksDigest: ContentDigest
  /// The latest time of a cell, if later than the commit's own.
  public var latestCellTime: HybridTime?
  /// Fields later versions add, covered by the hash: number and bytes, in order of number.
  public var extensions: [Extension] = []

  /// A field this version carries without reading it.
  public struct Extension: Hashable, Sendable {
    /// The field's number. Even ones may be ignored; odd ones must be understood.
    public let number: UInt64
    /// Its bytes.
    public let bytes: [UInt8]

    package init(number: UInt64, bytes: [UInt8]) {
      self.number = number
      self.bytes = bytes
    }
  }

  /// A header without extensions.
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

  /// The stamp: time and replica.
  public var stamp: Stamp { Stamp(time: time, replica: replica) }
}

extension CommitHeader {
  /// The bytes that are hashed and kept.
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
    writer.text(author)
    writer.text(message)
    writer.varint(ordinalCount)
    writer.varint(blockCount)
    writer.digest(blocksDigest)
    writer.byte(latestCellTime == nil ? 0 : 1)
    if let latestCellTime { writer.fixed(UInt64(bitPattern: latestCellTime.rawValue)) }
    writer.varint(extensions.count)
    for field in extensions {
      writer.varint(field.number)
      writer.counted(field.bytes)
    }
    return writer.bytes
  }

  /// Reads a header.
  ///
  /// - Throws: `newerFormat` for a version, kind or mandatory field this build does not know,
  ///   `damaged` for anything that is not a header.
  package init(encoded bytes: [UInt8]) throws {
    self = try bytes.withUnsafeBytes { buffer in
      var reader = ByteReader(buffer)
      return try CommitHeader(&reader)
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
      guard number % 2 == 0 else { throw Self.newer("a commit has the mandatory field \(number)") }
      extensions.append(Extension(number: number, bytes: Array(try reader.counted())))
    }
    guard reader.isAtEnd else { throw reader.damaged("bytes follow a header") }
  }

  private static func newer(_ what: String) -> VarveError {
    VarveError(.newerFormat, what, remedy: "Open it with a newer version of Varve.")
  }

  /// The hash that names the commit: SHA-256 of a domain separator and the header's bytes.
  package static func hash(ofEncoded bytes: [UInt8]) -> ContentDigest {
    .sha256(domain, bytes)
  }

  /// What is hashed before a header, so that its hash is that of nothing else.
  private static let domain = Array("varve commit 1\0".utf8)

  /// The digest over the blocks' digests.
  package static func digest(ofBlocks digests: [ContentDigest]) -> ContentDigest {
    var writer = ByteWriter(capacity: digests.count * 32)
    for digest in digests { writer.digest(digest) }
    return .sha256(writer.bytes)
  }
}
