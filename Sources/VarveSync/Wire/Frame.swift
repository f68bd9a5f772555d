import VarveCore

/// The unit of the wire: a message between two stores, numbered and checked.
///
/// See `Documentation/Protocol.md`, "Frames".
package struct Frame: Sendable, Hashable {
  /// The kind of a frame. A reader ignores unknown even kinds, and fails on unknown odd ones.
  package enum Kind: UInt8, Sendable, CaseIterable {
    case hello = 1
    case heads = 3
    case have = 5
    case ask = 7
    case answer = 9
    case data = 11
    case ack = 13
    case end = 15
    case error = 19
    case goodbye = 21
    case rest = 35
    case outlines = 23
    case given = 25
    case want = 29
    case parked = 2
    case plan = 4
    case waiting = 6
  }

  /// The sender's session, which distinguishes its frames from those of an earlier one.
  package var session: UInt64
  /// The frame's number in the session, from 0, without gaps.
  package var number: UInt64
  /// The kind, which this build may not know.
  package var kind: UInt8
  /// The content.
  package var body: [UInt8]

  /// The maximum size of a frame without its length, in bytes.
  package static let maximumByteCount = 1 << 20
  /// The size of length and checksum.
  package static let prefixByteCount = 8

  /// The kind of the frames in which logs of sealed spaces exchange their membership, before the
  /// session of the commits.
  package static let sealedKind: UInt8 = 33

  package init(session: UInt64, number: UInt64, kind: Kind, body: [UInt8]) {
    self.init(session: session, number: number, kindByte: kind.rawValue, body: body)
  }

  package init(session: UInt64, number: UInt64, kindByte: UInt8, body: [UInt8]) {
    self.session = session
    self.number = number
    kind = kindByte
    self.body = body
  }

  /// The encoded frame, preceded by its length.
  package var encoded: [UInt8] {
    var content = ByteWriter(capacity: body.count + 20)
    content.fixed(session)
    content.varint(number)
    content.byte(kind)
    content.raw(body)
    precondition(content.count + 4 <= Self.maximumByteCount, "a frame has at most 1 MiB")
    var writer = ByteWriter(capacity: content.count + Self.prefixByteCount)
    writer.fixed32(UInt32(content.count + 4))
    writer.fixed32(Self.checksum(content.bytes[...]))
    writer.raw(content.bytes)
    return writer.bytes
  }

  /// Decodes a frame that is preceded by its length.
  ///
  /// - Throws: `VarveError` with code `damaged`.
  package init(encoded bytes: [UInt8]) throws {
    guard bytes.count >= Self.prefixByteCount,
      bytes.prefix(4).bigEndian32 == UInt32(bytes.count - 4),
      bytes[4..<8].bigEndian32 == Self.checksum(bytes[8...])
    else { throw Self.damaged("its length or checksum is wrong") }
    self = try bytes.withUnsafeBytes { buffer in
      var reader = ByteReader(buffer, offset: Self.prefixByteCount)
      return try Frame(&reader)
    }
  }

  private init(_ reader: inout ByteReader) throws {
    session = try reader.fixed()
    number = try reader.varint()
    kind = try reader.byte()
    body = Array(try reader.raw(reader.remaining))
  }

  private static func checksum(_ bytes: ArraySlice<UInt8>) -> UInt32 {
    ContentDigest.sha256(Array(bytes)).bytes.prefix(4).bigEndian32
  }

  static func damaged(_ what: String) -> VarveError {
    VarveError(
      .damaged,
      "a frame from the other store cannot be read: \(what)",
      remedy:
        "Synchronise again: received commits are kept. Check the connection if it happens again."
    )
  }
}

extension Collection<UInt8> {
  /// The bytes as a big-endian number.
  var bigEndian32: UInt32 { reduce(0) { $0 << 8 | UInt32($1) } }
}

extension ByteWriter {
  fileprivate mutating func fixed32(_ value: UInt32) {
    withUnsafeBytes(of: value.bigEndian) { raw($0) }
  }
}

/// Splits a stream of bytes into frames.
package struct FrameCutter: Sendable {
  private var queue = ByteQueue()

  package init() {}

  /// Appends bytes as they arrive.
  package mutating func add(_ bytes: some Collection<UInt8>) { queue.add(bytes) }

  /// Returns the next complete frame, or nil if more bytes must arrive first.
  ///
  /// - Throws: `VarveError` with code `damaged` if the next bytes are not a frame.
  package mutating func next() throws -> [UInt8]? {
    guard queue.count >= 4 else { return nil }
    let start = queue.start
    let length = Int(queue.bytes[start..<start + 4].bigEndian32)
    guard length >= 14, length <= Frame.maximumByteCount else {
      throw Frame.damaged("its length is \(length) bytes")
    }
    guard queue.count >= length + 4 else { return nil }
    let frame = Array(queue.bytes[start..<start + length + 4])
    queue.take(upTo: start + length + 4)
    return frame
  }
}
