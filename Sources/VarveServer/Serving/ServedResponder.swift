#if Server
import HTTPTypes
import Hummingbird
import HummingbirdCore

/// Replies to HEAD: with the reply to the same GET request, without its body. A body would be read as
/// the beginning of the next reply.
enum HeadRequest {
  /// Whether the current task replies to HEAD. A body that costs much need not be made then.
  @TaskLocal static var isCurrent = false

  /// Returns the reply to any request.
  static func reply(
    to request: Request,
    by respond: (Request) async throws -> Response
  ) async throws -> Response {
    guard request.method == .head else { return try await respond(request) }
    var head = request.head
    head.method = .get
    var response = try await $isCurrent.withValue(true) {
      try await respond(Request(head: head, body: request.body))
    }
    guard response.headers[.contentType] != Reply.events else { return stream }
    // Of a compressed body, whose length is known only once it is written, there is none.
    let count = response.body.contentLength
    response.body = ResponseBody(contentLength: count) { writer in try await writer.finish(nil) }
    return response
  }

  /// A stream has no length, and nothing to say before it begins.
  private static var stream: Response {
    Response(status: .methodNotAllowed, headers: [.allow: "GET", .cacheControl: "no-store"])
  }
}

/// Replies to all requests of a server, and records each.
struct ServedResponder: HTTPResponder {
  typealias Context = ServedContext

  let recorder: RequestRecorder<ServedContext>
  let routes: RouterResponder<ServedContext>

  @concurrent
  func respond(to request: Request, context: ServedContext) async throws -> Response {
    try await recorder.handle(request, context: context) { request, context in
      try await HeadRequest.reply(to: request) {
        try await routes.respond(to: $0, context: context)
      }
    }
  }
}
#endif
