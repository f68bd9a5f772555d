import HTTPTypes
import Hummingbird
import HummingbirdCore
import NIOCore
import ServiceLifecycle
import VarveCore
import VarveStore
import VarveSync

/// Synchronising with a space; see `Documentation/Protocol.md`, "Synchronising over HTTP".
enum SyncRoutes {
  /// `POST …/compare`
  static func compare(_ call: Call, _ space: Space) async throws -> Response {
    try call.require(contentType: Reply.sync)
    let request = try CompareRequest(encoded: try await call.body())
    return Reply.bytes(try await space.responder().compare(request).encoded)
  }

  /// `POST …/want`
  static func want(_ call: Call, _ lease: SpaceLease) async throws -> Response {
    try call.require(contentType: Reply.sync)
    let request = try WantRequest(encoded: try await call.body())
    let responder = try lease.space.responder()
    return part(try await responder.part(request), responder, lease)
  }

  /// `GET …/commits?after=POSITION`
  static func arrivals(_ call: Call, _ lease: SpaceLease) async throws -> Response {
    try call.allow("after")
    let responder = try lease.space.responder()
    guard let text = call.parameter("after"), let hint = SpacePosition(text),
      let part = try await responder.part(after: hint)
    else {
      throw Problem(
        .conflict,
        "unknownPosition",
        "this space never had the position",
        remedy: "Compare."
      )
    }
    return self.part(part, responder, lease)
  }

  /// Returns a part as a reply; the blocks of a large commit are read as they are sent.
  private static func part(
    _ part: SpaceResponder.Part,
    _ responder: SpaceResponder,
    _ lease: SpaceLease
  ) -> Response {
    let records = part.head.encoded + part.records
    let first = ByteBuffer(bytes: records)
    var reply = Reply.bytes(records)
    reply.headers[.varvePosition] = part.head.next.text
    reply.body = ResponseBody { [lease] writer in
      try await writer.write(first)
      if let large = part.large {
        var index = 0
        while index < large.header.blockCount {
          let (records, next) = try await responder.blocks(of: large.id, from: index)
          guard next > index else { throw large.damaged("block \(index) cannot be read") }
          index = next
          try await writer.write(ByteBuffer(bytes: records))
        }
      }
      withExtendedLifetime(lease) {}
      try await writer.finish(nil)
    }
    return reply
  }

  /// `POST …/commits`
  static func take(_ call: Call, _ space: Space) async throws -> Response {
    try call.require(contentType: Reply.sync)
    let isAdmin = (call.principal.role(in: space.name.text) ?? .reader) >= .admin
    var intake = try await space.responder().intake(takesRedactions: isAdmin)
    var byteCount = 0
    for try await buffer in call.request.body {
      byteCount += buffer.readableBytes
      guard byteCount <= call.limits.commitsByteCount else { throw Problem.tooLarge }
      try await intake.add(buffer.readableBytesView)
    }
    return Reply.bytes(try await intake.finish().encoded)
  }

  /// `GET …/live`: announces the place after the last arrival, as server-sent events.
  ///
  /// At most one announcement waits for a subscriber, so a slow one costs nothing.
  static func live(
    _ call: Call,
    _ lease: SpaceLease,
    _ permit: StreamPermit
  ) async throws -> Response {
    try call.allow()
    let heartbeat = Duration.seconds(call.limits.heartbeatSeconds)
    let body = ResponseBody { writer in
      try await announce(lease.space, heartbeat, &writer)
      withExtendedLifetime(permit) {}
      try await writer.finish(nil)
    }
    return Response(
      status: .ok,
      headers: [
        .contentType: "text/event-stream", .cacheControl: "no-store", .buffering: "no",
      ],
      body: body
    )
  }

  /// The time between two looks at the space.
  private static let interval = Duration.milliseconds(100)

  /// Writes the place after the last arrival whenever it has changed, and a comment from time to
  /// time, by which both sides notice a broken connection. Ends when the server stops.
  @concurrent
  private static func announce(
    _ space: Space,
    _ heartbeat: Duration,
    _ writer: inout any ResponseBodyWriter
  ) async throws {
    var told: SpacePosition?
    var deadline = ContinuousClock.now
    while !Task.isShuttingDownGracefully {
      let end = try await space.end()
      let now = ContinuousClock.now
      if end != told {
        try await writer.write(ByteBuffer(string: "event: head\ndata: \(end.text)\n\n"))
        told = end
        deadline = now + heartbeat
      } else if now >= deadline {
        try await writer.write(ByteBuffer(string: ":\n\n"))
        deadline = now + heartbeat
      }
      try await Task.sleep(for: interval)
    }
  }
}
