package import VarveCore

/// The message of a frame.
package enum Message: Sendable, Hashable {
  /// The greeting.
  case hello(Hello)
  /// The newest commits of chains, in as many frames as needed.
  case heads([CommitID])
  /// Which of the received heads are here, in the same order.
  case have([Bool])
  /// Heads that were not named before, in as many frames as needed.
  case rest([CommitID], isLast: Bool)
  /// A question: which of these commits does the other side have?
  case ask([CommitID])
  /// The answer to a question, in the same order.
  case answer([Bool])
  /// The number of commits to come.
  case plan(commitCount: Int)
  /// The horizon up to which commits arrive as outlines.
  case outlines(Horizon)
  /// A piece of the stream of commits.
  case data([UInt8])
  /// The commits wanted complete.
  case want([CommitRange])
  /// Everything that was wanted and is available has been sent.
  case given
  /// The amount of the stream that was received, and the part of it that is on the disk.
  case ack(byteCount: Int, commitCount: Int, heads: [CommitID])
  /// The stream has ended.
  case end(commitCount: Int, heldBackCount: Int)
  /// A commit that could not be read or added; commits that depend on it need not be sent.
  case parked(Parked)
  /// The missing commits that others wait for.
  case waiting([Waiting])
  /// The error that ends the session.
  case error(code: String, message: String)
  /// Everything received is on the disk.
  case goodbye

  /// The maximum number of commits in a question.
  package static let maximumQuestionCount = 4_096

  /// The kind of the message's frame.
  package var kind: Frame.Kind {
    switch self {
    case .hello: .hello
    case .heads: .heads
    case .have: .have
    case .rest: .rest
    case .ask: .ask
    case .answer: .answer
    case .plan: .plan
    case .outlines: .outlines
    case .data: .data
    case .want: .want
    case .given: .given
    case .ack: .ack
    case .end: .end
    case .parked: .parked
    case .waiting: .waiting
    case .error: .error
    case .goodbye: .goodbye
    }
  }
}

extension Message {
  /// The content of the frame.
  package var body: [UInt8] {
    var writer = ByteWriter()
    switch self {
    case .hello(let hello): return hello.encoded
    case .heads(let ids), .ask(let ids): writer.commitIDs(ids)
    case .have(let bits), .answer(let bits): writer.bits(bits)
    case .rest(let ids, let isLast):
      writer.byte(isLast ? 1 : 0)
      writer.commitIDs(ids)
    case .plan(let count): writer.varint(count)
    case .data(let bytes): return bytes
    case .outlines(let horizon): return horizon.field.bytes
    case .want(let ranges): writer.commitRanges(ranges)
    case .given: break
    case .ack(let byteCount, let commitCount, let heads):
      writer.varint(byteCount)
      writer.varint(commitCount)
      writer.commitIDs(heads)
    case .end(let commitCount, let heldBackCount):
      writer.varint(commitCount)
      writer.varint(heldBackCount)
    case .parked(let parked): writer.parked(parked)
    case .waiting(let list):
      writer.varint(list.count)
      for waiting in list {
        writer.commitID(waiting.needed)
        writer.varint(waiting.commitCount)
      }
    case .error(let code, let message):
      writer.text(code)
      writer.text(message.shortened)
    case .goodbye: break
    }
    return writer.bytes
  }

  /// Decodes a frame; nil if its kind is unknown and may be ignored.
  ///
  /// - Throws: `newerFormat` if the kind is unknown and mandatory, `damaged` if the body does not
  ///   fit the kind.
  package init?(_ frame: Frame) throws {
    guard let kind = Frame.Kind(rawValue: frame.kind) else {
      guard frame.kind % 2 == 0 else {
        throw VarveError(
          .newerFormat,
          "the other store sent a message of kind \(frame.kind), which this build does not know",
          remedy: "Use versions of Varve that are closer to each other on both sides."
        )
      }
      return nil
    }
    if kind == .data {
      // The largest message is not copied.
      self = .data(frame.body)
      return
    }
    self = try frame.body.withUnsafeBytes { buffer in
      var reader = ByteReader(buffer)
      let message = try Message(kind, &reader)
      guard reader.isAtEnd else { throw reader.damaged("bytes follow a message") }
      return message
    }
  }

  private init(_ kind: Frame.Kind, _ reader: inout ByteReader) throws {
    switch kind {
    case .hello: self = .hello(try Hello(&reader))
    case .heads: self = .heads(try reader.commitIDs())
    case .have: self = .have(try reader.bits())
    case .rest:
      let isLast = try reader.byte()
      guard isLast <= 1 else { throw reader.damaged("a flag is neither 0 nor 1") }
      self = .rest(try reader.commitIDs(), isLast: isLast == 1)
    case .ask: self = .ask(try reader.commitIDs())
    case .answer: self = .answer(try reader.bits())
    case .plan: self = .plan(commitCount: try reader.number())
    case .data: self = .data(Array(try reader.raw(reader.remaining)))
    case .outlines:
      self = .outlines(try Horizon(encoded: Array(try reader.raw(reader.remaining))))
    case .want: self = .want(try reader.commitRanges())
    case .given: self = .given
    case .ack:
      self = .ack(
        byteCount: try reader.number(),
        commitCount: try reader.number(),
        heads: try reader.commitIDs()
      )
    case .end:
      self = .end(commitCount: try reader.number(), heldBackCount: try reader.number())
    case .parked: self = .parked(try reader.parked() as Parked)
    case .waiting:
      let count = try reader.count(unit: 50)
      self = .waiting(
        try (0..<count).map { _ in
          Waiting(needed: try reader.commitID(), commitCount: try reader.number())
        }
      )
    case .error: self = .error(code: try reader.text(), message: try reader.text())
    case .goodbye: self = .goodbye
    }
  }
}
