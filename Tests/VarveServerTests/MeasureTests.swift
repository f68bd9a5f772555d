#if CommandLine && Server
import CoreMetrics
import Foundation
import Logging
import Synchronization
import Testing
import VarveServer
import VarveTestSupport

/// What is measured and what is logged.
@Suite struct MeasureTests {
  @Test func `requests are counted by words of the server only`() async throws {
    try await Served.with { server in
      try await server.create()
      for number in 0..<50 {
        _ = try await server.get("/v1/nothing-\(number)")
        _ = try await server.get("/v1/spaces/s\(number)/entities/e\(number)")
      }
      _ = try await server.send("PROPFIND", "/v1/spaces")
      let reply = try await server.get("/metrics")
      #expect(reply.headers["content-type"]?.hasPrefix("text/plain") == true)
      let lines = reply.text.split(separator: "\n").map(String.init)
      let counted = lines.filter { $0.hasPrefix("http_server_requests_total{") }
      #expect(counted.count < 10, "\(counted)")
      let route = #"route="/v1/spaces/{space}/entities/{id}",status="404""#
      #expect(counted.contains { $0.contains(route) && $0.hasSuffix(" 50") }, "\(counted)")
      #expect(lines.contains("varve_open_spaces 1"))
      for line in lines where !line.hasPrefix("#") {
        // A name, labels if there are any, and a number.
        let match = line.wholeMatch(of: /[a-z_]+(\{([a-z_]+="[^"]*",?)+\})? [0-9.e+-]+/)
        #expect(match != nil, "\(line)")
      }
    }
  }

  @Test func `a backend keeps a bounded number of series and escapes what it prints`() {
    let metrics = PrometheusMetrics(seriesLimit: 3)
    for number in 0..<10 {
      metrics.makeCounter(label: "c", dimensions: [("n", "\(number)")]).increment(by: 1)
    }
    #expect(metrics.text().split(separator: "\n").filter { $0.hasPrefix("c{") }.count == 3)
    #expect(metrics.text().contains("metrics_series_refused_total 7"))
    let other = PrometheusMetrics()
    other.makeCounter(label: "a-b", dimensions: [("x", "1\"\n\\")]).increment(by: 2)
    #expect(other.text().contains(#"a_b{x="1\"\n\\"} 2"#))
    let timer = other.makeTimer(label: "t", dimensions: [])
    timer.recordNanoseconds(3_000_000)
    timer.recordNanoseconds(2_000_000_000)
    #expect(other.text().contains(#"t_bucket{le="0.005"} 1"#))
    #expect(other.text().contains(#"t_bucket{le="+Inf"} 2"#))
    #expect(other.text().contains("t_count 2"))
  }

  @Test func `metrics are for operators`() async throws {
    let scratch = try Scratch()
    let file = scratch.path("tokens.jsonl")
    func headers(_ name: String, isOperator: Bool) throws -> [String: String] {
      let principal = Principal(subject: name, grants: ["*": .admin], isOperator: isOperator)
      return ["Authorization": "Bearer \(try TokenFile.create(name, for: principal, in: file))"]
    }
    let (ops, admin) = (try headers("o", isOperator: true), try headers("a", isOperator: false))
    try await Served.with(.tokens(TokenFile(file)), scratch: scratch) { server async throws in
      #expect(try await server.get("/metrics").status == 401)
      #expect(try await server.get("/metrics", headers: admin).status == 403)
      #expect(try await server.get("/metrics", headers: ops).status == 200)
    }
  }

  @Test func `the log names each request and never a token`() async throws {
    let scratch = try Scratch()
    let file = scratch.path("tokens.jsonl")
    let principal = Principal(subject: "rita", grants: ["hats": .reader], isOperator: true)
    let token = try TokenFile.create("rita", for: principal, in: file)
    let wrong = "varve_" + String(repeating: "5", count: 64)
    let lines = Mutex<[String]>([])
    let log = LogLines { line in lines.withLock { $0.append(line) } }
    let settings = Served.Settings(logger: Logger(label: "test") { _ in log })
    let access = Access.tokens(TokenFile(file))
    try await Served.with(access, scratch: scratch, settings: settings) { server in
      let headers = ["Authorization": "Bearer \(token)"]
      let made = try await server.send("PUT", "/v1/spaces/hats", "", headers: headers)
      #expect(made.headers["x-request-id"] != nil)
      for text in [token, wrong] {
        let headers = ["Authorization": "Bearer \(text)"]
        _ = try await server.get("/v1/spaces/hats/log", headers: headers)
        _ = try await server.get("/v1/spaces/hats?token=\(text)", headers: headers)
        _ = try await server.get("/v1/spaces/\(text)", headers: headers)
        _ = try await server.get("/v1/spaces/hats", headers: ["Authorization": text])
        _ = try await server.get(
          "/v1",
          headers: ["Origin": text, "Authorization": "Bearer \(text)"]
        )
        let erase = #"{"op":"erase","ids":["h1"]}"#
        let path = "/v1/spaces/hats/operations"
        _ = try await server.send("POST", path, erase, headers: headers)
      }
      let text = lines.withLock { $0.joined(separator: "\n") }
      #expect(text.contains("subject=rita"))
      #expect(text.contains("status=401"))
      #expect(text.contains("needs the role writer"))
      #expect(text.contains(made.headers["x-request-id"] ?? "-"))
      #expect(!text.contains(token.dropFirst(6)))
      #expect(!text.contains(wrong.dropFirst(6)))
    }
  }

  @Test func `whatever clients give, a request is one line of the log, without values`()
    async throws
  {
    let scratch = try Scratch()
    let file = scratch.path("tokens.jsonl")
    let subject = "rita\nFORGED\u{1B}[2J\u{202E} status=200"
    let principal = Principal(subject: subject, grants: ["*": .admin], isOperator: true)
    let headers = [
      "Authorization": "Bearer \(try TokenFile.create("rita", for: principal, in: file))"
    ]
    let lines = Mutex<[String]>([])
    let log = LogLines { line in lines.withLock { $0.append(line) } }
    let settings = Served.Settings(logger: Logger(label: "test") { _ in log })
    let access = Access.tokens(TokenFile(file))
    try await Served.with(access, scratch: scratch, settings: settings) { server in
      _ = try await server.send("PUT", "/v1/spaces/hats", "", headers: headers)
      let base = "/v1/spaces/hats"
      for path in [
        "\(base)/entities/x%0aFORGED%20line%1b%5B2J%e2%80%ae", "\(base)/entities/x?asOf=%0aFORGED",
        "\(base)/types/x%0aFORGED?where=%7B%22%5CnFORGED%22%3A1%7D", "/v1/spaces/x%0aFORGED",
      ] { _ = try await server.get(path, headers: headers) }
      for operation in [
        #"{"op":"create","type":"Hat","id":"h1","set":{"color":"SECRET-1"}}"#,
        #"{"op":"update","id":"h1","set":{},"expecting":{"color":"SECRET-2"}}"#,
        #"{"op":"set","id":"none\nFORGED","set":{"color":"SECRET-3"}}"#,
        #"{"op":"SECRET-4\nFORGED"}"#, #"{"op":"set","id":"h1","set":"SECRET-5"}"#,
        #"{"op":"sql","sql":"select 'SECRET-6' frm x"}"#,
        #"{"op":"update","id":{"Hat":{"color":"SECRET-7"}},"set":{"size":1}}"#,
        #"{"op":"erase","ids":[{"Hat":{"color":"SECRET-8"}}]}"#,
      ] { _ = try await server.send("POST", "\(base)/operations", operation, headers: headers) }
    }
    let all = lines.withLock { $0 }
    #expect(all.contains { $0.contains("changedMeanwhile") })
    #expect(all.contains { $0.contains(#"subject="rita\nFORGED"#) })
    for line in all {
      #expect(!line.contains("SECRET"), "\(line)")
      let isPlain = line.unicodeScalars.allSatisfy { scalar in
        ![.control, .format].contains(scalar.properties.generalCategory)
      }
      #expect(isPlain, "\(line)")
    }
  }
}
#endif
