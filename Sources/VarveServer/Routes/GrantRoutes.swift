#if Server
import Foundation
import Hummingbird
import HummingbirdCore
import VarveCore
import VarveJSON

/// `…/grants`: the roles that the server keeps for subjects of signed tokens.
extension VarveRoutes {
  /// Adds the routes.
  func addGrants(to group: RouterGroup<some RequestContext>) {
    group.get("grants") { request, context in
      await stream(request, context, .admin) { call, lease in try await grants(call, lease.space) }
    }
    group.post("grants") { request, context in
      await stream(request, context, .admin) { call, lease in try await grant(call, lease.space) }
    }
    group.delete("grants") { request, context in
      await stream(request, context, .admin) { call, lease in try await revoke(call, lease.space) }
    }
  }

  private func grants(_ call: Call, _ space: Space) async throws -> Response {
    try call.allow()
    let roles = try await spaces.grants?.roles(in: space.id, named: space.name) ?? []
    return Reply.document(["items": .array(roles.map(\.json))])
  }

  private func grant(_ call: Call, _ space: Space) async throws -> Response {
    try call.allow()
    try call.require(contentType: Reply.json)
    let request = try GrantRequest(body: try await call.body())
    guard let accepted = access.issuer else {
      throw VarveError(
        .invalidArgument,
        "this server accepts no signed tokens",
        at: "space \(space.name.text)",
        remedy: "Make a token with varve token create, or start the server with --jwt-keys."
      )
    }
    guard request.issuer.map({ $0.utf8.elementsEqual(accepted.utf8) }) ?? true else {
      throw VarveError(
        .invalidArgument,
        "this server accepts no tokens of the issuer \"\(request.issuer?.prefix(200) ?? "")\"",
        at: "body, issuer",
        remedy: "It accepts those of \"\(accepted)\"."
      )
    }
    let role = KeptRole(
      holder: KeptRole.Holder(issuer: accepted, subject: request.subject),
      space: space.name,
      id: space.id,
      role: request.role,
      grantor: call.principal.subject,
      time: Date()
    )
    let isNew = try await book.grant(role)
    return Reply.document(role.json, status: isNew ? .created : .ok)
  }

  private func revoke(_ call: Call, _ space: Space) async throws -> Response {
    try call.allow("subject", "issuer")
    // Those of an issuer whose tokens are accepted no longer can be revoked too.
    guard let subject = call.parameter("subject"),
      let issuer = call.parameter("issuer") ?? access.issuer
    else {
      throw VarveError(
        .invalidArgument,
        "the subject or its issuer is missing",
        at: "query",
        remedy: "GET …/grants lists the subjects and their issuers."
      )
    }
    let holder = KeptRole.Holder(issuer: issuer, subject: subject)
    guard let role = try await book.revoke(holder, in: space.id, named: space.name) else {
      throw VarveError(
        .notFound,
        "the space \"\(space.name.text)\" has no grant for this subject",
        at: "query, subject",
        remedy: "GET …/grants lists the subjects and their issuers."
      )
    }
    return Reply.document(role.json)
  }

  private var book: GrantBook {
    get throws {
      if let grants = spaces.grants { return grants }
      throw LentShelf.isNoFolder
    }
  }
}

/// The body of `POST …/grants`.
private struct GrantRequest {
  let subject: String
  let role: Role
  let issuer: String?

  init(body: [UInt8]) throws {
    guard let json = try? JSONReader.read(bytes: body), case .object(let members) = json else {
      throw Self.malformed("the body is no JSON object")
    }
    for name in members.map(\.name) where !["subject", "role", "issuer"].contains(name) {
      throw Self.malformed("there is no member \"\(name.prefix(100))\"")
    }
    guard case .string(let subject)? = json["subject"], !subject.isEmpty,
      subject.utf8.count <= KeptRole.Holder.subjectByteCount
    else {
      throw Self.malformed(
        "subject is a text of up to \(KeptRole.Holder.subjectByteCount) bytes"
      )
    }
    guard case .string(let text)? = json["role"], let role = Role(rawValue: text) else {
      throw Self.malformed("role is reader, writer or admin")
    }
    switch json["issuer"] {
    case nil: issuer = nil
    case .string(let text)?: issuer = text
    default: throw Self.malformed("issuer is a text")
    }
    self.subject = subject
    self.role = role
  }

  private static func malformed(_ what: String) -> VarveError {
    VarveError(
      .invalidArgument,
      what,
      at: "body",
      remedy: "Write {\"subject\": \"ben\", \"role\": \"writer\"}."
    )
  }
}
#endif
