#if Server
import HTTPTypes
import NIOCore
import NIOHTTP1
import VarveJSON

/// What HTTP/1 asks of a connection and of the head of a request, and the types of HTTP do not
/// show: the version, several `Host` headers, and heads that cannot be read.
///
/// A head that is refused is replied to with a problem, and the connection closes.
final class HeadGuard: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = HTTPServerRequestPart
  typealias OutboundIn = HTTPServerResponsePart
  typealias OutboundOut = HTTPServerResponsePart

  /// A request without its whole reply.
  private struct Exchange {
    let isHead: Bool
    let isOld: Bool
    /// Whether the connection closes after the reply.
    var closes: Bool
    /// Whether the reply has a body of known length, or none.
    var isFramed = true
    /// The bytes of the body that have not arrived; nil if the number is not known.
    var rest: Int?

    init(_ head: HTTPRequestHead) {
      isHead = head.method == .HEAD
      isOld = head.version.major == 1 && head.version.minor == 0
      closes = !head.isKeepAlive
      let isChunked = head.headers.contains(name: "transfer-encoding")
      rest = isChunked ? nil : head.headers.first(name: "content-length").flatMap { Int($0) } ?? 0
    }
  }

  /// What the guard and the meter of a connection share.
  final class Progress {
    /// Whether a head has arrived whose request has not ended.
    var isReading = false
    /// Whether the head that arrives has a target beyond the limit.
    var hasLongTarget = false
  }

  private let progress: Progress
  /// The requests in order, of which the last may still arrive.
  private var exchanges: [Exchange] = []
  private var refusal: Problem?
  private var isClosing = false

  /// The bytes of an unread body that are worth reading to keep a connection.
  private static let worthReading = 64 << 10
  /// The time that a client has to read a reply before the connection closes.
  private static let patience = TimeAmount.seconds(2)

  init(_ progress: Progress) { self.progress = progress }

  // MARK: Requests

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard refusal == nil, !isClosing else { return }
    switch unwrapInboundIn(data) {
    case .head(let head):
      progress.hasLongTarget = false
      if let problem = HeadFault.problem(of: head) { return refuse(problem, context) }
      progress.isReading = true
      exchanges.append(Exchange(head))
    case .body(let part):
      let last = exchanges.count - 1
      if last >= 0, let rest = exchanges[last].rest {
        exchanges[last].rest = max(0, rest - part.readableBytes)
      }
    case .end:
      progress.isReading = false
      if !exchanges.isEmpty { exchanges[exchanges.count - 1].rest = 0 }
    }
    context.fireChannelRead(data)
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    guard refusal == nil, !isClosing else { return }
    // The reader of a body reports that it cannot be read.
    guard !progress.isReading, let error = error as? HTTPParserError else {
      return context.fireErrorCaught(error)
    }
    refuse(HeadFault.problem(of: error, hasLongTarget: progress.hasLongTarget), context)
  }

  // MARK: Replies

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    guard !isClosing else {
      promise?.fail(ChannelError.ioOnClosedChannel)
      return
    }
    guard let exchange = exchanges.first else { return context.write(data, promise: promise) }
    switch unwrapOutboundIn(data) {
    case .head(let head) where (100..<200).contains(head.status.code):
      context.write(data, promise: promise)
    case .head(var head):
      begin(&head)
      context.write(wrapOutboundOut(.head(head)), promise: promise)
    case .body: context.write(data, promise: promise)
    case .end:
      exchanges.removeFirst()
      // A reply to HEAD that tells no length has no last chunk either.
      let isBare = exchange.isHead && !exchange.isFramed
      let part = isBare ? wrapOutboundOut(.body(.byteBuffer(ByteBuffer()))) : data
      guard exchange.closes else {
        context.write(part, promise: promise)
        if exchanges.isEmpty, let refusal { reply(refusal, context) }
        return
      }
      close(context, after: part, promise)
    }
  }

  /// Completes the head of the reply to the first request.
  private func begin(_ head: inout HTTPResponseHead) {
    let rest = exchanges[0].rest ?? .max
    // What was refused need not arrive.
    if head.status.code >= 400, rest > Self.worthReading { exchanges[0].closes = true }
    exchanges[0].isFramed = head.headers.contains(name: "content-length")
    if exchanges[0].isOld {
      head.version = .http1_0
      // The end of the connection is the end of the body.
      if !exchanges[0].isFramed { exchanges[0].closes = true }
    }
    if exchanges[0].closes {
      head.headers.replaceOrAdd(name: "Connection", value: "close")
    } else if exchanges[0].isOld {
      head.headers.replaceOrAdd(name: "Connection", value: "keep-alive")
    }
  }

  private func refuse(_ problem: Problem, _ context: ChannelHandlerContext) {
    refusal = problem
    if exchanges.isEmpty { reply(problem, context) }
  }

  private func reply(_ problem: Problem, _ context: ChannelHandlerContext) {
    let body = ByteBuffer(string: problem.document.text + "\n")
    let head = HTTPResponseHead(
      version: .http1_1,
      status: HTTPResponseStatus(
        statusCode: problem.status.code,
        reasonPhrase: problem.status.reasonPhrase
      ),
      headers: [
        "Content-Type": "application/problem+json", "Cache-Control": "no-store",
        "Content-Length": "\(body.readableBytes)", "Connection": "close",
      ]
    )
    context.write(wrapOutboundOut(.head(head)), promise: nil)
    context.write(wrapOutboundOut(.body(.byteBuffer(body))), promise: nil)
    close(context, after: wrapOutboundOut(.end(nil)), nil)
  }

  /// Writes the last part of a reply, and closes the connection. A client that still sends would
  /// lose the reply if it closed at once.
  private func close(
    _ context: ChannelHandlerContext,
    after part: NIOAny,
    _ promise: EventLoopPromise<Void>?
  ) {
    isClosing = true
    let isReading = progress.isReading || refusal != nil
    let written = promise ?? context.eventLoop.makePromise()
    written.futureResult.assumeIsolated().whenComplete { _ in
      guard isReading else { return context.close(promise: nil) }
      context.close(mode: .output, promise: nil)
      context.eventLoop.assumeIsolated().scheduleTask(in: Self.patience) {
        context.close(promise: nil)
      }
    }
    context.writeAndFlush(part, promise: written)
  }
}

/// Adds a guard to a connection of HTTP/1; one of HTTP/2 needs none.
final class HeadGuardInstaller: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = Any

  private let limit: Int

  /// - Parameter limit: the maximum size of a header or a target, in bytes.
  init(limit: Int) { self.limit = limit }

  func handlerAdded(context: ChannelHandlerContext) {
    let pipeline = context.pipeline.syncOperations
    guard
      let decoder = try? pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
    else { return }
    let progress = HeadGuard.Progress()
    do {
      try pipeline.addHandler(TargetMeter(progress, limit: limit), position: .before(decoder))
      try pipeline.addHandler(HeadGuard(progress), position: .after(decoder))
    } catch {
      context.fireErrorCaught(error)
    }
  }
}
#endif
