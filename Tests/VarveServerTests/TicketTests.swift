#if CommandLine && Server
import Foundation
import Testing
import VarveCore
import VarveJSON
import VarveServer
import VarveTestSupport

@Suite struct TicketTests {
  @Test func `a ticket stands for a token once, in a GET request only`() async throws {
    let scratch = try Scratch()
    let path = scratch.path("tokens.jsonl")
    let ben = Principal(subject: "ben", grants: ["hats": .writer], isOperator: true)
    let token = try TokenFile.create("ben", for: ben, in: path)
    try await Served.with(.tokens(TokenFile(path)), scratch: scratch) { server in
      let headers = ["Authorization": "Bearer \(token)"]
      #expect(try await server.send("PUT", "/v1/spaces/hats", "", headers: headers).status == 201)
      #expect(try await server.send("POST", "/v1/tickets", "").status == 401)
      func ticket() async throws -> String {
        let reply = try await server.send("POST", "/v1/tickets", "", headers: headers)
        #expect(reply.status == 201)
        #expect(reply.headers["cache-control"] == "no-store")
        return try #require(string(try reply.json["ticket"]))
      }
      let first = try await ticket()
      let reply = try await server.get("/v1/spaces/hats?ticket=\(first)")
      #expect(try reply.json["role"] == "writer")
      #expect(try await server.get("/v1/spaces/hats?ticket=\(first)").status == 401)
      // It changes nothing, and makes no other ticket.
      let second = try await ticket()
      let operation = #"{"op":"create","type":"Hat"}"#
      let written = try await server.send(
        "POST",
        "/v1/spaces/hats/operations?ticket=\(second)",
        operation
      )
      #expect(written.status == 401)
      #expect(try await server.send("POST", "/v1/tickets?ticket=\(second)", "").status == 401)
      #expect(try await server.get("/v1/spaces/caps?ticket=\(second)").status == 404)
      // The token itself has no place in an address.
      #expect(try await server.get("/v1/spaces/hats?ticket=\(token)").status == 401)
    }
  }

  @Test func `a ticket of an operator stands for the token at the metrics too, once`()
    async throws
  {
    let scratch = try Scratch()
    let path = scratch.path("tokens.jsonl")
    var tokens: [String] = []
    for (name, isOperator) in [("ops", true), ("ben", false)] {
      let principal = Principal(subject: name, grants: ["*": .admin], isOperator: isOperator)
      tokens.append(try TokenFile.create(name, for: principal, in: path))
    }
    try await Served.with(.tokens(TokenFile(path)), scratch: scratch) { server in
      for (token, expected) in zip(tokens, [200, 403]) {
        let headers = ["Authorization": "Bearer \(token)"]
        let reply = try await server.send("POST", "/v1/tickets", "", headers: headers)
        let ticket = try #require(string(try reply.json["ticket"]))
        #expect(try await server.get("/metrics?ticket=\(ticket)").status == expected)
        #expect(try await server.get("/metrics?ticket=\(ticket)").status == 401)
      }
    }
  }

  @Test func `a ticket ends with the token for which it was made`() async throws {
    let scratch = try Scratch()
    let path = scratch.path("tokens.jsonl")
    let ben = Principal(subject: "ben", grants: [:], isOperator: true)
    let token = try TokenFile.create("ben", for: ben, in: path)
    try await Served.with(.tokens(TokenFile(path)), scratch: scratch) { server in
      let headers = ["Authorization": "Bearer \(token)"]
      let reply = try await server.send("POST", "/v1/tickets", "", headers: headers)
      let ticket = try #require(string(try reply.json["ticket"]))
      #expect(try TokenFile.revoke("ben", in: path))
      #expect(try await server.get("/v1/spaces?ticket=\(ticket)").status == 401)
    }
  }
}
#endif
