#if CommandLine && Server
import Foundation
import Testing
import VarveClient
import VarveCore
import VarveJSON
import VarveServer
import VarveTestSupport

/// Roles that the server keeps for subjects of signed tokens.
@Suite struct GrantTests {
  private let scratch: Scratch
  private let tokens: TokenFile
  private let ops: [String: String]
  private let token: String

  private static let grants = "/v1/spaces/hats/grants"
  private static let create = #"{"op":"create","type":"Hat"}"#

  init() throws {
    scratch = try Scratch()
    let file = scratch.path("tokens.jsonl")
    let principal = Principal(subject: "ops", grants: ["*": .admin], isOperator: true)
    token = try TokenFile.create("ops", for: principal, in: file)
    ops = ["Authorization": "Bearer \(token)"]
    tokens = TokenFile(file)
  }

  private func issuer(_ name: String = "https://login.example") async throws -> SignedBearer {
    try await SignedBearer(name, key: scratch.path("key-\(name.dropFirst("https://".count))"))
  }

  private func withServer(
    _ issuer: SignedBearer,
    settings: Served.Settings = Served.Settings(),
    _ body: (Served) async throws -> Void
  ) async throws {
    let access = Access.tokensAndSigned(tokens, issuer.tokens)
    try await Served.with(access, scratch: scratch, settings: settings) { server async throws in
      _ = try await server.send("PUT", "/v1/spaces/hats", "", headers: ops)
      try await body(server)
    }
  }

  /// Grants a role and returns the reply.
  @discardableResult
  private func grant(_ server: Served, _ subject: String, _ role: String) async throws -> Reply {
    let body = #"{"subject":"\#(subject)","role":"\#(role)"}"#
    return try await server.send("POST", Self.grants, body, headers: ops)
  }

  private func revoke(_ server: Served, _ query: String) async throws -> Reply {
    try await server.send("DELETE", "\(Self.grants)?\(query)", headers: ops)
  }

  private func write(_ server: Served, _ headers: [String: String]) async throws -> Int {
    let path = "/v1/spaces/hats/operations"
    return try await server.send("POST", path, Self.create, headers: headers).status
  }

  private func status(_ server: Served, _ headers: [String: String]) async throws -> Int {
    try await server.get("/v1/spaces/hats", headers: headers).status
  }

  // MARK: Roles

  @Test func `a token without grants has the role that an admin granted its subject`()
    async throws
  {
    let issuer = try await issuer()
    let ben = try await issuer.headers(of: "ben")
    try await withServer(issuer) { server async throws in
      #expect(try await status(server, ben) == 404)
      let granted = try await grant(server, "ben", "reader")
      #expect(granted.status == 201)
      #expect(try granted.json["issuer"] == "https://login.example")
      #expect(try granted.json["by"] == "ops")
      #expect(try await status(server, ben) == 200)
      #expect(try await write(server, ben) == 403)
      let list = try await server.get("/v1/spaces", headers: ben).json["items"]
      #expect(list?.text.contains(#""role":"reader""#) == true)
      // Granting again replaces the role, also by a smaller one.
      #expect(try await grant(server, "ben", "writer").status == 200)
      #expect(try await write(server, ben) == 200)
      let log = try await server.get("/v1/spaces/hats/log", headers: ben)
      #expect(log.text.contains(#""author":"ben""#))
      #expect(try await server.get(Self.grants, headers: ben).status == 403)
      #expect(try await grant(server, "ben", "reader").status == 200)
      #expect(try await write(server, ben) == 403)
      let items = try await server.get(Self.grants, headers: ops).json["items"]
      guard case .array(let grants)? = items else { return }
      #expect(grants.map { $0["subject"] } == ["ben"])
      #expect(grants.map { $0["role"] } == ["reader"])
      #expect(try await revoke(server, "subject=ben").status == 200)
      #expect(try await revoke(server, "subject=ben").status == 404)
      #expect(try await status(server, ben) == 404)
      #expect(try await server.get("/v1/spaces", headers: ben).json["items"] == [])
    }
  }

  @Test func `a role is for one space, and is kept when the server starts again`() async throws {
    let issuer = try await issuer()
    let ben = try await issuer.headers(of: "ben")
    try await withServer(issuer) { server async throws in
      _ = try await server.send("PUT", "/v1/spaces/caps", "", headers: ops)
      try await grant(server, "ben", "admin")
      #expect(try await server.get("/v1/spaces/caps", headers: ben).status == 404)
      // An admin by a grant may grant, in their own space only.
      let body = #"{"subject":"eve","role":"admin"}"#
      let own = try await server.send("POST", Self.grants, body, headers: ben)
      #expect(own.status == 201)
      #expect(try own.json["by"] == "ben")
      let other = try await server.send("POST", "/v1/spaces/caps/grants", body, headers: ben)
      #expect(other.status == 404)
    }
    let eve = try await issuer.headers(of: "eve")
    try await withServer(issuer) { server async throws in
      #expect(try await status(server, eve) == 200)
    }
    let attributes = try FileManager.default.attributesOfItem(atPath: scratch.path("grants.jsonl"))
    #expect(attributes[.posixPermissions] as? Int == 0o600)
  }

  @Test func `a copy of a space with another name neither lists nor changes its roles`()
    async throws
  {
    let issuer = try await issuer()
    let ben = try await issuer.headers(of: "ben")
    try await withServer(issuer) { server async throws in
      try await grant(server, "ben", "writer")
      let backup = scratch.path("backup.file")
      try await RemoteSpace("\(server.address)/hats", token: token).backUp(to: backup)
      let copy = try await SpaceDirectory.restore(backup, to: scratch.path, as: "twin")
      let twin = Principal(subject: "tw", grants: ["twin": .admin])
      let secret = try TokenFile.create("tw", for: twin, in: scratch.path("tokens.jsonl"))
      let headers = ["Authorization": "Bearer \(secret)"]
      #expect(try await server.get("/v1/spaces/twin/grants", headers: headers).json["items"] == [])
      let path = "/v1/spaces/twin/grants?subject=ben"
      #expect(try await server.send("DELETE", path, headers: headers).status == 404)
      let ended = try await server.send(
        "DELETE",
        "/v1/spaces/twin?id=\(copy.id)",
        headers: headers
      )
      #expect(ended.status == 200)
      #expect(try await status(server, ben) == 200)
      #expect(try await server.get(Self.grants, headers: ops).text.contains("ben"))
    }
  }

  @Test func `a token whose grants are null has none`() async throws {
    let issuer = try await issuer()
    let ben = try await issuer.headersWithNullGrants(of: "ben")
    try await withServer(issuer) { server async throws in
      try await grant(server, "ben", "admin")
      #expect(try await status(server, ben) == 404)
    }
  }

  @Test func `a changed role is another state of what a space says`() async throws {
    let issuer = try await issuer()
    let ben = try await issuer.headers(of: "ben")
    try await withServer(issuer) { server async throws in
      try await grant(server, "ben", "admin")
      let tag = try await server.get("/v1/spaces/hats", headers: ben).headers["etag"]
      let known = ben.merging(["If-None-Match": try #require(tag)]) { $1 }
      #expect(try await status(server, known) == 304)
      try await grant(server, "ben", "reader")
      #expect(try await status(server, known) == 200)
    }
  }

  @Test func `a token that states grants has those and no others`() async throws {
    let issuer = try await issuer()
    let none = try await issuer.headers(of: "ben", grants: [:])
    let narrow = try await issuer.headers(of: "ben", grants: ["hats": "reader"])
    let unknown = try await issuer.headers(of: "ben", grants: ["hats": "emperor"])
    try await withServer(issuer) { server async throws in
      try await grant(server, "ben", "admin")
      #expect(try await status(server, none) == 404)
      #expect(try await status(server, unknown) == 404)
      #expect(try await status(server, narrow) == 200)
      #expect(try await write(server, narrow) == 403)
    }
  }

  // MARK: Subjects and issuers

  @Test func `the equal subject of another issuer is someone else`() async throws {
    let (first, second) = (
      try await issuer("https://first.example"), try await issuer("https://second.example")
    )
    let (one, two) = (try await first.headers(of: "ben"), try await second.headers(of: "ben"))
    try await withServer(first) { server async throws in
      try await grant(server, "ben", "writer")
      // A token of an issuer that the server does not know is none.
      #expect(try await status(server, two) == 401)
      // Another server of the folder accepts the tokens of the other issuer.
      try await withServer(second) { other async throws in
        #expect(try await status(other, two) == 404)
        #expect(try await status(other, one) == 401)
        #expect(try await grant(other, "ben", "reader").status == 201)
        #expect(try await status(other, two) == 200)
        #expect(try await write(other, two) == 403)
        #expect(try await write(server, one) == 200)
        let list = try await other.get(Self.grants, headers: ops)
        #expect(list.text.contains("first.example"))
        #expect(list.text.contains("second.example"))
        // The grant of an issuer that is accepted no longer can be revoked by its name.
        let query = "subject=ben&issuer=https%3A%2F%2Ffirst.example"
        #expect(try await revoke(other, query).status == 200)
        #expect(try await status(server, one) == 404)
        #expect(try await status(other, two) == 200)
      }
    }
  }

  @Test func `subjects that only look equal are different ones`() async throws {
    let issuer = try await issuer()
    // The same letter, as one scalar and as two.
    let (one, two) = ("ren\u{E9}", "rene\u{301}")
    #expect(one == two)
    let first = try await issuer.headers(of: one)
    let second = try await issuer.headers(of: two)
    try await withServer(issuer) { server async throws in
      try await grant(server, one, "reader")
      #expect(try await status(server, first) == 200)
      #expect(try await status(server, second) == 404)
      #expect(try await revoke(server, "subject=rene%CC%81").status == 404)
      #expect(try await revoke(server, "subject=ren%C3%A9").status == 200)
      #expect(try await status(server, first) == 404)
    }
  }

  @Test(arguments: [
    #"{"subject":"ben","role":"writer","issuer":"https://evil.example"}"#,
    #"{"subject":"ben","role":"emperor"}"#, #"{"subject":"ben"}"#, #"{"role":"writer"}"#,
    #"{"subject":"","role":"writer"}"#, #"{"subject":7,"role":"writer"}"#,
    #"{"subject":"ben","role":"writer","space":"caps"}"#, "[]", "{", "",
    #"{"subject":"ben","role":"writer","issuer":null}"#,
    #"{"subject":"\#(String(repeating: "x", count: 1_001))","role":"writer"}"#,
  ])
  func `a grant to an unknown issuer or in another form is refused`(body: String) async throws {
    try await withServer(try await issuer()) { server async throws in
      let reply = try await server.send("POST", Self.grants, body, headers: ops)
      #expect(reply.status == 400, "\(reply)")
      #expect(try await server.get(Self.grants, headers: ops).json["items"] == [])
    }
  }

  @Test func `a server without signed tokens grants nothing`() async throws {
    try await Served.with(scratch: scratch) { server async throws in
      try await server.create()
      let body = #"{"subject":"ben","role":"writer"}"#
      let refused = try await server.send("POST", Self.grants, body)
      #expect(refused.status == 400)
      #expect(refused.text.contains("--jwt-keys"))
      let form = try await server.send("POST", Self.grants, "a=b", type: "text/plain")
      #expect(form.status == 415)
      #expect(try await server.get(Self.grants).json["items"] == [])
      #expect(try await server.send("DELETE", Self.grants).status == 400)
    }
  }

  // MARK: Ends

  @Test(arguments: ["live", "changes"])
  func `a stream ends when the role of its reader is revoked, and others go on`(
    stream: String
  ) async throws {
    let issuer = try await issuer()
    let (ben, eve) = (try await issuer.headers(of: "ben"), try await issuer.headers(of: "eve"))
    try await withServer(issuer) { server async throws in
      for subject in ["ben", "eve"] { try await grant(server, subject, "reader") }
      let path = "/v1/spaces/hats/\(stream)"
      let (ending, lasting) = (
        try server.open(path, headers: ben), try server.open(path, headers: eve)
      )
      _ = try await Served.aside { (ending.read(until: "\n\n"), lasting.read(until: "\n\n")) }
      #expect(try await revoke(server, "subject=ben").status == 200)
      let rest = try await Served.aside { String(decoding: ending.readToEnd(), as: UTF8.self) }
      #expect(!rest.contains("data:"))
      #expect(try await write(server, ops) == 200)
      let text = try await Served.aside { lasting.read(until: "data:") }
      #expect(text.contains("data:"))
      #expect(try await status(server, ben) == 404)
    }
  }

  @Test func `a ticket of a revoked subject opens nothing`() async throws {
    let issuer = try await issuer()
    let ben = try await issuer.headers(of: "ben")
    try await withServer(issuer) { server async throws in
      try await grant(server, "ben", "reader")
      func ticket() async throws -> String {
        let reply = try await server.send("POST", "/v1/tickets", "", headers: ben)
        guard case .string(let text)? = try reply.json["ticket"] else { throw reply }
        return text
      }
      let (used, late) = (try await ticket(), try await ticket())
      #expect(try await server.get("/v1/spaces/hats?ticket=\(used)").status == 200)
      _ = try await revoke(server, "subject=ben")
      #expect(try await server.get("/v1/spaces/hats?ticket=\(late)").status == 404)
    }
  }

  @Test func `a grant ends with its space, and a new space under the name has none`()
    async throws
  {
    let issuer = try await issuer()
    let ben = try await issuer.headers(of: "ben")
    try await withServer(issuer) { server async throws in
      try await grant(server, "ben", "admin")
      let space = try await server.get("/v1/spaces/hats", headers: ops).json
      guard case .string(let id)? = space["id"] else { return }
      let path = "/v1/spaces/hats"
      #expect(try await server.send("DELETE", "\(path)?id=\(id)", headers: ben).status == 200)
      #expect(try await server.send("PUT", path, "", headers: ops).status == 201)
      #expect(try await status(server, ben) == 404)
      #expect(try await server.get(Self.grants, headers: ops).json["items"] == [])
      #expect(try await write(server, ben) == 404)
    }
    let text = try String(contentsOfFile: scratch.path("grants.jsonl"), encoding: .utf8)
    #expect(text.isEmpty)
  }

  @Test func `a grant is not for another file that got the name of its space`() async throws {
    let issuer = try await issuer()
    let ben = try await issuer.headers(of: "ben")
    try await withServer(issuer) { server async throws in
      _ = try await server.send("PUT", "/v1/spaces/caps", "", headers: ops)
      try await grant(server, "ben", "admin")
    }
    for suffix in ["", "-wal", "-shm"] {
      try? FileManager.default.removeItem(atPath: scratch.path("hats.varve\(suffix)"))
      try? FileManager.default.moveItem(
        atPath: scratch.path("caps.varve\(suffix)"),
        toPath: scratch.path("hats.varve\(suffix)")
      )
    }
    try await withServer(issuer) { server async throws in
      for path in ["", "/live", "/changes", "/backup", "/grants", "/types", "/webhooks"] {
        let reply = try await server.get("/v1/spaces/hats\(path)", headers: ben)
        #expect(reply.status == 404, "\(path)")
      }
      #expect(try await write(server, ben) == 404)
      #expect(try await server.get("/v1/spaces", headers: ben).json["items"] == [])
    }
  }

  // MARK: Quotas and requests

  @Test func `each subject of an issuer has a quota and keys of its own`() async throws {
    let issuer = try await issuer()
    let file = scratch.path("tokens.jsonl")
    let own = Principal(subject: "ben", grants: ["hats": .writer])
    let mine = ["Authorization": "Bearer \(try TokenFile.create("ben", for: own, in: file))"]
    let theirs = try await issuer.headers(of: "ben")
    try await withServer(issuer) { server async throws in
      try await grant(server, "ben", "writer")
      let path = "/v1/spaces/hats/operations"
      for (number, headers) in [mine, theirs].enumerated() {
        let headers = headers.merging(["Idempotency-Key": "1"]) { $1 }
        let create = #"{"op":"create","type":"Hat","id":"hat-\#(number)"}"#
        let reply = try await server.send("POST", path, create, headers: headers)
        #expect(reply.status == 200, "\(reply)")
        #expect(reply.headers["idempotency-replayed"] == nil)
      }
    }
    var settings = Served.Settings()
    settings.quotas.principal.requests = 1
    try await withServer(issuer, settings: settings) { server async throws in
      for headers in [mine, theirs] {
        #expect(try await status(server, headers) == 200)
        #expect(try await status(server, headers) == 429)
      }
    }
  }

  @Test func `only members use the quota of a space`() async throws {
    let issuer = try await issuer()
    let (ben, eve) = (try await issuer.headers(of: "ben"), try await issuer.headers(of: "eve"))
    var settings = Served.Settings()
    settings.quotas.space.requests = 3
    try await withServer(issuer, settings: settings) { server async throws in
      try await grant(server, "ben", "reader")
      for _ in 0..<10 { #expect(try await status(server, eve) == 404) }
      #expect(try await status(server, ben) == 200)
      #expect(try await status(server, ben) == 429)
      #expect(try await status(server, eve) == 404)
    }
  }

  // MARK: Clients

  @Test func `a program grants and lists and revokes`() async throws {
    let issuer = try await issuer()
    let ben = try await issuer.headers(of: "b/e&n=?")
    try await withServer(issuer) { server async throws in
      let space = RemoteSpace("\(server.address)/hats", token: token)
      let grant = try await space.grant("reader", to: "b/e&n=?")
      #expect(try await status(server, ben) == 200)
      #expect(try await space.grants() == [grant])
      #expect(try await space.revokeGrant(of: "b/e&n=?", issuer: issuer.issuer) == grant)
      #expect(try await space.grants().isEmpty)
      #expect(try await status(server, ben) == 404)
      let error = await #expect(throws: VarveError.self) {
        try await space.grant("emperor", to: "ben")
      }
      #expect(error?.code == .invalidArgument)
      let missing = await #expect(throws: VarveError.self) {
        try await space.revokeGrant(of: "nemo")
      }
      #expect(missing?.code == .notFound)
    }
  }

  @Test func `many grants and tokens at once are all kept`() async throws {
    try await withServer(try await issuer()) { server async throws in
      let (file, admin) = (scratch.path("tokens.jsonl"), ops)
      try await withThrowingTaskGroup(of: Void.self) { group in
        for number in 0..<8 {
          group.addTask {
            let body = #"{"subject":"s\#(number)","role":"reader"}"#
            _ = try await server.send("POST", Self.grants, body, headers: admin)
          }
          group.addTask {
            try await Served.aside {
              let principal = Principal(subject: nil, grants: [:])
              _ = try TokenFile.create("t\(number)", for: principal, in: file)
            }
          }
        }
        try await group.waitForAll()
      }
      guard case .array(let grants)? = try await server.get(Self.grants, headers: ops).json["items"]
      else { return }
      #expect(grants.count == 8)
      #expect(try TokenFile.read(file).count == 9)
    }
  }
}
#endif
