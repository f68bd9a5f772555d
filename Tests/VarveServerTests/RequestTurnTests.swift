#if CommandLine && Server
import Foundation
import Testing
import VarveJSON
import VarveServer
import VarveTestSupport

/// The share of the server that one subject has.
@Suite(.timeLimit(.minutes(5))) struct RequestTurnTests {
  private static let operations = "/v1/spaces/hats/operations"
  /// SQL that counts for ever.
  private static let endless = #"""
    {"op":"sql","sql":"with recursive c(x) as (select 1 union all select x + 1 from c) \#
    select count(*) from c"}
    """#

  /// Calls a body with a server of a space, and the headers of two of its writers.
  private func withCallers(
    _ limits: ServerLimits,
    _ body: (Served, _ rita: [String: String], _ ruth: [String: String]) async throws -> Void
  ) async throws {
    let scratch = try Scratch()
    let file = scratch.path("tokens.jsonl")
    let headers = try ["rita", "ruth"].map { name in
      let principal = Principal(subject: name, grants: ["*": .writer], isOperator: true)
      return ["Authorization": "Bearer \(try TokenFile.create(name, for: principal, in: file))"]
    }
    let access = Access.tokens(TokenFile(file))
    try await Served.with(access, limits: limits, scratch: scratch) { server in
      _ = try await server.send("PUT", "/v1/spaces/hats", "", headers: headers[0])
      try await body(server, headers[0], headers[1])
    }
  }

  @Test func `a subject with many endless requests leaves threads to the others`() async throws {
    var limits = ServerLimits()
    limits.requestSeconds = 3_600
    limits.principalRequestCount = 2
    try await withCallers(limits) { server, rita, ruth in
      try await withThrowingTaskGroup(of: Reply?.self) { group in
        for _ in 0..<12 {
          group.addTask {
            try? await server.send("POST", Self.operations, Self.endless, headers: rita)
          }
        }
        // Two run and eight wait.
        for _ in 0..<2 {
          let refused = try #require(try await group.next() ?? nil)
          #expect(refused.status == 429, "\(refused)")
          #expect(try refused.json["code"] == "overQuota")
          #expect(refused.headers["retry-after"] == "1")
        }
        // A line is refused as the others are.
        let line = try await server.send(
          "POST",
          Self.operations,
          Self.endless,
          type: "application/x-ndjson",
          headers: rita
        )
        #expect(try line.json["error"]?["code"] == "overQuota", "\(line)")
        let count = #"{"op":"count","types":["Hat"]}"#
        let other = try await server.send("POST", Self.operations, count, headers: ruth)
        #expect(other.status == 200, "\(other)")
        await server.stop()
        try await group.waitForAll()
      }
    }
  }

  @Test func `requests that wait for a turn are carried out, each of them`() async throws {
    var limits = ServerLimits()
    limits.principalRequestCount = 1
    try await withCallers(limits) { server, rita, _ in
      try await withThrowingTaskGroup(of: Reply.self) { group in
        for number in 0..<5 {
          group.addTask {
            let create = #"{"op":"create","type":"Hat","id":"h\#(number)"}"#
            return try await server.send("POST", Self.operations, create, headers: rita)
          }
        }
        for try await reply in group { #expect(reply.status == 200, "\(reply)") }
      }
      let count = #"{"op":"count","types":["Hat"]}"#
      let reply = try await server.send("POST", Self.operations, count, headers: rita)
      #expect(try reply.json["result"] == [5])
    }
  }

  @Test func `a request whose client leaves while it waits gives its place to another`()
    async throws
  {
    var limits = ServerLimits()
    limits.requestSeconds = 3_600
    limits.principalRequestCount = 1
    try await withCallers(limits) { server, rita, _ in
      let token = try #require(rita["Authorization"])
      let head =
        "POST \(Self.operations) HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\n"
        + "Authorization: \(token)\r\nContent-Type: application/json\r\n"
        + "Content-Length: \(Self.endless.utf8.count)\r\n\r\n"
      for _ in 0..<5 {
        let connection = try RawConnection(port: server.port)
        connection.write(Array((head + Self.endless).utf8))
      }
      let count = #"{"op":"count","types":["Hat"]}"#
      var status = 429
      while status == 429 {
        status = try await server.send("POST", Self.operations, count, headers: rita).status
      }
      #expect(status == 200)
    }
  }

  @Test func `a subject with many tickets leaves some to the others`() async throws {
    try await withCallers(ServerLimits()) { server, rita, ruth in
      var statuses: Set<Int> = []
      for _ in 0..<101 {
        statuses.insert(try await server.send("POST", "/v1/tickets", "", headers: rita).status)
      }
      #expect(statuses == [201, 503])
      #expect(try await server.send("POST", "/v1/tickets", "", headers: ruth).status == 201)
    }
  }
}
#endif
