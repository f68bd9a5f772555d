#if CommandLine && Server
import Foundation
import Testing
import VarveJSON
import VarveServer
import VarveTestSupport

/// `Idempotency-Key` and `If-Match`.
@Suite struct TermsTests {
  private static let operations = "/v1/spaces/hats/operations"

  private func withHat(_ body: (Served) async throws -> Void) async throws {
    try await Served.with { server in
      try await server.create()
      let hat = #"{"op":"create","type":"Hat","id":"h1","set":{"color":"red","size":7}}"#
      try await server.run(hat)
      try await body(server)
    }
  }

  private func size(_ server: Served) async throws -> JSON? {
    try await server.get("/v1/spaces/hats/entities/h1").json["properties"]?["size"]
  }

  private func set(
    _ server: Served,
    _ properties: String,
    _ headers: [String: String]
  ) async throws -> Reply {
    let operation = #"{"op":"set","id":"h1","set":\#(properties)}"#
    return try await server.send("POST", Self.operations, operation, headers: headers)
  }

  @Test func `a repeated request says that its result was too large to be kept`() async throws {
    try await withHat { server in
      // The identifiers of what it creates are its result.
      let creations = Array(repeating: #"{"op":"create","type":"Cap"}"#, count: 2_500)
      let operation =
        #"{"op":"transaction","operations":["# + creations.joined(separator: ",") + "]}"
      let headers = ["Idempotency-Key": "request-1"]
      let first = try await server.send("POST", Self.operations, operation, headers: headers)
      #expect(first.status == 200, "\(first.text.prefix(200))")
      #expect(first.body.count > 70_000)
      let second = try await server.send("POST", Self.operations, operation, headers: headers)
      #expect(second.headers["idempotency-replayed"] == "true")
      #expect(try second.json["result"] == .null)
      #expect(try second.json["resultOmitted"] == true)
    }
  }

  @Test func `a request with a key takes effect once and has one result`() async throws {
    try await withHat { server in
      let operation = #"{"op":"create","type":"Cap"}"#
      let headers = ["Idempotency-Key": "\"request-1\""]
      let first = try await server.send("POST", Self.operations, operation, headers: headers)
      let second = try await server.send("POST", Self.operations, operation, headers: headers)
      #expect(first.status == 200)
      #expect(first.text == second.text)
      #expect(first.headers["idempotency-replayed"] == nil)
      #expect(second.headers["idempotency-replayed"] == "true")
      #expect(try await server.run(#"{"op":"count","types":["Cap"]}"#) == [1])
    }
  }

  @Test func `a key is remembered after the server has stopped`() async throws {
    let scratch = try Scratch()
    let headers = ["Idempotency-Key": "request-1"]
    let operation = #"{"op":"create","type":"Cap"}"#
    let first = try await Served.with(scratch: scratch) { server in
      try await server.create()
      return try await server.send("POST", Self.operations, operation, headers: headers)
    }
    try await Served.with(scratch: scratch) { server in
      let second = try await server.send("POST", Self.operations, operation, headers: headers)
      #expect(first.text == second.text)
      #expect(try await server.run(#"{"op":"count","types":["Cap"]}"#) == [1])
    }
  }

  @Test func `a key belongs to one request and is not used up by one that failed`() async throws {
    try await withHat { server in
      let headers = ["Idempotency-Key": "k"]
      let duplicate = #"{"op":"create","type":"Hat","id":"h1"}"#
      let failed = try await server.send("POST", Self.operations, duplicate, headers: headers)
      #expect(failed.status == 409)
      #expect(try await set(server, #"{"size":8}"#, headers).status == 200)
      let other = try await set(server, #"{"size":9}"#, headers)
      #expect(other.status == 422)
      #expect(try await size(server) == 8)
    }
  }

  @Test func `many requests with one key at once make one entity`() async throws {
    try await withHat { server in
      let operation = #"{"op":"create","type":"Cap"}"#
      let texts = try await withThrowingTaskGroup(of: Reply.self) { group in
        for _ in 0..<8 {
          group.addTask {
            let headers = ["Idempotency-Key": "same"]
            return try await server.send("POST", Self.operations, operation, headers: headers)
          }
        }
        return try await group.reduce(into: Set<String>()) { $0.insert($1.text) }
      }
      #expect(texts.count == 1, "\(texts)")
      #expect(try await server.run(#"{"op":"count","types":["Cap"]}"#) == [1])
    }
  }

  @Test(arguments: ["ETag", "Varve-Position", "frontier"])
  func `a write decided on an older state is refused where it overwrites`(
    name: String
  ) async throws {
    try await withHat { server in
      let reply = try await server.get("/v1/spaces/hats")
      let basis: String
      switch name {
      case "ETag": basis = try #require(reply.headers["etag"])
      case "Varve-Position": basis = "\"\(try #require(string(try reply.json["position"])))\""
      default: basis = #"{"frontier":\#(try #require(try reply.json["frontier"]).text)}"#
      }
      #expect(try await set(server, #"{"size":8}"#, [:]).status == 200)
      // Another property is not what was changed.
      #expect(try await set(server, #"{"color":"blue"}"#, ["If-Match": basis]).status == 200)
      let stale = try await set(server, #"{"size":9}"#, ["If-Match": basis])
      #expect(stale.status == 412, "\(stale)")
      #expect(stale.text.contains("size"))
      let erase = #"{"op":"erase","ids":["h1"]}"#
      let headers = ["If-Match": basis]
      let erased = try await server.send("POST", Self.operations, erase, headers: headers)
      #expect(erased.status == 412)
      #expect(try await size(server) == 8)
      #expect(try await set(server, #"{"size":10}"#, ["If-Match": "*"]).status == 200)
    }
  }

  @Test func `a state that the space never had is refused`() async throws {
    try await withHat { server in
      try await server.create("caps")
      let other = try await server.get("/v1/spaces/caps").headers["etag"]
      let foreign = try await set(server, #"{"size":8}"#, ["If-Match": try #require(other)])
      #expect(foreign.status == 412)
      #expect(try await set(server, #"{"size":8}"#, ["If-Match": "nonsense"]).status == 400)
      #expect(try await size(server) == 7)
    }
  }

  @Test func `a repeated request with both headers has its first result`() async throws {
    try await withHat { server in
      let tag = try #require(try await server.get("/v1/spaces/hats").headers["etag"])
      let headers = ["If-Match": tag, "Idempotency-Key": "k"]
      #expect(try await set(server, #"{"size":8}"#, headers).status == 200)
      let second = try await set(server, #"{"size":8}"#, headers)
      #expect(second.status == 200, "\(second)")
      #expect(second.headers["idempotency-replayed"] == "true")
    }
  }

  @Test func `what cannot be held to terms is refused`() async throws {
    try await withHat { server in
      for headers in [["Idempotency-Key": "k"], ["If-Match": "*", "Idempotency-Key": "k"]] {
        let compact = #"{"op":"compact","before":"2020-01-01"}"#
        let whole = try await server.send("POST", Self.operations, compact, headers: headers)
        #expect(whole.status == 400)
        let lines = try await server.send(
          "POST",
          Self.operations,
          #"{"op":"types"}"# + "\n",
          type: "application/x-ndjson",
          headers: headers
        )
        #expect(lines.status == 400)
      }
      let empty = try await set(server, #"{"size":8}"#, ["Idempotency-Key": ""])
      #expect(empty.status == 400)
    }
  }
}
#endif
