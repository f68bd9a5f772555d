#if CommandLine && Server
import Foundation
import Testing
import VarveJSON
import VarveServer
import VarveTestSupport

/// Callers learn no path of the server.
@Suite struct FileCoverTests {
  @Test(arguments: [
    #"{"op":"sql","sql":"select nope from nothing"}"#, #"{"op":"sql","sql":"delete from Hat"}"#,
    #"{"op":"sql","sql":"select 1; select 2"}"#,
    #"{"op":"attempt","operations":[{"op":"sql","sql":"select nope"}]}"#,
    #"{"op":"transaction","operations":[{"op":"sql","sql":"select nope"}]}"#,
  ])
  func `an error of an operation names the space and not its file`(operation: String) async throws {
    try await Served.with { server in
      try await server.create()
      try await server.run(#"{"op":"create","type":"Hat"}"#)
      let path = "/v1/spaces/hats/operations"
      for type in ["application/json", "application/x-ndjson"] {
        let reply = try await server.send("POST", path, operation, type: type)
        #expect(reply.text.contains(#"space \"hats\""#), "\(reply)")
        #expect(!reply.text.contains(server.scratch.path), "\(reply)")
        #expect(!reply.text.contains("hats.varve"), "\(reply)")
      }
    }
  }

  @Test(arguments: [Data("no store".utf8), Data(count: 100_000)])
  func `an error of a file that is no store names the space and not the file`(
    content: Data
  ) async throws {
    try await Served.with { server in
      try content.write(to: URL(fileURLWithPath: server.scratch.path("broken.varve")))
      for path in ["", "/types", "/backup", "/live", "/changes"] {
        let reply = try await server.get("/v1/spaces/broken\(path)")
        #expect(reply.status >= 400, "\(reply)")
        #expect(!reply.text.contains(server.scratch.path), "\(reply)")
        #expect(!reply.text.contains("broken.varve"), "\(reply)")
      }
    }
  }
}
#endif
