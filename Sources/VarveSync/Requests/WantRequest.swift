package import VarveCore

/// A request for commits of a space.
package enum WantRequest: Sendable, Hashable {
  /// Commits beyond a frontier, in an order in which each follows what it depends on.
  case beyond(Frontier)
  /// Commits of ranges, complete.
  case ranges([CommitRange])

  package var encoded: [UInt8] {
    var writer = ByteWriter()
    switch self {
    case .beyond(let frontier):
      writer.byte(1)
      writer.commitIDs(frontier.heads)
    case .ranges(let ranges):
      writer.byte(2)
      writer.commitRanges(ranges)
    }
    return writer.bytes
  }

  /// Decodes a request.
  ///
  /// - Throws: `damaged`; `newerFormat` if its kind is unknown.
  package init(encoded bytes: [UInt8]) throws {
    self = try bytes.withUnsafeBytes { buffer in
      var reader = ByteReader(buffer)
      let request = try WantRequest(&reader)
      guard reader.isAtEnd else { throw reader.damaged("bytes follow a request") }
      return request
    }
  }

  private init(_ reader: inout ByteReader) throws {
    switch try reader.byte() {
    case 1: self = .beyond(Frontier(try reader.commitIDs()))
    case 2: self = .ranges(try reader.commitRanges())
    case let kind:
      throw VarveError(
        .newerFormat,
        "a request for commits is of kind \(kind), which this build does not know",
        remedy: "Use versions of Varve that are closer to each other on both sides."
      )
    }
  }
}

/// The head of a part of a space's commits; the records of the commits follow it.
package struct PartHead: Sendable, Hashable {
  /// The place after the last commit of the part, if it is in order of arrival; else the place
  /// after the space's last arrival when the part was read.
  package var next: SpacePosition
  /// Whether more follows this part.
  package var hasMore: Bool
  /// The number of commits that follow.
  package var commitCount: Int
  /// The commits that cannot be read there.
  package var parked: [Parked]
  /// The commits that are not complete there.
  package var awaited: [CommitID]
  /// Whether the space takes packed commits. A client learns it only if it reads them itself.
  package var takesPacked: Bool

  package init(
    next: SpacePosition,
    hasMore: Bool,
    commitCount: Int,
    parked: [Parked],
    awaited: [CommitID],
    takesPacked: Bool = false
  ) {
    self.next = next
    self.hasMore = hasMore
    self.commitCount = commitCount
    self.parked = parked
    self.awaited = awaited
    self.takesPacked = takesPacked
  }

  package var encoded: [UInt8] {
    var content = ByteWriter()
    content.text(next.text)
    content.byte((hasMore ? 1 : 0) | (takesPacked ? 2 : 0))
    content.varint(commitCount)
    content.parked(parked)
    content.commitIDs(awaited)
    var writer = ByteWriter()
    writer.counted(content.bytes)
    return writer.bytes
  }

  /// Decodes the head at the beginning of some bytes; nil if more bytes must arrive first.
  ///
  /// - Returns: the head, and the number of its bytes.
  package static func read(_ bytes: [UInt8]) throws -> (head: PartHead, byteCount: Int)? {
    var (length, place) = (0, 0)
    while true {
      guard place < bytes.count else { return nil }
      guard place < 4 else { throw Frame.damaged("the head of a part is too large") }
      length |= Int(bytes[place] & 0x7F) << (7 * place)
      place += 1
      if bytes[place - 1] < 0x80 { break }
    }
    guard bytes.count >= place + length else { return nil }
    let head = try Array(bytes[place..<place + length]).withUnsafeBytes { buffer in
      var reader = ByteReader(buffer)
      return try PartHead(&reader)
    }
    return (head, place + length)
  }

  private init(_ reader: inout ByteReader) throws {
    next = try reader.spacePosition()
    let flags = try reader.byte()
    hasMore = flags & 1 != 0
    takesPacked = flags & 2 != 0
    commitCount = try reader.number()
    parked = try reader.parked()
    awaited = try reader.commitIDs()
    guard reader.isAtEnd else { throw reader.damaged("bytes follow the head of a part") }
  }
}
