package import VarveCore

/// Reads records from a stream of bytes that arrives in pieces.
package struct CommitStreamReader: Sendable {
  /// A record of the stream.
  package enum Record: Sendable {
    /// The start of a commit; its blocks follow.
    case header(Commit)
    /// The start of a commit that this build cannot read.
    case unreadable(CommitID, VarveError)
    /// A commit with all its blocks.
    case commit(Commit)
    /// The next block of the current commit.
    case block(Block)

    /// The commit that begins here, with the blocks that come with it; nil for a block, and for a
    /// commit that this build cannot read.
    package var readable: Commit? {
      switch self {
      case .header(let commit), .commit(let commit): commit
      case .unreadable, .block: nil
      }
    }

    /// The name of the commit that begins here; nil for a block.
    var name: CommitID? {
      if case .unreadable(let id, _) = self { id } else { readable?.id }
    }
  }

  private var queue = ByteQueue()
  private var packing = PackedCommits()

  /// Returns the maximum size of a record: the largest block, or the largest packed commit, and what
  /// surrounds it.
  private static func maximumByteCount(_ tag: UInt8) -> Int {
    let isPacked = tag == CommitStreamWriter.Tag.packedCommit.rawValue
    let content = isPacked ? PackedCommits.maximumByteCount : Block.maximumPayloadByteCount
    return content + 4_096
  }

  package init() {}

  /// The number of bytes that wait for the rest of their record.
  package var pendingByteCount: Int { queue.count }

  /// Appends bytes as they arrive.
  package mutating func add(_ bytes: some Collection<UInt8>) { queue.add(bytes) }

  /// Returns the next complete record, or nil if more bytes must arrive first.
  ///
  /// - Throws: `damaged` if the next bytes are not a record, `newerFormat` if they are one of a
  ///   later version.
  package mutating func next() throws -> Record? {
    guard queue.count > 0, let extent = try extent() else { return nil }
    let (tag, content) = (queue.bytes[queue.start], Array(queue.bytes[extent.content]))
    let salt = Array(queue.bytes[extent.salt])
    queue.take(upTo: extent.content.upperBound)
    switch CommitStreamWriter.Tag(rawValue: tag) {
    case .block:
      return .block(Block(salt: salt, digest: .sha256(salt, content), stored: content))
    case .redactedBlock:
      return .block(Block(salt: [], digest: ContentDigest(salt) ?? .zero, stored: content))
    case .outlineBlock:
      return .block(
        Block(salt: [], digest: ContentDigest(salt) ?? .zero, stored: content).asOutline
      )
    case .packedCommit: return try unpack(content)
    case .header, nil:
      let record = Self.header(content)
      if let id = record.name { packing.note(id) }
      return record
    }
  }

  /// Returns the ranges of the parts of the current record; nil if it is incomplete.
  private func extent() throws -> (salt: Range<Int>, content: Range<Int>)? {
    let (buffer, offset) = (queue.bytes, queue.start)
    let saltCount: Int
    switch CommitStreamWriter.Tag(rawValue: buffer[offset]) {
    case .header, .packedCommit: saltCount = 0
    case .block: saltCount = 16
    case .redactedBlock, .outlineBlock: saltCount = 32
    case nil:
      throw VarveError(
        .newerFormat,
        "a stream of commits has a record of kind \(buffer[offset]), which this build cannot read",
        remedy: "Use versions of Varve that are closer to each other on both sides."
      )
    }
    let start = offset + 1 + saltCount
    var length = 0
    var place = start
    while true {
      guard place < buffer.count else { return nil }
      guard place - start < 4 else { throw Frame.damaged("a record is too large") }
      length |= Int(buffer[place] & 0x7F) << (7 * (place - start))
      place += 1
      if buffer[place - 1] < 0x80 { break }
    }
    guard length <= Self.maximumByteCount(buffer[offset]) else {
      throw Frame.damaged("a record is too large")
    }
    guard place + length <= buffer.count else { return nil }
    return (offset + 1..<start, place..<place + length)
  }

  private mutating func unpack(_ bytes: [UInt8]) throws -> Record {
    do {
      return try packing.unpack(bytes)
    } catch let error as VarveError {
      throw Frame.damaged("a packed commit cannot be read: \(error.message)")
    }
  }

  /// Returns the record of a header.
  static func header(_ bytes: [UInt8]) -> Record {
    do {
      return .header(try Commit(headerBytes: bytes, blocks: []))
    } catch let error as VarveError {
      return .unreadable(name(of: bytes), error)
    } catch {
      return .unreadable(name(of: bytes), VarveError(.damaged, "\(error)"))
    }
  }

  /// A header of any version begins with version, kind, replica and number.
  private static func name(of bytes: [UInt8]) -> CommitID {
    let hash = CommitHeader.hash(ofEncoded: bytes)
    let name = try? bytes.withUnsafeBytes { buffer in
      var reader = ByteReader(buffer)
      try reader.skip(2)
      return CommitID(
        replica: try reader.replica(),
        sequence: max(1, Int64(try reader.number())),
        hash: hash
      )
    }
    return name ?? CommitID(replica: ReplicaID(high: 0, low: 0), sequence: 1, hash: hash)
  }
}
