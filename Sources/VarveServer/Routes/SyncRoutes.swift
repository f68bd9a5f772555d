#if Server
import HTTPTypes
import Hummingbird
import HummingbirdCore
import NIOCore
import VarveCore
import VarveStore
import VarveSync

/// Synchronising with a space; see `Documentation/Protocol.md`, "Synchronising over HTTP".
enum SyncRoutes {
  /// `POST …/sealed`
  static func sealed(_ call: Call, _ space: Space) async throws -> Response {
    try call.allow()
    try call.require(contentType: Reply.sync)
    try space.require(isSealed: true)
    let limit = min(call.limits.commitsByteCount, sealedByteCount)
    let buffer = try await call.request.body.collect(upTo: limit)
    call.tally.count(buffer.readableBytes, of: .bytes)
    // Whoever gives a relay its first membership says who its members are.
    let mayBegin = call.principal.role(in: space.name, space.id) == .admin
    return try await call.work.run {
      let reply = try await space.responder().sealed(
        Array(buffer.readableBytesView),
        mayBegin: mayBegin
      )
      try await space.flush()
      return Reply.bytes(reply)
    }
  }

  /// The greatest length of a request about a membership: a log, and room for what goes with it.
  private static let sealedByteCount = 96 << 20

  /// Throws if the space is sealed, and the request does not come from a store of a sealed space.
  private static func requireSealed(_ call: Call, _ space: Space) throws {
    try space.require(isSealed: call.request.headers[.varveSealed]?.trimmed == "1")
  }

  /// `POST …/compare`
  static func compare(_ call: Call, _ space: Space) async throws -> Response {
    try call.allow()
    try call.require(contentType: Reply.sync)
    try requireSealed(call, space)
    let body = try await call.body()
    let request = try Problem.decoding { try CompareRequest(encoded: body) }
    let role = call.principal.role(in: space.name, space.id) ?? .reader
    return try await call.work.run {
      var reply = Reply.bytes(try await space.responder().compare(request).encoded)
      // So a store learns what this space would not take before it writes it.
      reply.headers[.varveRole] = role.rawValue
      return reply
    }
  }

  /// `POST …/want`
  static func want(_ call: Call, _ lease: SpaceLease) async throws -> Response {
    try call.allow()
    try call.require(contentType: Reply.sync)
    let body = try await call.body()
    let request = try Problem.decoding { try WantRequest(encoded: body) }
    try requireSealed(call, lease.space)
    let responder = try lease.space.responder()
    try await require(call, responder)
    let packed = readsPacked(call)
    let part = try await call.work.run { try await responder.part(request, packed: packed) }
    return self.part(part, responder, lease)
  }

  /// `GET …/commits?after=POSITION`
  static func arrivals(_ call: Call, _ lease: SpaceLease) async throws -> Response {
    try call.allow("after")
    try requireSealed(call, lease.space)
    let responder = try lease.space.responder()
    let packed = readsPacked(call)
    guard let text = call.parameter("after"), let hint = SpacePosition(text),
      let part = try await call.work.run({ try await responder.part(after: hint, packed: packed) })
    else {
      throw Problem(
        .conflict,
        "unknownPosition",
        "this space never had the position",
        at: "query, after",
        remedy: "Start again with POST compare."
      )
    }
    return self.part(part, responder, lease)
  }

  /// Throws unless the space is the one that the caller compared with. Another may have got its
  /// name since, and a proxy may deliver a request late.
  private static func require(_ call: Call, _ responder: SpaceResponder) async throws {
    let values = call.request.headers[values: .varveSpace]
    guard values.count == 1, let space = SpaceID(values[0]) else {
      throw VarveError(
        .invalidArgument,
        "the header \(SyncMediaType.spaceHeader) is missing, or is no id of a space",
        at: "header \(SyncMediaType.spaceHeader)",
        remedy: "Send the id of the space that POST compare replied with."
      )
    }
    try await responder.require(space)
  }

  /// Returns whether a client reads packed commits.
  private static func readsPacked(_ call: Call) -> Bool {
    call.request.headers[values: .accept].contains { field in
      field.lowercased().split(separator: ",").contains { type in
        let parts = type.split(separator: ";").map { String($0).trimmed }
        return parts.first == SyncMediaType.text && parts.contains("packed=1")
      }
    }
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
    try call.allow()
    try call.require(contentType: Reply.sync)
    try requireSealed(call, space)
    return try await call.work.run(isLimited: false) { try await taken(call, space) }
  }

  private static func taken(_ call: Call, _ space: Space) async throws -> Response {
    let responder = try space.responder()
    try await require(call, responder)
    var intake = try await responder.intake()
    var byteCount = 0
    for try await buffer in call.request.body {
      byteCount += buffer.readableBytes
      call.tally.count(buffer.readableBytes, of: .bytes)
      guard byteCount <= call.limits.commitsByteCount else { throw Problem.tooLarge }
      try await intake.add(buffer.readableBytesView)
    }
    let answer = try await intake.finish()
    try space.requirePresent()
    call.tally.count(intake.addedCount, of: .commits)
    space.refused.forget(answer.durable)
    space.refused.note(answer.parked, from: call.principal.subject)
    return Reply.bytes(answer.encoded)
  }
}
#endif
