import VarveCore

/// Packs small commits for a stream: what the other side can compute is left out.
///
/// Both sides keep the same few facts about the commits that the stream had so far. They are lost
/// with the stream. See `Documentation/Protocol.md`, "Packed commits".
struct PackedCommits: Sendable {
  private struct Flags: OptionSet {
    let rawValue: UInt8
    /// The commit is the next one of a chain that the stream had.
    static let continues = Flags(rawValue: 1)
    /// The author and the message are those of the last packed commit.
    static let sameAuthor = Flags(rawValue: 2)
  }

  /// A larger commit is not packed: a header is a small part of it.
  static let maximumByteCount = 64 << 10
  /// The maximum number of chains that are remembered.
  private static let chainLimit = 256

  /// The last commit of each chain, in the order in which the stream had the chains first.
  private var chains: [CommitID] = []
  private var places: [ReplicaID: Int] = [:]
  /// The time of the last packed commit.
  private var time: Int64 = 0
  /// Its author and message, as in its header.
  private var author: [UInt8] = [0, 0]

  /// Remembers a commit that the stream has, packed or not.
  mutating func note(_ id: CommitID) {
    if let place = places[id.replica] {
      chains[place] = id
      return
    }
    if chains.count == Self.chainLimit { (chains, places) = ([], [:]) }
    places[id.replica] = chains.count
    chains.append(id)
  }
}

// MARK: Packing

extension PackedCommits {
  /// Returns the packed form of a commit, and remembers the commit; nil if it is not packed.
  mutating func pack(_ commit: Commit) -> [UInt8]? {
    let header = commit.header
    guard Self.isPacked(commit), header.encoded == commit.headerBytes else { return nil }
    let chain = chain(before: header)
    let author = header.encodedAuthor
    var flags: Flags = chain == nil ? [] : .continues
    if author == self.author { flags.insert(.sameAuthor) }
    var writer = ByteWriter(capacity: commit.byteCount)
    writer.byte(flags.rawValue)
    if let chain {
      writer.varint(chain)
    } else {
      writer.replica(header.replica)
      writer.varint(UInt64(header.sequence - 1))
      writer.digest(header.previous)
    }
    writer.signed(header.time.rawValue &- time)
    writer.varint(header.dependencies.count)
    for dependency in header.dependencies { writeSeen(dependency, to: &writer) }
    if author != self.author { writer.counted(author) }
    writer.varint(header.ordinalCount)
    writer.varint(header.blockCount)
    for block in commit.blocks {
      writer.raw(block.salt)
      writer.counted(block.stored)
    }
    writer.counted(header.encodedEnd)
    writer.fixed(commit.id.hash.words.0)
    guard writer.count <= Self.maximumByteCount else { return nil }
    (time, self.author) = (header.time.rawValue, author)
    note(commit.id)
    return writer.bytes
  }

  private static func isPacked(_ commit: Commit) -> Bool {
    let header = commit.header
    return header.kind == .ordinary && header.dependencies.count <= chainLimit
      && commit.byteCount <= maximumByteCount && commit.blocks.count == header.blockCount
      && commit.blocks.allSatisfy { !$0.isRedacted && !$0.isOutline }
  }

  /// Returns the place of the chain that a commit continues.
  private func chain(before header: CommitHeader) -> Int? {
    guard let place = places[header.replica], chains[place].sequence == header.sequence - 1,
      chains[place].hash == header.previous
    else { return nil }
    return place
  }

  /// Writes a commit that the author had seen: 0 and its name, or its place among the chains from 1.
  private func writeSeen(_ id: CommitID, to writer: inout ByteWriter) {
    if let place = places[id.replica], chains[place] == id {
      writer.varint(place + 1)
    } else {
      writer.byte(0)
      writer.commitID(id)
    }
  }
}

// MARK: Unpacking

extension PackedCommits {
  /// Returns the commit of a packed form, or its name if this build cannot read its header, and
  /// remembers it.
  ///
  /// - Throws: `damaged` if the bytes are not such a form, or are that of another commit.
  mutating func unpack(_ bytes: [UInt8]) throws -> CommitStreamReader.Record {
    let parts = try bytes.withUnsafeBytes { buffer in
      var reader = ByteReader(buffer)
      return try decoded(&reader)
    }
    guard CommitHeader.hash(ofEncoded: parts.header).words.0 == parts.check else {
      throw VarveError(.damaged, "it is not the one that was sent")
    }
    (time, author) = (parts.time, parts.author)
    let record = CommitStreamReader.header(parts.header)
    if let id = record.name { note(id) }
    guard case .header(let commit) = record else { return record }
    return .commit(commit.with(parts.blocks))
  }

  /// The parts of a packed commit.
  private struct Parts {
    var header: [UInt8]
    var blocks: [Block]
    var time: Int64
    var author: [UInt8]
    var check: UInt64
  }

  private func decoded(_ reader: inout ByteReader) throws -> Parts {
    let flags = Flags(rawValue: try reader.byte())
    guard flags.isSubset(of: [.continues, .sameAuthor]) else {
      throw reader.damaged("its form is unknown")
    }
    let previous = try previous(&reader, isInChain: flags.contains(.continues))
    let time = self.time &+ (try reader.signed())
    var header = ByteWriter(capacity: 160)
    header.byte(CommitHeader.formatVersion)
    header.byte(CommitHeader.Kind.ordinary.rawValue)
    header.replica(previous.replica)
    header.varint(UInt64(previous.sequence + 1))
    header.fixed(UInt64(bitPattern: time))
    header.digest(previous.hash)
    try copySeen(from: &reader, to: &header)
    let author = flags.contains(.sameAuthor) ? self.author : Array(try reader.counted())
    header.raw(author)
    header.varint(try reader.number())
    let blocks = try Self.blocks(&reader)
    header.varint(blocks.count)
    header.digest(CommitHeader.digest(ofBlocks: blocks.map(\.digest)))
    header.raw(try reader.counted())
    let check = try reader.fixed()
    guard reader.isAtEnd else { throw reader.damaged("bytes follow it") }
    return Parts(header: header.bytes, blocks: blocks, time: time, author: author, check: check)
  }

  /// Returns the name of the commit before one. It has number 0 before the first of a replica.
  private func previous(_ reader: inout ByteReader, isInChain: Bool) throws -> CommitID {
    let previous: CommitID
    if isInChain {
      previous = try chain(try reader.number(), reader)
    } else {
      let replica = try reader.replica()
      let sequence = Int64(try reader.number())
      previous = CommitID(replica: replica, sequence: sequence, hash: try reader.digest())
    }
    guard previous.sequence < .max else { throw reader.damaged("a commit number is too large") }
    return previous
  }

  private func chain(_ place: Int, _ reader: ByteReader) throws -> CommitID {
    guard chains.indices.contains(place) else {
      throw reader.damaged("it names a chain that did not come before it")
    }
    return chains[place]
  }

  /// Copies what the author had seen into a header, with the names written out.
  private func copySeen(from reader: inout ByteReader, to header: inout ByteWriter) throws {
    let count = try reader.count()
    guard count <= PackedCommits.chainLimit else {
      throw reader.damaged("it names too many others")
    }
    header.varint(count)
    for _ in 0..<count {
      let place = try reader.number()
      header.commitID(try place == 0 ? reader.commitID() : chain(place - 1, reader))
    }
  }

  private static func blocks(_ reader: inout ByteReader) throws -> [Block] {
    let count = try reader.count(unit: Block.saltByteCount + 1)
    return try (0..<count).map { _ in
      let salt = Array(try reader.raw(Block.saltByteCount))
      let stored = Array(try reader.counted())
      return Block(salt: salt, digest: .sha256(salt, stored), stored: stored)
    }
  }
}
