#if CommandLine && Server
import NIOCore
import NIOHTTP1
import NIOPosix

/// A server with the declarations of Vapor 4.122 that the guide's example uses. The example is
/// compiled against them, and runs by them over SwiftNIO.
///
/// Sources of the signatures: `Concurrency/RoutesBuilder+Concurrency.swift`,
/// `Concurrency/RequestBody+Concurrency.swift`, `Request/Request.swift`,
/// `Response/Response.swift` and `Response/Response+Body.swift`, `HTTP/BodyStream.swift`.
final class Application: @unchecked Sendable {
  typealias Handler = @Sendable (Request) async throws -> Response

  enum HTTPBodyStreamStrategy { case stream }

  /// The handlers are added before the server runs.
  private var handlers: [(method: HTTPMethod, first: String, handler: Handler)] = []

  func on(
    _ method: HTTPMethod,
    _ path: String...,
    body: HTTPBodyStreamStrategy,
    use closure: @escaping Handler
  ) {
    precondition(path.count == 2 && path[1] == "**", "other paths are not needed here")
    handlers.append((method, path[0], closure))
  }

  /// Serves until its task is cancelled.
  func run(_ listening: @Sendable (Int) async throws -> Void) async throws {
    let server = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
      .bind(host: "127.0.0.1", port: 0) { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.configureHTTPServerPipeline()
          try channel.pipeline.syncOperations.addHandler(BufferParts())
          return try Connection(wrappingChannelSynchronously: channel)
        }
      }
    let port = server.channel.localAddress?.port ?? 0
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { [self] in
        try await server.executeThenClose { connections in
          try await withThrowingDiscardingTaskGroup { group in
            for try await connection in connections {
              group.addTask { [self] in try? await serve(connection) }
            }
          }
        }
      }
      try await listening(port)
      group.cancelAll()
    }
  }

  private typealias Connection =
    NIOAsyncChannel<HTTPServerRequestPart, HTTPPart<HTTPResponseHead, ByteBuffer>>

  private func serve(_ connection: Connection) async throws {
    try await connection.executeThenClose { inbound, outbound in
      var parts = inbound.makeAsyncIterator()
      while case .head(let head)? = try await parts.next() {
        var body: [ByteBuffer] = []
        while case .body(let part)? = try await parts.next() { body.append(part) }
        let request = Request(head, body)
        let handler = handlers.first {
          $0.method == head.method && head.uri.hasPrefix("/\($0.first)/")
        }
        let response = try await handler?.handler(request) ?? Response(status: .notFound)
        var reply = HTTPResponseHead(version: .http1_1, status: response.status)
        reply.headers = response.headers
        try await outbound.write(.head(reply))
        try await response.body.write(Response.Writer(outbound))
        try await outbound.write(.end(nil))
      }
    }
  }
}

/// Turns buffers into what SwiftNIO's encoder takes, which is not `Sendable`.
private final class BufferParts: ChannelOutboundHandler {
  typealias OutboundIn = HTTPPart<HTTPResponseHead, ByteBuffer>
  typealias OutboundOut = HTTPServerResponsePart

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    let part: HTTPServerResponsePart =
      switch unwrapOutboundIn(data) {
      case .head(let head): .head(head)
      case .body(let buffer): .body(.byteBuffer(buffer))
      case .end(let trailers): .end(trailers)
      }
    context.write(wrapOutboundOut(part), promise: promise)
  }
}

/// A request of the other framework.
struct Request: Sendable {
  /// An address.
  struct URI: Sendable { let string: String }

  /// The parts of a body.
  struct Body: AsyncSequence, Sendable {
    fileprivate let parts: [ByteBuffer]

    struct AsyncIterator: AsyncIteratorProtocol {
      fileprivate var parts: ArraySlice<ByteBuffer>
      mutating func next() async throws -> ByteBuffer? { parts.popFirst() }
    }

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(parts: parts[...]) }
  }

  let method: HTTPMethod
  let url: URI
  let headers: HTTPHeaders
  let body: Body

  fileprivate init(_ head: HTTPRequestHead, _ parts: [ByteBuffer]) {
    method = head.method
    url = URI(string: head.uri)
    headers = head.headers
    body = Body(parts: parts)
  }
}

/// A response of the other framework.
struct Response: Sendable {
  /// Sends the parts of a body.
  struct Writer: Sendable {
    private let outbound: NIOAsyncChannelOutboundWriter<HTTPPart<HTTPResponseHead, ByteBuffer>>

    fileprivate init(
      _ outbound: NIOAsyncChannelOutboundWriter<HTTPPart<HTTPResponseHead, ByteBuffer>>
    ) {
      self.outbound = outbound
    }

    func writeBuffer(_ buffer: ByteBuffer) async throws { try await outbound.write(.body(buffer)) }
  }

  /// A body that a closure writes.
  struct Body: Sendable {
    fileprivate let write: @Sendable (Writer) async throws -> Void

    init(managedAsyncStream: @escaping @Sendable (Writer) async throws -> Void, count: Int) {
      write = managedAsyncStream
    }
  }

  let status: HTTPResponseStatus
  let headers: HTTPHeaders
  let body: Body

  init(
    status: HTTPResponseStatus,
    headers: HTTPHeaders = [:],
    body: Body = Body(managedAsyncStream: { _ in }, count: 0)
  ) {
    self.status = status
    self.headers = headers
    self.body = body
  }
}
#endif
