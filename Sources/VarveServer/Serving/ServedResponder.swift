#if Server
import HTTPTypes
import Hummingbird
import HummingbirdCore

/// Whether a reply is to HEAD, so its body is not sent.
enum HeadRequest {
  /// Whether the current task replies to HEAD. A body that costs much need not be made then.
  @TaskLocal static var isCurrent = false
}

/// Replies to all requests of a server, and records each.
///
/// A HEAD request has the reply to the same GET request without its body. The body of a reply would
/// be read as the beginning of the next one.
struct ServedResponder: HTTPResponder {
  typealias Context = ServedContext

  let recorder: RequestRecorder<ServedContext>
  let routes: RouterResponder<ServedContext>

  @concurrent
  func respond(to request: Request, context: ServedContext) async throws -> Response {
    try await recorder.handle(request, context: context) { request, context in
      guard request.method == .head else {
        return try await routes.respond(to: request, context: context)
      }
      return try await head(request, context)
    }
  }

  private func head(_ request: Request, _ context: ServedContext) async throws -> Response {
    var head = request.head
    head.method = .get
    // The length of a compressed body is known only once it is compressed.
    head.headerFields[.acceptEncoding] = nil
    let whole = Request(head: head, body: request.body)
    var response = try await HeadRequest.$isCurrent.withValue(true) {
      try await routes.respond(to: whole, context: context)
    }
    guard response.headers[.contentType] != Reply.events else { return Self.stream }
    let count = response.body.contentLength
    response.body = ResponseBody(contentLength: count) { writer in try await writer.finish(nil) }
    return response
  }

  /// A stream has no length, and nothing to say before it begins.
  private static var stream: Response {
    Response(status: .methodNotAllowed, headers: [.allow: "GET", .cacheControl: "no-store"])
  }
}
#endif
