#if Server
import HTTPTypes
import Hummingbird
import HummingbirdCore
import VarveCore
import VarveJSON
import VarveStore

/// The spaces themselves, and the stream of their announcements.
extension VarveRoutes {
  func list(_ call: Call) async throws -> Response {
    try call.allow("cursor", "limit")
    let limit = try call.limit()
    var items: [JSON] = []
    var start = call.parameter("cursor")
    var hasMore = false
    while items.count < limit {
      let part = try await spaces.list(after: start, limit: limit)
      hasMore = part.count == limit
      start = part.last?.name.text
      for listing in part where items.count < limit {
        guard let role = call.principal.role(in: listing.name, listing.id) else { continue }
        start = listing.name.text
        items.append([
          "name": .string(listing.name.text), "id": .string(listing.id.text),
          "role": .string(role.rawValue),
        ])
      }
      if !hasMore { break }
    }
    return Reply.document(["items": .array(items), "next": hasMore ? .optional(start) : .null])
  }

  func describe(_ call: Call, _ space: Space) async throws -> Response {
    try call.allow()
    let role = call.principal.role(in: space.name, space.id)
    return try await Reply.tagged(try await space.tag(for: role), call.request) {
      let end = try await space.end()
      return [
        "name": .string(space.name.text), "id": .string(space.id.text),
        "position": .string(end.text), "commits": .integer(end.position.number),
        "withheld": .count(try await space.store.readableLog().withheldCommits().count),
        "parked": .array(space.refused.all.reversed().map(\.json)),
        "role": .optional(role?.rawValue),
        "author": .optional(call.principal.subject),
        "frontier": try await space.store.frontier().json["frontier"] ?? .null,
      ]
    }
  }

  func create(_ call: Call) async throws -> Response {
    let mustBeNew = call.request.headers[.ifNoneMatch]?.trimmed == "*"
    try call.allow("relay", honouring: mustBeNew ? [.ifNoneMatch] : [])
    let name = try call.spaceName()
    try call.principal.requireOperator()
    let (id, isNew) = try await spaces.create(name, relayOf: try call.sealedSpace())
    guard isNew || !mustBeNew else {
      throw Problem(
        .preconditionFailed,
        VarveError.Code.duplicateIdentifier.rawValue,
        "there is a space \"\(name.text)\" already",
        at: "header If-None-Match",
        remedy: "Choose another name, or leave the header out to use that space."
      )
    }
    return Reply.document(
      ["name": .string(name.text), "id": .string(id.text), "created": .bool(isNew)],
      status: isNew ? .created : .ok
    )
  }

  func end(_ call: Call) async throws -> Response {
    try call.allow("id")
    let name = try call.spaceName()
    try call.principal.requirePossible(.admin, in: name)
    guard let id = call.parameter("id").flatMap({ SpaceID($0) }) else {
      throw VarveError(
        .invalidArgument,
        "the id of the space to end is missing",
        at: "query, id",
        remedy: "GET the space and name its id, so that no other is ended by mistake."
      )
    }
    try call.principal.require(.admin, in: name, id)
    let receipt = try await spaces.end(name, id: id, by: call.principal.subject)
    return Reply.document(receipt.json)
  }

  /// `GET …/live`
  func live(_ call: Call, _ lease: SpaceLease) throws -> Response {
    try call.allow()
    let permit = try permit(for: call)
    let (request, name, id) = (call.request, lease.space.name, lease.space.id)
    let stream = LiveStream(
      lease: lease,
      pulse: pulse,
      expiry: call.principal.expiry,
      hasLeft: call.work.mustAskWhetherLeft ? call.work.hasLeft : nil
    ) {
      try await call.review().require(.reader, in: name, id)
    }
    return Response(
      status: .ok,
      headers: [.contentType: Reply.events, .cacheControl: "no-store", .buffering: "no"],
      body: stream.body(of: request, holding: permit)
    )
  }

  /// Counts a stream of the caller. Throws if there are too many.
  func permit(for call: Call) throws -> StreamPermit {
    guard
      let permit = StreamPermit.take(
        from: streams,
        atMost: limits.streamCount,
        of: call.work.subject,
        atMost: limits.principalStreamCount
      )
    else { throw Self.tooManyStreams }
    return permit
  }
}

extension Call {
  /// Returns the sealed space of which a relay is to be created; nil for an open space.
  fileprivate func sealedSpace() throws -> SpaceID? {
    guard let text = parameter("relay") else { return nil }
    guard let space = SpaceID(text) else {
      throw VarveError(
        .invalidArgument,
        "the id of a sealed space is expected",
        at: "query, relay",
        remedy: "Write the id that a member's store has, or leave it out for an open space."
      )
    }
    return space
  }
}
#endif
