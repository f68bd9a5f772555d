#if Server
public import HTTPTypes
import HummingbirdCore
public import NIOCore

/// A request that a server of another framework received. See ``HostedRoutes``.
public struct HostedRequest: Sendable {
  /// The method, the path with its query, and the header fields.
  public var head: HTTPRequest
  let body: RequestBody
  let hasLeft: @Sendable () async -> Bool

  /// The field of HTTP/1.1 that stands for the authority.
  private static let host = HTTPField.Name("Host")

  /// Creates a request.
  ///
  /// - Parameters:
  ///   - head: the method, the path with its query, and the header fields. The path is as the client
  ///     sent it, with its escapes. A host is in the authority or in the field `Host`.
  ///   - body: the parts of the body as they arrive. They are read once, and only when they are
  ///     needed, so that a client sends no faster than the store writes.
  ///   - hasLeft: returns whether the client closed its connection. It is called about twice a second
  ///     while the reply takes time.
  public init<Body: AsyncSequence & Sendable>(
    _ head: HTTPRequest,
    body: Body,
    hasLeft: @escaping @Sendable () async -> Bool = { false }
  ) where Body.Element == ByteBuffer, Body.AsyncIterator: SendableMetatype {
    var head = head
    if head.authority == nil { head.authority = Self.host.flatMap { head.headerFields[$0] } }
    self.head = head
    self.body = RequestBody(asyncSequence: body)
    self.hasLeft = hasLeft
  }
}
#endif
