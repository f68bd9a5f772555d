#if Server
import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Tells a client that waits with its body (`Expect: 100-continue`) to send it, unless it is larger
/// than it may be.
final class ContinueHandler: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPRequestPart
  typealias OutboundOut = HTTPResponsePart

  private let limits: ServerLimits

  init(_ limits: ServerLimits) { self.limits = limits }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    if case .head(let head) = unwrapInboundIn(data),
      head.headerFields[.expect]?.lowercased() == "100-continue", limits.permitBody(of: head)
    {
      let interim = HTTPResponse(status: .continue)
      context.writeAndFlush(wrapOutboundOut(.head(interim)), promise: nil)
    }
    context.fireChannelRead(data)
  }
}

extension ServerLimits {
  /// Returns whether the length that a request announces for its body is permitted. Without one,
  /// the body is counted as it arrives.
  func permitBody(of request: HTTPRequest) -> Bool {
    guard let text = request.headerFields[.contentLength], let count = Int(text) else {
      return true
    }
    let path = request.path?.prefix { $0 != "?" } ?? ""
    if path.hasSuffix("/commits") { return count <= commitsByteCount }
    // Lines are requests of their own.
    let type = request.headerFields[.contentType]?.lowercased() ?? ""
    let isLines = [Reply.jsonLines, "application/jsonl"].contains { type.hasPrefix($0) }
    return isLines || count <= bodyByteCount
  }
}
#endif
