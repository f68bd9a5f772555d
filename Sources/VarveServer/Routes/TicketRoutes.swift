#if Server
import HTTPTypes
import Hummingbird
import HummingbirdCore
import VarveCore
import VarveJSON

extension VarveRoutes {
  /// Adds `POST /v1/tickets` and `POST /v1/enter`.
  func addTickets(to root: RouterGroup<some RequestContext>) {
    root.post("tickets") { request, context in await reply(request, context, makeTicket) }
    root.post("enter") { request, _ in
      do { return try await enter(request) } catch { return Problem.of(error).response }
    }
  }

  /// Returns who sent a request: by a ticket in its query, or as the server's access says.
  func caller(of request: Request) async throws -> Caller {
    guard request.method == .get, let text = Self.ticket(in: request) else {
      return try await Caller { try await principal(of: request) }
    }
    // HEAD comes before the GET that the ticket is for.
    let bearer = await HeadRequest.isCurrent ? tickets.bearer(text) : tickets.use(text)
    switch bearer {
    case .header(let text):
      // The token may have been revoked, or have got other grants.
      var head = request.head
      head.headerFields[.authorization] = text
      let bearing = Request(head: head, body: request.body)
      return try await Caller { try await principal(of: bearing) }
    case .anyone: return try await Caller { .anyone }
    case nil: throw Self.unknownTicket
    }
  }

  /// Returns who sent a request, with the roles that the server keeps for them.
  private func principal(of request: Request) async throws -> Principal {
    var principal = try await access.principal(of: request)
    guard !principal.hasStatedGrants, let holder = principal.holder else { return principal }
    principal.keptRoles = try await spaces.grants?.roles(of: holder) ?? []
    return principal
  }

  private static func ticket(in request: Request) -> String? {
    request.uri.queryParameters.get("ticket")
  }

  private static var unknownTicket: VarveError {
    VarveError(
      .unauthorized,
      "the ticket is unknown, used or too old",
      at: "query, ticket",
      remedy: "POST /v1/tickets makes one, which can be used once within "
        + "\(Tickets.lifetime) seconds."
    )
  }

  private func makeTicket(_ call: Call) async throws -> Response {
    try call.allow()
    let bearer = call.request.headers[.authorization].map { Tickets.Bearer.header($0) }
    let ticket = try await tickets.make(for: bearer ?? .anyone, by: call.principal.account)
    return Reply.document(
      ["ticket": .string(ticket), "seconds": .count(Tickets.lifetime)],
      status: .created
    )
  }

  /// Opens a session for the browser that brings the link's ticket.
  private func enter(_ request: Request) async throws -> Response {
    try names.require(request)
    guard case .linked(let linked) = access else {
      throw Problem(
        .notFound,
        "noSuchRoute",
        "this server has no link",
        at: "path",
        remedy: "Documentation/Server.md describes who may call."
      )
    }
    // Pages of other sites cannot send a body of this type.
    let type = request.headers[.contentType]?.split(separator: ";").first.map { $0.trimmed }
    guard type?.lowercased() == Reply.json else {
      throw Problem(
        .unsupportedMediaType,
        "unsupportedMediaType",
        "the ticket is expected in a JSON document",
        at: "header Content-Type",
        remedy: "Send it as \(Reply.json)."
      )
    }
    let buffer = try await request.body.collect(upTo: Self.enterByteCount)
    let body = try? JSONReader.read(bytes: Array(buffer.readableBytesView))
    guard case .string(let ticket)? = body?["ticket"], let secret = await linked.enter(ticket)
    else {
      throw VarveError(
        .unauthorized,
        "the link was used already, or is not one that this server printed",
        at: "body, ticket",
        remedy: "Start the server again for another link."
      )
    }
    let cookie = "\(linked.cookie)=\(secret); HttpOnly; SameSite=Strict; Path=/"
    return Response(
      status: .noContent,
      headers: [.cacheControl: "no-store", .setCookie: cookie]
    )
  }

  private static let enterByteCount = 1_024
}

/// Who sent a request.
struct Caller: Sendable {
  let principal: Principal
  /// Returns the caller again, and throws if the token has lost its rights meanwhile.
  let review: @Sendable () async throws -> Principal

  init(_ review: @escaping @Sendable () async throws -> Principal) async throws {
    self.review = review
    principal = try await review()
  }
}
#endif
