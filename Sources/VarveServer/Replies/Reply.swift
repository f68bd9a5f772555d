#if Server
import HTTPTypes
import Hummingbird
import HummingbirdCore
import NIOCore
import VarveJSON
import VarveSync

/// Replies of the server.
enum Reply {
  static let json = "application/json"
  static let jsonLines = "application/x-ndjson"
  static let sync = SyncMediaType.text
  static let events = "text/event-stream"

  /// Returns a reply with a document.
  static func document(
    _ document: JSON,
    status: HTTPResponse.Status = .ok,
    headers: HTTPFields = [:]
  ) -> Response {
    var headers = headers
    headers[.contentType] = json
    if headers[.cacheControl] == nil { headers[.cacheControl] = "no-store" }
    return Response(
      status: status,
      headers: headers,
      body: ResponseBody(byteBuffer: ByteBuffer(string: document.text + "\n"))
    )
  }

  /// Returns a reply with bytes of the synchronisation.
  static func bytes(_ bytes: [UInt8]) -> Response {
    Response(
      status: .ok,
      headers: [.contentType: sync, .cacheControl: "no-store"],
      body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes))
    )
  }

  /// Returns a reply to a read of a state with a tag: the document, or that it has not changed.
  ///
  /// The tag was taken before the state was read, so it is never newer than what it stands for.
  static func tagged(
    _ tag: String,
    _ request: Request,
    _ document: () async throws -> JSON
  ) async throws -> Response {
    // A purge must reach every cache, so each asks before it uses what it has.
    var headers: HTTPFields = [.eTag: tag, .cacheControl: "private, no-cache"]
    if isKnown(tag, request) {
      // The header * stands for whatever there is, and there may be nothing.
      if acceptsAny(request) { _ = try await document() }
      return Response(status: .notModified, headers: headers)
    }
    headers[.vary] = "Authorization"
    return Reply.document(try await document(), headers: headers)
  }

  private static func acceptsAny(_ request: Request) -> Bool {
    request.headers[.ifNoneMatch]?.trimmed == "*"
  }

  /// Returns whether a client has what a tag stands for.
  static func isKnown(_ tag: String, _ request: Request) -> Bool {
    let known = request.headers[.ifNoneMatch]?.split(separator: ",").map { text in
      let text = text.trimmed
      return text.hasPrefix("W/") ? String(text.dropFirst(2)) : text
    }
    return known?.contains { $0 == tag || $0 == "*" } == true
  }
}

extension StringProtocol {
  /// The text without spaces around it.
  var trimmed: String {
    var rest = self[...]
    while rest.first == " " || rest.first == "\t" { rest.removeFirst() }
    while rest.last == " " || rest.last == "\t" { rest.removeLast() }
    return String(rest)
  }
}
#endif
