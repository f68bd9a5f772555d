#if CommandLine && Server
import Foundation
import Synchronization
import Testing
import VarveCore
import VarveJSON
import VarveServer
import VarveTestSupport

@Suite struct TokenTests {
  private let scratch: Scratch
  private let file: String

  init() throws {
    scratch = try Scratch()
    file = scratch.path("tokens.jsonl")
  }

  private func token(
    _ name: String,
    _ grants: [String: Role],
    isOperator: Bool = false,
    expiry: Date? = nil
  ) throws -> [String: String] {
    let principal = Principal(subject: name, grants: grants, isOperator: isOperator)
    let token = try TokenFile.create(name, for: principal, expiry: expiry, in: file)
    return ["Authorization": "Bearer \(token)"]
  }

  private func withServer(
    now: @escaping @Sendable () -> Date = { Date() },
    _ body: (Served) async throws -> Void
  ) async throws {
    try await Served.with(.tokens(TokenFile(file, now: now)), scratch: scratch, body)
  }

  private static let operations = "/v1/spaces/hats/operations"
  private static let create = #"{"op":"create","type":"Hat","id":"hat-1"}"#

  @Test func `without a token that is known nothing is served`() async throws {
    let known = try token("ops", [:], isOperator: true)
    try await withServer { server in
      #expect(try await server.send("PUT", "/v1/spaces/hats", "", headers: known).status == 201)
      for headers in [
        [:], ["Authorization": "Bearer nothing"], ["Authorization": "Basic YTpi"],
        ["Authorization": "Bearer"], ["Authorization": known["Authorization"]! + "0"],
      ] {
        for path in ["/v1", "/v1/spaces", "/v1/spaces/hats", "/v1/spaces/none"] {
          let reply = try await server.get(path, headers: headers)
          #expect(reply.status == 401)
          #expect(reply.headers["www-authenticate"] == "Bearer")
        }
      }
    }
  }

  @Test func `each role may do what it includes, and a refusal says what is missing`()
    async throws
  {
    let ops = try token("ops", [:], isOperator: true)
    let reader = try token("rita", ["hats": .reader])
    let writer = try token("wim", ["hats": .writer])
    let admin = try token("ada", ["*": .admin])
    try await withServer { server in
      #expect(try await server.send("PUT", "/v1/spaces/hats", "", headers: admin).status == 403)
      #expect(try await server.send("PUT", "/v1/spaces/hats", "", headers: ops).status == 201)
      func run(_ operation: String, _ headers: [String: String]) async throws -> Int {
        try await server.send("POST", Self.operations, operation, headers: headers).status
      }
      #expect(try await run(Self.create, reader) == 403)
      #expect(try await run(#"{"op":"types"}"#, reader) == 200)
      #expect(try await run(Self.create, writer) == 200)
      let purge = #"{"op":"purge","ids":["hat-1"]}"#
      let refused = try await server.send("POST", Self.operations, purge, headers: writer)
      #expect(refused.status == 403)
      #expect(refused.text.contains("admin"))
      let attempt = #"{"op":"attempt","operations":[\#(purge)]}"#
      let once = #"{"op":"once","name":"n","operations":[\#(attempt)]}"#
      for hidden in [purge, attempt, once] {
        let operation = #"{"op":"transaction","operations":[\#(hidden)]}"#
        #expect(try await run(operation, writer) == 403)
        #expect(try await run(hidden, writer) == 403)
      }
      #expect(try await run(purge, admin) == 200)
    }
  }

  @Test func `a space is not there for those who are no members`() async throws {
    let ops = try token("ops", ["hats": .admin], isOperator: true)
    let other = try token("otto", ["caps": .admin])
    try await withServer { server in
      _ = try await server.send("PUT", "/v1/spaces/hats", "", headers: ops)
      let there = try await server.get("/v1/spaces/hats", headers: other)
      let missing = try await server.get("/v1/spaces/none", headers: other)
      #expect(there.status == 404)
      #expect(there.text.replacing("hats", with: "none") == missing.text)
      #expect(try await server.get("/v1/spaces", headers: other).json["items"] == [])
      let write = try await server.send("POST", Self.operations, Self.create, headers: other)
      #expect(write.status == 404)
    }
  }

  @Test func `what is written has the token's author, and no other can be named`() async throws {
    let ops = try token("ops", [:], isOperator: true)
    let writer = try token("wim", ["hats": .writer])
    try await withServer { server in
      _ = try await server.send("PUT", "/v1/spaces/hats", "", headers: ops)
      let forged = #"{"op":"create","type":"Hat","author":"ada"}"#
      let refused = try await server.send("POST", Self.operations, forged, headers: writer)
      #expect(refused.status == 403)
      _ = try await server.send("POST", Self.operations, Self.create, headers: writer)
      let log = try await server.get("/v1/spaces/hats/log", headers: writer).json["items"]
      guard case .array(let commits)? = log else { return }
      #expect(commits.map { $0["author"] } == ["wim"])
    }
  }

  @Test func `a token ends at its time and when it is revoked, and a new one works at once`()
    async throws
  {
    let clock = Mutex(Date(timeIntervalSince1970: 1_000))
    let ending = try token("e", ["*": .reader], expiry: Date(timeIntervalSince1970: 2_000))
    let lasting = try token("l", ["*": .reader])
    let now: @Sendable () -> Date = { clock.withLock { $0 } }
    try await withServer(now: now) { server in
      #expect(try await server.get("/v1", headers: ending).status == 200)
      clock.withLock { $0 = Date(timeIntervalSince1970: 2_000) }
      #expect(try await server.get("/v1", headers: ending).status == 401)
      #expect(try await server.get("/v1", headers: lasting).status == 200)
      #expect(try TokenFile.revoke("l", in: file))
      #expect(try await server.get("/v1", headers: lasting).status == 401)
      let new = try token("n", ["*": .reader])
      #expect(try await server.get("/v1", headers: new).status == 200)
    }
  }

  @Test func `a server that was started without tokens notices the first one and its end`()
    async throws
  {
    let access = Access.linked(LinkedAccess(tokens: TokenFile(file)))
    try await Served.with(access, scratch: scratch) { server in
      let unknown = ["Authorization": "Bearer varve_0"]
      for headers in [[:], unknown] {
        #expect(try await server.get("/v1", headers: headers).status == 401)
      }
      let first = try token("first", ["hats": .writer])
      #expect(try await server.get("/v1", headers: first).status == 200)
      #expect(try await server.send("PUT", "/v1/spaces/hats", "", headers: first).status == 403)
      for headers in [[:], unknown] {
        #expect(try await server.get("/v1", headers: headers).status == 401)
      }
      #expect(try TokenFile.revoke("first", in: file))
      #expect(try await server.get("/v1", headers: first).status == 401)
    }
  }

  @Test(.timeLimit(.minutes(1)))
  func `a line of the tokens that cannot be read is logged, and the others count`() async throws {
    let known = try token("l", ["*": .reader])
    let revoked = try token("r", ["*": .reader])
    let lines = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n")
    let book = LogBook()
    let settings = Served.Settings(logger: book.logger)
    let access = Access.tokens(TokenFile(file))
    try await Served.with(access, scratch: scratch, settings: settings) { server in
      for headers in [known, revoked] {
        #expect(try await server.get("/v1", headers: headers).status == 200)
      }
      try Data("{SECRET\n\(lines[0])\n".utf8).write(to: URL(filePath: file))
      #expect(try await server.get("/v1", headers: known).status == 200)
      #expect(try await server.get("/v1", headers: revoked).status == 401)
      let line = try await book.line(with: "tokens cannot be read")
      #expect(line.contains("line 1"))
      #expect(!line.contains("SECRET"))
      try Data("\(lines[0])\n".utf8).write(to: URL(filePath: file))
      _ = try await book.line(with: "tokens can be read again")
    }
  }

  @Test func `a token is revoked although another line cannot be read, which stays`() async throws {
    let leaked = try token("leaked", ["*": .admin])
    let broken = Data([0x7B, 0xFF, 0x0A])
    let before = try Data(contentsOf: URL(filePath: file))
    try (broken + before + broken).write(to: URL(filePath: file))
    #expect(try TokenFile.revoke("leaked", in: file))
    _ = try token("new", ["*": .reader])
    let after = try Data(contentsOf: URL(filePath: file))
    #expect(after.starts(with: broken + broken) && after.count > 2 * broken.count)
    #expect(throws: VarveError.self) { try TokenFile.revoke("may be broken", in: file) }
    let (entries, fault) = try TokenFile.readable(file)
    #expect(entries.map(\.name) == ["new"] && fault?.code == .invalidJSON)
    try await Served.with(.tokens(TokenFile(file)), scratch: scratch) { server async throws in
      #expect(try await server.get("/v1", headers: leaked).status == 401)
    }
  }

  @Test func `a class is registered by an admin only, because it changes the results of all`()
    async throws
  {
    let ops = try token("ops", ["hats": .admin], isOperator: true)
    let writer = try token("wim", ["hats": .writer])
    let register = #"{"op":"registerClass","type":"Hat","class":"Bowler"}"#
    try await withServer { server in
      _ = try await server.send("PUT", "/v1/spaces/hats", "", headers: ops)
      for (headers, status) in [(writer, 403), (ops, 200)] {
        let reply = try await server.send("POST", Self.operations, register, headers: headers)
        #expect(reply.status == status, "\(reply)")
      }
    }
  }

  @Test func `the file keeps no token, and only its owner reads it`() throws {
    let header = try #require(try token("a", [:])["Authorization"])
    let text = try String(contentsOfFile: file, encoding: .utf8)
    #expect(!text.contains(header.dropFirst("Bearer varve_".count)))
    let attributes = try FileManager.default.attributesOfItem(atPath: file)
    #expect(attributes[.posixPermissions] as? Int == 0o600)
    #expect(throws: (any Error).self) { try token("a", [:]) }
  }
}
#endif
