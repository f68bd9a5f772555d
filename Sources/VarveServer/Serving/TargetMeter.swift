#if Server
import NIOCore

/// Notices that the target of a request is beyond the limit: the parser of heads does not say which
/// part of a head is too large.
final class TargetMeter: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer

  private let progress: HeadGuard.Progress
  private let limit: Int
  /// The first bytes of the present line.
  private var beginning: [UInt8] = []
  private var byteCount = 0

  private static let beginningByteCount = 32

  init(_ progress: HeadGuard.Progress, limit: Int) {
    self.progress = progress
    self.limit = limit
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    if progress.isReading {
      endLine()
    } else {
      measure(unwrapInboundIn(data).readableBytesView)
    }
    context.fireChannelRead(data)
  }

  private func measure(_ bytes: ByteBufferView) {
    var rest = bytes
    while !rest.isEmpty {
      let end = rest.firstIndex(of: 0x0A)
      let line = rest[..<(end ?? rest.endIndex)]
      beginning += line.prefix(Self.beginningByteCount - beginning.count)
      byteCount += line.count
      if byteCount > limit, isOfTarget { progress.hasLongTarget = true }
      guard let end else { return }
      endLine()
      rest = rest[rest.index(after: end)...]
    }
  }

  private func endLine() {
    beginning.removeAll(keepingCapacity: true)
    byteCount = 0
  }

  /// Whether the line begins with a method, and not with the name of a header.
  private var isOfTarget: Bool {
    let name = beginning.prefix { $0 != 0x20 && $0 != 0x3A }
    return name.count < beginning.count && beginning[name.count] == 0x20
  }
}
#endif
