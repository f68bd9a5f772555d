#if Server
import HTTPTypes
import Hummingbird
import HummingbirdCore

extension VarveRoutes {
  /// Adds `GET …/changes`.
  func addChanges(to group: RouterGroup<some RequestContext>) {
    group.get("changes") { request, context in
      await stream(request, context) { call, lease in
        try await ChangeRoutes.changes(call, lease, try permit(for: call), pulse)
      }
    }
  }
}

/// `GET …/changes`: what each transaction changed, as server-sent events.
enum ChangeRoutes {
  static func changes(
    _ call: Call,
    _ lease: SpaceLease,
    _ permit: StreamPermit,
    _ pulse: StreamPulse
  ) async throws -> Response {
    try call.allow("after")
    // A browser sends the header when it connects again; others may use the query.
    let text = call.request.headers[.lastEventID] ?? call.parameter("after")
    let feed = try await ChangeFeed(of: lease.space, after: text, call.limits)
    let (name, id) = (lease.space.name, lease.space.id)
    let expiry = call.principal.expiry
    let body = ResponseBody { writer in
      try await feed.write(to: &writer, by: pulse, until: expiry) {
        try await call.review().require(.reader, in: name, id)
      }
      withExtendedLifetime((lease, permit)) {}
      try await writer.finish(nil)
    }
    return Response(
      status: .ok,
      headers: [
        .contentType: Reply.events, .cacheControl: "no-store", .buffering: "no",
      ],
      body: body
    )
  }
}
#endif
