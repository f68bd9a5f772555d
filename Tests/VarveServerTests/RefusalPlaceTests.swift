#if CommandLine && Server
import Foundation
import Testing
import VarveJSON
import VarveServer
import VarveTestSupport

/// A refusal names the part of the request, or the space, that it is about.
@Suite struct RefusalPlaceTests {
  struct Case: CustomTestStringConvertible {
    let method: String
    let path: String
    let place: String
    var headers: [String: String] = [:]
    var body = ""
    var type = "application/json"

    var testDescription: String { "\(method) \(path) \(headers)" }
  }

  private static let operations = "/v1/spaces/hats/operations"

  private static let cases = [
    Case(method: "GET", path: "/v1/nothing", place: "path"),
    Case(method: "GET", path: "/inspector/none.js", place: "path"),
    Case(method: "GET", path: "/v1/spaces/none/log", place: "space none"),
    Case(method: "GET", path: "/v1/spaces/a%20b/log", place: "space a b"),
    Case(method: "GET", path: "/v1/spaces/hats/log?cursor=x", place: "query, cursor"),
    Case(method: "GET", path: "/v1/spaces/hats/commits?after=x", place: "query, after"),
    Case(
      method: "GET",
      path: "/v1",
      place: "header Host",
      headers: ["Host": "evil.example"]
    ),
    Case(
      method: "GET",
      path: "/v1/spaces",
      place: "header Origin",
      headers: ["Origin": "http://evil.example"]
    ),
    Case(
      method: "GET",
      path: "/v1/spaces/hats/log",
      place: "header Varve-Position",
      headers: ["Varve-Position": "x"]
    ),
    Case(
      method: "POST",
      path: operations,
      place: "header Content-Type",
      body: #"{"op":"types"}"#,
      type: "text/plain"
    ),
    Case(
      method: "POST",
      path: operations,
      place: "header Content-Encoding",
      headers: ["Content-Encoding": "br"],
      body: #"{"op":"types"}"#
    ),
    Case(
      method: "POST",
      path: operations,
      place: "line 1, intervals",
      body: #"{"op":"timeline","intervals":200000}"#
    ),
    Case(
      method: "POST",
      path: operations,
      place: "body",
      body: #"{"op":"create","type":"\#(String(repeating: "x", count: 20_000))"}"#
    ),
  ]

  @Test(arguments: cases)
  func `the place of a refusal`(_ refused: Case) async throws {
    var limits = ServerLimits()
    limits.bodyByteCount = 10_000
    try await Served.with(limits: limits) { server in
      try await server.create()
      let reply =
        refused.method == "GET"
        ? try await server.get(refused.path, headers: refused.headers)
        : try await server.send(
          refused.method,
          refused.path,
          refused.body,
          type: refused.type,
          headers: refused.headers
        )
      #expect(reply.status >= 400)
      #expect(try reply.json["at"] == .string(refused.place), "\(reply.text)")
      #expect(try reply.json["remedy"] != .null)
    }
  }

  @Test func `a refused token names its header, and a missing role its space`() async throws {
    let scratch = try Scratch()
    let file = scratch.path("tokens.jsonl")
    let rita = Principal(subject: "rita", grants: ["hats": .reader])
    let reader = try TokenFile.create("rita", for: rita, in: file)
    let operating = Principal(subject: "ops", grants: [:], isOperator: true)
    let ops = try TokenFile.create("ops", for: operating, in: file)
    try await Served.with(.tokens(TokenFile(file)), scratch: scratch) { server in
      func headers(_ token: String) -> [String: String] { ["Authorization": "Bearer \(token)"] }
      let path = "/v1/spaces/hats"
      #expect(try await server.send("PUT", path, "", headers: headers(ops)).status == 201)
      for (reply, place) in [
        (try await server.get("/v1"), "header Authorization"),
        (try await server.get("/v1", headers: headers("none")), "header Authorization"),
        (
          try await server.send("PUT", "/v1/spaces/caps", "", headers: headers(reader)),
          "header Authorization"
        ),
        (try await server.get("/v1/spaces/caps/log", headers: headers(reader)), "space caps"),
        (
          try await server.send("DELETE", "\(path)?id=x", "", headers: headers(reader)),
          "space hats"
        ),
      ] {
        #expect(reply.status >= 400)
        #expect(try reply.json["at"] == .string(place), "\(reply.text)")
      }
    }
  }
}
#endif
