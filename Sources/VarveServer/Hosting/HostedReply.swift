#if Server
public import HTTPTypes
import HummingbirdCore
public import NIOCore

/// A reply for a server of another framework to send. See ``HostedRoutes``.
public struct HostedReply: Sendable {
  /// The status and the header fields.
  public let head: HTTPResponse
  /// The number of bytes of the body; nil if it is known only at its end.
  public let contentLength: Int?
  private let body: ResponseBody

  init(_ response: Response) {
    head = response.head
    contentLength = response.body.contentLength
    body = response.body
  }

  /// Writes the body in parts. A stream of changes goes on until its client leaves.
  ///
  /// - Parameter write: sends a part. It returns when the connection can take more, so that a slow
  ///   client slows down the store's reading.
  /// - Throws: the errors of `write`, and the errors of reading the store. Close the connection then,
  ///   because the client has a part of the body.
  public func writeBody(
    to write: @escaping @Sendable (ByteBuffer) async throws -> Void
  ) async throws {
    try await body.write(HostedWriter(send: write))
  }
}

/// Passes on the parts of a body.
private struct HostedWriter: ResponseBodyWriter {
  let send: @Sendable (ByteBuffer) async throws -> Void

  mutating func write(_ buffer: ByteBuffer) async throws {
    // In some frameworks an empty part ends the body.
    if buffer.readableBytes > 0 { try await send(buffer) }
  }

  consuming func finish(_ trailingHeaders: HTTPFields?) async throws {}
}
#endif
