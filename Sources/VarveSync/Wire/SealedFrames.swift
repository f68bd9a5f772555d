import VarveCore

/// A message of the exchange of memberships, which may be longer than a frame.
struct SealedFrames {
  private(set) var message: [UInt8] = []
  /// Whether the last frame has arrived.
  private(set) var isComplete = false

  private static let partByteCount = 512 << 10
  /// The greatest length of a message: a membership log, and room for what goes with it.
  private static let byteCountLimit = 96 << 20

  /// Returns the frames of a message.
  static func frames(of message: [UInt8], _ tag: UInt64, _ number: inout UInt64) -> [[UInt8]] {
    var frames: [[UInt8]] = []
    var start = 0
    repeat {
      let end = min(start + partByteCount, message.count)
      let isLast: UInt8 = end == message.count ? 1 : 0
      frames.append(
        Frame(
          session: tag,
          number: number,
          kindByte: Frame.sealedKind,
          body: [isLast] + message[start..<end]
        ).encoded
      )
      number += 1
      start = end
    } while start < message.count
    return frames
  }

  /// Adds the next frame.
  ///
  /// - Throws: ``VarveError`` with the other side's error, or with code `unsupported` if the other store
  ///   belongs to no sealed space.
  mutating func add(_ frame: Frame) throws {
    if frame.kind == Frame.Kind.error.rawValue,
      case .error(let code, let text)? = try Message(frame)
    {
      let known = VarveError.Code(rawValue: code) ?? .inputOutput
      throw VarveError(known, "the other store ended the synchronisation: \(text)")
    }
    guard frame.kind == Frame.sealedKind else {
      throw VarveError(
        .unsupported,
        "the other store was not opened for sealed spaces, and this one was",
        remedy: "Synchronise with a member, or with a store that was opened as a relay."
      )
    }
    guard let isLast = frame.body.first, isLast <= 1 else {
      throw Frame.damaged("a flag is neither 0 nor 1")
    }
    message += frame.body.dropFirst()
    guard message.count <= Self.byteCountLimit else { throw Frame.damaged("it is too large") }
    isComplete = isLast == 1
  }
}
