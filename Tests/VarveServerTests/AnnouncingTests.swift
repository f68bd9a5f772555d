#if CommandLine && Server
import Foundation
import Synchronization
import Testing
import VarveServer
import VarveStore
import VarveTestSupport

@Suite struct AnnouncingTests {
  private static let live = "/v1/spaces/hats/live"
  private static let create = #"{"op":"create","type":"Hat"}"#

  /// Returns the number of arrivals that the last announcement names.
  private static func last(_ text: String) -> Int? {
    let lines = text.split(separator: "\n").filter { $0.hasPrefix("data: ") }
    return lines.last?.split(separator: ".").dropLast().last.flatMap { Int($0) }
  }

  @Test func `every stream hears of what arrives and is silent otherwise`() async throws {
    var limits = ServerLimits()
    limits.heartbeatSeconds = 3_600
    try await Served.with(limits: limits) { server in
      try await server.create()
      let streams = try (0..<40).map { _ in try server.open(Self.live) }
      for stream in streams {
        #expect(try await Served.aside { Self.last(stream.read(until: "\n\n")) } == 0)
      }
      try await server.run(Self.create)
      for stream in streams {
        let text = try await Served.aside { stream.read(until: "\n\n") }
        #expect(Self.last(text) == 1)
        #expect(!text.contains(":\n\n"))
      }
    }
  }

  @Test func `what another process writes is announced too`() async throws {
    try await Served.with { server in
      try await server.create()
      let stream = try server.open(Self.live)
      _ = try await Served.aside { stream.read(until: "\n\n") }
      // Another object on the same file knows nothing of the server's, as another process.
      let store = try await Store.open(server.scratch.path("hats.varve"))
      _ = try await store.create("Hat")
      #expect(try await Served.aside { Self.last(stream.read(until: "\n\n")) } == 1)
      try await store.close()
    }
  }

  @Test func `a stream that does not read gets the newest place and not all of them`()
    async throws
  {
    try await Served.with { server in
      try await server.create()
      let stream = try server.open(Self.live)
      let count = 300
      let lines = String(repeating: Self.create + "\n", count: count)
      let type = "application/x-ndjson"
      _ = try await server.send("POST", "/v1/spaces/hats/operations", lines, type: type)
      let text = try await Served.aside { stream.read(until: ".\(count).") }
      #expect(Self.last(text) == count)
      #expect(text.split(separator: "data: ").count <= count)
    }
  }

  @Test func `a stream ends when its token is revoked`() async throws {
    let scratch = try Scratch()
    let file = scratch.path("tokens.jsonl")
    let principal = Principal(subject: "rita", grants: ["hats": .reader], isOperator: true)
    let token = try TokenFile.create("rita", for: principal, in: file)
    let other = try TokenFile.create("ruth", for: principal, in: file)
    var limits = ServerLimits()
    limits.heartbeatSeconds = 1
    let access = Access.tokens(TokenFile(file))
    try await Served.with(access, limits: limits, scratch: scratch) { server in
      let headers = ["Authorization": "Bearer \(token)"]
      _ = try await server.send("PUT", "/v1/spaces/hats", "", headers: headers)
      let stream = try server.open(Self.live, headers: headers)
      let lasting = try server.open(Self.live, headers: ["Authorization": "Bearer \(other)"])
      _ = try await Served.aside { (stream.read(until: "\n\n"), lasting.read(until: "\n\n")) }
      _ = try TokenFile.revoke("rita", in: file)
      let rest = try await Served.aside { String(decoding: stream.readToEnd(), as: UTF8.self) }
      #expect(!rest.contains("event: head"))
      // The other goes on: a sign of life comes with the look at its rights.
      #expect(try await Served.aside { lasting.read(until: ":\n\n") }.contains(":\n\n"))
    }
  }

  @Test func `a stream ends when its token does`() async throws {
    let scratch = try Scratch()
    let file = scratch.path("tokens.jsonl")
    let clock = Mutex(Date(timeIntervalSince1970: 1_000))
    let principal = Principal(subject: "rita", grants: ["*": .admin], isOperator: true)
    let expiry = Date(timeIntervalSince1970: 2_000)
    let token = try TokenFile.create("rita", for: principal, expiry: expiry, in: file)
    let tokens = TokenFile(file) { clock.withLock { $0 } }
    var limits = ServerLimits()
    limits.heartbeatSeconds = 1
    try await Served.with(.tokens(tokens), limits: limits, scratch: scratch) { server in
      let headers = ["Authorization": "Bearer \(token)"]
      _ = try await server.send("PUT", "/v1/spaces/hats", "", headers: headers)
      let stream = try server.open(Self.live, headers: headers)
      _ = try await Served.aside { stream.read(until: "\n\n") }
      clock.withLock { $0 = expiry }
      _ = try await Served.aside { stream.readToEnd() }
      #expect(try await server.get("/v1", headers: headers).status == 401)
    }
  }

  @Test func `a subject has only so many streams`() async throws {
    let scratch = try Scratch()
    let file = scratch.path("tokens.jsonl")
    let principal = Principal(subject: "rita", grants: ["*": .admin], isOperator: true)
    let token = try TokenFile.create("rita", for: principal, in: file)
    let headers = ["Authorization": "Bearer \(token)"]
    var limits = ServerLimits()
    limits.principalStreamCount = 2
    let access = Access.tokens(TokenFile(file))
    try await Served.with(access, limits: limits, scratch: scratch) { server in
      _ = try await server.send("PUT", "/v1/spaces/hats", "", headers: headers)
      let streams = try (0..<2).map { _ in try server.open(Self.live, headers: headers) }
      for stream in streams { _ = try await Served.aside { stream.read(until: "\n\n") } }
      let third = try await server.get(Self.live, headers: headers)
      #expect(third.status == 503)
      #expect(third.headers["retry-after"] == "5")
      withExtendedLifetime(streams) {}
    }
  }
}
#endif
