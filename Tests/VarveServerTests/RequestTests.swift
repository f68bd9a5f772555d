import Foundation
import Testing
import VarveJSON
import VarveServer
import VarveTestSupport

@Suite struct RequestTests {
  @Test func `the server says what it accepts`() async throws {
    try await Served.with { server in
      let reply = try await server.get("/v1")
      #expect(reply.status == 200)
      let limits = try #require(try reply.json["limits"])
      #expect(limits["body"] == .count(ServerLimits().bodyByteCount))
      #expect(limits["commits"] == .count(ServerLimits().commitsByteCount))
      #expect(try await server.get("/healthz").status == 200)
      #expect(try await server.get("/readyz").status == 200)
    }
  }

  @Test(arguments: [
    "/inspector/none.js", "/v1/nothing", "/v2", "/v1/spaces/hats/nothing", "/v1/spaces/hats",
  ])
  func `what is not there is a problem document`(path: String) async throws {
    try await Served.with { server in
      let reply = try await server.get(path)
      #expect(reply.status == 404)
      #expect(reply.headers["content-type"] == "application/problem+json")
      #expect(try reply.json["status"] == 404)
      #expect(try string(reply.json["remedy"]) != nil)
    }
  }

  @Test func `a server on loopback replies only to its own names`() async throws {
    try await Served.with { server in
      let foreign = try await server.get("/v1", headers: ["Host": "evil.example:\(server.port)"])
      #expect(foreign.status == 421)
      let local = try await server.get("/v1", headers: ["Host": "localhost:\(server.port)"])
      #expect(local.status == 200)
    }
  }

  @Test func `pages of other sites cannot call the server`() async throws {
    try await Served.with { server in
      try await server.create()
      let origin = ["Origin": "http://evil.example"]
      #expect(try await server.get("/v1/spaces", headers: origin).status == 403)
      let own = ["Origin": "http://127.0.0.1:\(server.port)"]
      #expect(try await server.get("/v1/spaces", headers: own).status == 200)
      // The types of bodies that a page can send without a preflight request.
      for type in ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"] {
        let path = "/v1/spaces/hats/operations"
        let reply = try await server.send("POST", path, #"{"op":"types"}"#, type: type)
        #expect(reply.status == 415)
      }
    }
  }

  @Test func `too much of anything is refused and the server goes on`() async throws {
    var limits = ServerLimits()
    limits.bodyByteCount = 1_000
    limits.commitsByteCount = 1_000
    try await Served.with(limits: limits) { server in
      try await server.create()
      let long = String(repeating: "x", count: 2_000)
      let body = #"{"op":"create","type":"\#(long)"}"#
      #expect(try await server.send("POST", "/v1/spaces/hats/operations", body).status == 413)
      let sync = "application/vnd.varve.sync"
      let commits = try await server.send("POST", "/v1/spaces/hats/commits", long, type: sync)
      #expect([400, 413].contains(commits.status), "\(commits)")
      let path = "/v1/spaces/hats/log?asOf=" + String(repeating: "1", count: 20_000)
      #expect(try await server.get(path).status == 414)
      let headers = ["X-Long": String(repeating: "x", count: 100_000)]
      #expect(try await server.get("/v1", headers: headers).status == 400)
      #expect(try await server.get("/v1").status == 200)
    }
  }

  @Test(arguments: [
    "log?limit=-1", "log?limit=x", "log?cursor=abc", "log?asOf=yesterday", "log?colour=red",
    "log?limit=1&limit=2", "types/Hat?where=%7B", "types/Hat?where=1", "diff", "issues?unique=Hat",
    "types?asOf=%FF", "entities/%FF",
  ])
  func `a parameter that cannot be read is named`(path: String) async throws {
    try await Served.with { server in
      try await server.create()
      let reply = try await server.get("/v1/spaces/hats/\(path)")
      #expect(reply.status == 400, "\(reply)")
      #expect(try string(reply.json["remedy"]) != nil)
    }
  }

  @Test(
    arguments: ["compare", "want", "commits"],
    ["", "x", "\u{1}\u{2}\u{3}\u{4}", "varvevarve"]
  )
  func `bytes that are no synchronisation are the fault of who sent them`(
    route: String,
    body: String
  ) async throws {
    try await Served.with { server in
      try await server.create()
      let type = "application/vnd.varve.sync"
      let reply = try await server.send("POST", "/v1/spaces/hats/\(route)", body, type: type)
      // The beginning of a record is no fault: what did not arrive whole is not added.
      let statuses = route == "commits" ? [200, 400, 422] : [400, 422]
      #expect(statuses.contains(reply.status), "\(reply)")
    }
  }
}
