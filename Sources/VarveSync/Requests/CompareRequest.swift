package import VarveCore

/// A client's question to a space: which of these commits does it have, and which others?
///
/// See `Documentation/Protocol.md`, "Synchronising over HTTP".
package struct CompareRequest: Sendable, Hashable {
  /// The client's greeting.
  package var hello: Hello
  /// The commits asked about.
  package var asked: [CommitID]
  /// The place among the space's heads from which they are listed.
  package var firstHead: Int

  package init(replica: ReplicaID, asked: [CommitID], firstHead: Int = 0) {
    hello = Hello(replica: replica, headCount: asked.count)
    self.asked = asked
    self.firstHead = firstHead
  }

  package var encoded: [UInt8] {
    var writer = ByteWriter()
    writer.counted(hello.encoded)
    writer.varint(firstHead)
    writer.commitIDs(asked)
    return writer.bytes
  }

  /// Decodes a request.
  ///
  /// - Throws: `damaged`; `newerFormat` if the sides have no version in common.
  package init(encoded bytes: [UInt8]) throws {
    self = try bytes.withUnsafeBytes { buffer in
      var reader = ByteReader(buffer)
      let request = try CompareRequest(&reader)
      guard reader.isAtEnd else { throw reader.damaged("bytes follow a request") }
      return request
    }
  }

  private init(_ reader: inout ByteReader) throws {
    hello = try reader.hello()
    firstHead = try reader.number()
    asked = try reader.commitIDs()
    guard asked.count <= Message.maximumQuestionCount else {
      throw reader.damaged("it asks about too many commits at once")
    }
  }
}

/// The answer to a ``CompareRequest``.
package struct CompareAnswer: Sendable, Hashable {
  /// The space's greeting.
  package var hello: Hello
  /// The space, and the place after its last arrival.
  package var end: SpacePosition
  /// The number of the space's chains.
  package var headCount: Int
  /// Some of their newest commits, from the requested place on.
  package var heads: [CommitID]
  /// Which of the commits asked about are there, in their order.
  package var have: [Bool]
  /// Whether the client is an admin of the space; nil if the space does not say. It is no part of
  /// the encoding, but a header beside it.
  package var isAdmin: Bool?

  package init(
    hello: Hello,
    end: SpacePosition,
    headCount: Int,
    heads: [CommitID],
    have: [Bool]
  ) {
    self.hello = hello
    self.end = end
    self.headCount = headCount
    self.heads = heads
    self.have = have
  }

  package var encoded: [UInt8] {
    var writer = ByteWriter()
    writer.counted(hello.encoded)
    writer.text(end.text)
    writer.varint(headCount)
    writer.commitIDs(heads)
    writer.bits(have)
    return writer.bytes
  }

  /// Decodes an answer.
  ///
  /// - Throws: `damaged`; `newerFormat` if the sides have no version in common.
  package init(encoded bytes: [UInt8]) throws {
    self = try bytes.withUnsafeBytes { buffer in
      var reader = ByteReader(buffer)
      let answer = try CompareAnswer(&reader)
      guard reader.isAtEnd else { throw reader.damaged("bytes follow an answer") }
      return answer
    }
  }

  private init(_ reader: inout ByteReader) throws {
    hello = try reader.hello()
    end = try reader.spacePosition()
    headCount = try reader.number()
    heads = try reader.commitIDs()
    have = try reader.bits()
    guard headCount <= Hello.maximumHeadCount, heads.count <= headCount else {
      throw reader.damaged("it lists more heads than a space may have")
    }
  }
}

extension ByteReader {
  fileprivate mutating func hello() throws -> Hello {
    let bytes = Array(try counted())
    return try bytes.withUnsafeBytes { buffer in
      var reader = ByteReader(buffer)
      return try Hello(&reader)
    }
  }

  mutating func spacePosition() throws -> SpacePosition {
    guard let position = SpacePosition(try text()) else {
      throw damaged("a position cannot be read")
    }
    return position
  }
}
