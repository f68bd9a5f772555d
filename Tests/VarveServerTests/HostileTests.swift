#if CommandLine && Server
import Foundation
import Testing
import VarveJSON
import VarveServer
import VarveTestSupport

/// Clients that mean harm, or are broken.
@Suite struct HostileTests {
  // MARK: Who may what

  /// A route, with what a role needs for it.
  struct Door: Sendable, CustomTestStringConvertible {
    let method: String
    let path: String
    var body: String?
    var type = "application/json"
    let role: Role

    var testDescription: String { "\(method) \(path)" }
  }

  static let sync = "application/vnd.varve.sync"
  static let doors = [
    Door(method: "GET", path: "", role: .reader),
    Door(method: "GET", path: "/entities/h1", role: .reader),
    Door(method: "GET", path: "/entities/h1/history", role: .reader),
    Door(method: "GET", path: "/entities/h1/values/name", role: .reader),
    Door(method: "GET", path: "/types", role: .reader),
    Door(method: "GET", path: "/types/Hat", role: .reader),
    Door(method: "GET", path: "/log", role: .reader),
    Door(method: "GET", path: "/diff?from=2000-01-01", role: .reader),
    Door(method: "GET", path: "/conflicts", role: .reader),
    Door(method: "GET", path: "/issues", role: .reader),
    Door(method: "GET", path: "/commits?after=x", role: .reader),
    Door(method: "POST", path: "/compare", body: "x", type: sync, role: .reader),
    Door(method: "POST", path: "/want", body: "x", type: sync, role: .reader),
    Door(method: "POST", path: "/commits", body: "x", type: sync, role: .writer),
    Door(method: "POST", path: "/operations", body: #"{"op":"types"}"#, role: .reader),
    Door(
      method: "POST",
      path: "/operations",
      body: #"{"op":"set","id":"h1","set":{"a":1}}"#,
      role: .writer
    ),
    Door(
      method: "POST",
      path: "/operations",
      body: #"{"op":"purge","ids":["none"]}"#,
      role: .admin
    ),
    Door(method: "DELETE", path: "?id=00000000-0000-0000-0000-000000000000", role: .admin),
    Door(method: "GET", path: "/webhooks", role: .admin),
    Door(method: "GET", path: "/backup", role: .admin),
    Door(method: "GET", path: "/grants", role: .admin),
    Door(
      method: "POST",
      path: "/grants",
      body: #"{"subject":"nemo","role":"reader"}"#,
      role: .admin
    ),
    Door(method: "DELETE", path: "/grants?subject=someone", role: .admin),
  ]

  /// From where callers have their roles.
  enum Rights: CaseIterable {
    case ofToken
    case stated
    case kept
  }

  @Test(arguments: Rights.allCases)
  func `every role at every door of its own space and of another`(rights: Rights) async throws {
    let scratch = try Scratch()
    let file = scratch.path("tokens.jsonl")
    let issuer = try await SignedBearer(key: scratch.path("key"))
    func token(_ name: String, _ grants: [String: Role], isOperator: Bool = false) throws
      -> [String: String]
    {
      let principal = Principal(subject: name, grants: grants, isOperator: isOperator)
      return ["Authorization": "Bearer \(try TokenFile.create(name, for: principal, in: file))"]
    }
    func caller(_ name: String, _ grants: [String: Role]) async throws -> [String: String] {
      switch rights {
      case .ofToken: try token(name, grants)
      case .stated: try await issuer.headers(of: name, grants: grants.mapValues(\.rawValue))
      case .kept: try await issuer.headers(of: name)
      }
    }
    let all: [String: Role] = ["hats": .admin, "caps": .admin, "socks": .admin]
    let ops = try token("ops", all, isOperator: true)
    let callers: [(Role?, [String: String])] = [
      (nil, try await caller("stranger", [:])),
      (nil, try await caller("other", ["socks": .admin])),
      (.reader, try await caller("reader", ["hats": .reader])),
      (.writer, try await caller("writer", ["hats": .writer])),
      (.admin, try await caller("admin", ["hats": .admin])),
    ]
    let access = Access.tokensAndSigned(TokenFile(file), issuer.tokens)
    try await Served.with(access, scratch: scratch) { server in
      if rights == .kept {
        for (space, name, role) in [
          ("hats", "reader", "reader"), ("hats", "writer", "writer"), ("hats", "admin", "admin"),
          ("socks", "other", "admin"),
        ] {
          _ = try await server.send("PUT", "/v1/spaces/\(space)", "", headers: ops)
          let body = #"{"subject":"\#(name)","role":"\#(role)"}"#
          let path = "/v1/spaces/\(space)/grants"
          #expect(try await server.send("POST", path, body, headers: ops).status == 201)
        }
      }
      for space in ["hats", "caps"] {
        #expect(
          try await server.send("PUT", "/v1/spaces/\(space)", "", headers: ops).status < 300
        )
        let hat = #"{"op":"create","type":"Hat","id":"h1","set":{"name":"fedora"}}"#
        let path = "/v1/spaces/\(space)/operations"
        #expect(try await server.send("POST", path, hat, headers: ops).status == 200)
      }
      let known = try await server.get("/v1/spaces/hats", headers: ops).json["id"]
      guard case .string(let id)? = known else { throw CocoaError(.coderValueNotFound) }
      func send(_ door: Door, _ space: String, _ given: [String: String]) async throws -> Reply {
        let path = "/v1/spaces/\(space)\(door.path)"
        let headers = given.merging(door.type == Self.sync ? ["Varve-Space": id] : [:]) { $1 }
        return try await server.send(
          door.method,
          path,
          door.body,
          type: door.type,
          headers: headers
        )
      }
      for door in Self.doors {
        let what = "\(door.method) \(door.path) \(door.body ?? "")"
        #expect(try await send(door, "hats", [:]).status == 401, "\(what)")
        for (role, headers) in callers {
          let own = try await send(door, "hats", headers)
          let other = try await send(door, "caps", headers)
          let missing = try await send(door, "none", headers)
          // To those who are no members, a space does not exist.
          #expect(other.status == 404, "\(what)")
          #expect(other.text == missing.text.replacing("none", with: "caps"), "\(what)")
          guard let role else {
            #expect(own.status == 404, "\(what)")
            continue
          }
          if role < door.role {
            #expect(own.status == 403, "\(what) as \(role): \(own)")
            #expect(own.text.contains(door.role.rawValue))
          } else {
            #expect(own.status != 403 && own.status != 401, "\(what) as \(role): \(own)")
            #expect(own.status < 500, "\(what) as \(role): \(own)")
          }
        }
      }
      let stream = try await send(
        Door(method: "GET", path: "/live", role: .reader),
        "caps",
        callers[2].1
      )
      #expect(stream.status == 404)
    }
  }

  // MARK: Malformed

  /// Requests that no server can understand.
  ///
  /// - Parameter space: the id of the space, without which bytes of commits are not looked at.
  fileprivate static func malformed(_ port: Int, _ space: String) -> [String] {
    let host = "Host: 127.0.0.1:\(port)\r\n"
    let named = "\(host)Connection: close\r\nVarve-Space: \(space)\r\n"
    let operations = "POST /v1/spaces/hats/operations HTTP/1.1\r\n\(host)Connection: close\r\n"
    let json = operations + "Content-Type: application/json\r\n"
    return [
      "\r\n\r\n\r\n", "GET\r\n\r\n", "GET /v1\r\n\r\n", "GET /v1 HTTP/9.9\r\n\(host)\r\n",
      "\u{0}\u{1}\u{2}\r\n\r\n", "GET /v1 HTTP/1.1\r\nHost\r\n\r\n",
      "GET /v1 HTTP/1.1\r\n\(host)X: a\u{0}b\r\n\r\n",
      "GET \(String(repeating: "/..", count: 200)) HTTP/1.1\r\n\(host)Connection: close\r\n\r\n",
      "GET /v1/spaces/..%2f..%2fetc HTTP/1.1\r\n\(host)Connection: close\r\n\r\n",
      "GET /v1/spaces/%00 HTTP/1.1\r\n\(host)Connection: close\r\n\r\n",
      "GET /v1/spaces/hats/entities/%ff%fe HTTP/1.1\r\n\(host)Connection: close\r\n\r\n",
      operations + "Content-Length: -5\r\n\r\n", operations + "Content-Length: 99x\r\n\r\n",
      operations + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
      operations + "Transfer-Encoding: chunked\r\n\r\nzz\r\n",
      json + "Content-Length: 2\r\n\r\n[[", json + "Content-Length: 4\r\n\r\nnull",
      json + "Content-Length: 3\r\n\r\n\"\u{0}\"",
      json + "Content-Length: 1000\r\n\r\n" + String(repeating: "[", count: 1_000),
      json + "Content-Length: 12\r\n\r\n{\"op\":\"xxx\"}", json + "Content-Length: 0\r\n\r\n",
      "POST /v1/spaces/hats/commits HTTP/1.1\r\n\(named)"
        + "Content-Type: \(sync)\r\nContent-Length: 9\r\n\r\n\u{7F}\u{7F}\u{7F}\u{7F}\u{7F}abcd",
      "POST /v1/spaces/hats/compare HTTP/1.1\r\n\(host)Connection: close\r\n"
        + "Content-Type: \(sync)\r\nContent-Length: 9\r\n\r\n\u{7F}\u{7F}\u{7F}\u{7F}\u{7F}abcd",
      "POST /v1/spaces/hats/want HTTP/1.1\r\n\(named)"
        + "Content-Type: \(sync)\r\nContent-Length: 9\r\n\r\n\u{7F}\u{7F}\u{7F}\u{7F}\u{7F}abcd",
    ]
  }

  @Test func `malformed requests are refused and the server goes on`() async throws {
    var limits = ServerLimits()
    limits.idleSeconds = 1
    try await Served.with(limits: limits) { server in
      try await server.create()
      for request in Self.malformed(server.port, try await Self.id(of: server)) {
        let bytes = try await server.sendRaw(Array(request.utf8))
        guard !bytes.isEmpty else { continue }
        let reply = try Reply(bytes)
        #expect((400..<500).contains(reply.status), "\(request.prefix(120)): \(reply)")
        #expect(!reply.text.contains("Varve-Space"), "\(request.prefix(120)): \(reply)")
      }
      try await server.run(#"{"op":"create","type":"Hat"}"#)
    }
  }

  /// Returns the id of the space that malformed requests name.
  private static func id(of server: Served) async throws -> String {
    guard case .string(let id)? = try await server.get("/v1/spaces/hats").json["id"] else {
      throw CocoaError(.coderValueNotFound)
    }
    return id
  }

  /// Sends requests from eight connections at a time. Every other client leaves without a look at
  /// the reply.
  static func flood(_ server: Served, _ count: Int) async throws {
    let port = server.port
    let requests = malformed(port, try await id(of: server)).filter {
      $0.contains("Connection: close")
    }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for worker in 0..<8 {
        group.addTask {
          try await Served.aside {
            for number in stride(from: worker, to: count, by: 8) {
              let connection = try RawConnection(port: port)
              connection.write(Array(requests[number % requests.count].utf8))
              if number.isMultiple(of: 2) { _ = connection.readToEnd() }
            }
          }
        }
      }
      try await group.waitForAll()
    }
  }

  @Test func `many malformed requests at once are survived`() async throws {
    var limits = ServerLimits()
    limits.idleSeconds = 1
    try await Served.with(limits: limits) { server in
      try await server.create()
      try await Self.flood(server, 400)
      try await server.run(#"{"op":"create","type":"Hat"}"#)
    }
  }
}
#endif
