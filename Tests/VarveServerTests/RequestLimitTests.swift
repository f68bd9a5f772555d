#if CommandLine && Server
import Foundation
import Testing
import VarveJSON
import VarveServer
import VarveTestSupport

/// What a request may use of the server.
@Suite(.timeLimit(.minutes(5))) struct RequestLimitTests {
  private static let operations = "/v1/spaces/hats/operations"
  /// SQL that counts for ever.
  private static let endless = sql("with recursive c(x) as (\(counting)) select count(*) from c")
  private static let counting = "select 1 union all select x + 1 from c"

  private static func sql(_ text: String) -> String {
    JSON.object([
      JSON.Member(name: "op", value: "sql"), JSON.Member(name: "sql", value: .string(text)),
    ]).text
  }

  private func isEveryRequestOver(_ server: Served) async throws -> Bool {
    for _ in 0..<600 {
      let text = try await server.get("/metrics").text
      // The only request that is running is this one.
      if text.contains("http_server_active_requests 1\n") { return true }
      try await Task.sleep(for: .milliseconds(100))
    }
    return false
  }

  @Test func `SQL that does not end is ended, and others are served meanwhile`() async throws {
    var limits = ServerLimits()
    limits.requestSeconds = 2
    try await Served.with(limits: limits) { server in
      try await server.create()
      try await server.create("caps")
      let count = ProcessInfo.processInfo.activeProcessorCount + 1
      try await withThrowingTaskGroup(of: Reply.self) { group in
        for _ in 0..<count {
          group.addTask { try await server.send("POST", Self.operations, Self.endless) }
        }
        #expect(try await server.get("/healthz").status == 200)
        try await server.run(#"{"op":"create","type":"Cap"}"#, in: "caps")
        for try await reply in group {
          #expect(reply.status == 503, "\(reply)")
          #expect(try reply.json["code"] == "cancelled")
          #expect(try reply.json["remedy"] != .null)
          #expect(reply.headers["retry-after"] == nil)
        }
      }
      #expect(try await server.run(#"{"op":"count","types":["Hat"]}"#) != .null)
    }
  }

  @Test func `a line that takes too long is an error of its own, and the next lines run`()
    async throws
  {
    var limits = ServerLimits()
    limits.requestSeconds = 1
    try await Served.with(limits: limits) { server in
      try await server.create()
      let lines = Self.endless + "\n" + #"{"op":"create","type":"Hat","id":"h1"}"# + "\n"
      let reply = try await server.send(
        "POST",
        Self.operations,
        lines,
        type: "application/x-ndjson"
      )
      let answers = reply.text.split(separator: "\n")
      #expect(answers.count == 2)
      #expect(answers[0].contains(#""code":"cancelled""#), "\(answers[0])")
      #expect(answers[1].contains(#""ok":true"#))
    }
  }

  @Test func `SQL ends when its client leaves`() async throws {
    var limits = ServerLimits()
    limits.requestSeconds = 3_600
    try await Served.with(limits: limits) { server in
      try await server.create()
      let head =
        "POST \(Self.operations) HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\n"
        + "Content-Type: application/json\r\nContent-Length: \(Self.endless.utf8.count)\r\n\r\n"
      for _ in 0..<4 {
        let connection = try RawConnection(port: server.port)
        connection.write(Array((head + Self.endless).utf8))
      }
      #expect(try await isEveryRequestOver(server))
    }
  }

  @Test func `a server that stops ends SQL`() async throws {
    var limits = ServerLimits()
    limits.requestSeconds = 3_600
    try await Served.with(limits: limits) { server in
      try await server.create()
      async let reply = server.send("POST", Self.operations, Self.endless)
      // The test goes on once the request runs.
      for _ in 0..<600 {
        let text = try await server.get("/metrics").text
        if text.contains("http_server_active_requests 2\n") { break }
        try await Task.sleep(for: .milliseconds(50))
      }
      await server.stop()
      #expect((try? await reply.status) != 200)
    }
  }

  @Test(arguments: [
    "select hex(zeroblob(400000000))",
    "with recursive c(x) as (\(counting)) select x, hex(randomblob(2000)) from c",
    "with recursive c(x) as (\(counting)) select count(*) from "
      + "(select x from c order by randomblob(400), x)",
  ])
  func `SQL with a large result or a need for much memory is refused`(text: String) async throws {
    var limits = ServerLimits()
    limits.queryMemoryByteCount = 64 << 20
    limits.requestSeconds = 300
    try await Served.with(limits: limits) { server in
      try await server.create()
      try await server.run(#"{"op":"create","type":"Hat","id":"h1"}"#)
      let reply = try await server.send("POST", Self.operations, Self.sql(text))
      #expect(reply.status == 400, "\(reply.text.prefix(300))")
      #expect(try reply.json["code"] == "invalidQuery")
      // The space is as it was, for the connection too.
      #expect(try await server.run(Self.sql("select count(*) AS n from Hat")) != .null)
    }
  }
}
#endif
