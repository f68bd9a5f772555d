#if CommandLine && Server
import Foundation
import Testing
import VarveJSON
import VarveServer
import VarveTestSupport

/// The size of what a request may read.
@Suite struct ResultSizeTests {
  private static let operations = "/v1/spaces/hats/operations"

  /// Calls a body with a server whose replies are small, and a space with much in it: 40 entities
  /// of 10,000 bytes, of which the first was written 40 times.
  private func withMuch(_ body: (Served) async throws -> Void) async throws {
    var limits = ServerLimits()
    limits.resultByteCount = 200_000
    try await Served.with(limits: limits) { server in
      try await server.create()
      let text = String(repeating: "x", count: 10_000)
      let message = String(repeating: "y", count: 1_000)
      let lines = (0..<40).flatMap { number in
        [
          #"{"op":"create","type":"Hat","id":"h\#(number)","set":{"text":"\#(text)"}}"#,
          #"{"op":"relate","from":"shop","kind":"owns","to":"h\#(number)"}"#,
          #"{"op":"set","id":"h0","set":{"text":"\#(text)\#(number)"},"message":"\#(message)"}"#,
        ]
      }
      let all = [#"{"op":"create","type":"Shop","id":"shop"}"#] + lines
      let reply = try await server.send(
        "POST",
        Self.operations,
        all.joined(separator: "\n"),
        type: "application/x-ndjson"
      )
      #expect(!reply.text.contains(#""ok":false"#), "\(reply.text.prefix(500))")
      try await body(server)
    }
  }

  private static let references =
    "[" + (0..<40).map { #""h\#($0)""# }.joined(separator: ",") + "]"

  @Test(arguments: [
    #"{"op":"query","type":"Hat"}"#,
    #"{"op":"read","refs":\#(references),"keys":"all"}"#,
    #"{"op":"history","id":"h0"}"#,
    #"{"op":"diff","from":"2000-01-01"}"#,
    #"{"op":"interchange.export","form":"compact"}"#,
    #"{"op":"sql","sql":"select * from Hat"}"#,
    #"{"op":"transaction","operations":[{"op":"query","type":"Hat","limit":15},"#
      + #"{"op":"query","type":"Hat","limit":15}]}"#,
    #"{"op":"transaction","operations":[{"op":"query","type":"Hat"}]}"#,
  ])
  func `an operation that reads too much is refused with a remedy`(operation: String) async throws {
    try await withMuch { server in
      let reply = try await server.send("POST", Self.operations, operation)
      #expect(reply.status == 400, "\(reply.text.prefix(300))")
      #expect(try reply.json["code"] == "invalidQuery")
      #expect(try reply.json["remedy"] == "Fetch less at a time.")
    }
  }

  @Test(arguments: [
    "/types/Hat?limit=100", "/entities/h0/history?limit=100", "/diff?from=2000-01-01",
  ])
  func `a page that is too large is refused, and a smaller one is not`(path: String) async throws {
    try await withMuch { server in
      let reply = try await server.get("/v1/spaces/hats\(path)")
      #expect(reply.status == 400, "\(reply.text.prefix(300))")
      #expect(try reply.json["code"] == "invalidQuery")
      for less in ["/types/Hat?limit=5", "/entities/h0/history?limit=5", "/log?limit=5"] {
        #expect(try await server.get("/v1/spaces/hats\(less)").status == 200)
      }
    }
  }

  @Test func `what a write reads for itself has no bound, and identifiers need no values`()
    async throws
  {
    try await withMuch { server in
      let ids = try await server.run(#"{"op":"query","type":"Hat","run":"ids"}"#)
      guard case .array(let ids) = ids else { throw CocoaError(.coderInvalidValue) }
      #expect(ids.count == 40)
      #expect(try await server.run(#"{"op":"all","type":"Hat"}"#) == .array(ids))
      let related = try await server.run(#"{"op":"related","id":"shop","kind":"owns"}"#)
      #expect(related == .array(ids))
      try await server.run(#"{"op":"updateAll","type":"Hat","set":{"size":7}}"#)
      let few = #"{"op":"query","type":"Hat","where":{"size":7},"limit":5}"#
      #expect(try await server.run(few) != .null)
      try await server.run(#"{"op":"erase","ids":["shop"]}"#)
      #expect(try await server.run(#"{"op":"count","types":["Hat"]}"#) == [0])
    }
  }
}
#endif
