#if CommandLine && Server
import Foundation
import Testing
import VarveJSON
import VarveServer
import VarveTestSupport

@Suite struct RequestTests {
  @Test func `a byte order mark before the first operation is ignored, and encodings are refused`()
    async throws
  {
    try await Served.with { server in
      try await server.create()
      let (path, body) = ("/v1/spaces/hats/operations", #"{"op":"create","type":"Hat"}"#)
      for type in ["application/json", "application/x-ndjson"] {
        let reply = try await server.send("POST", path, "\u{FEFF}\(body)", type: type)
        #expect(reply.status == 200)
        #expect(reply.text.contains(#""ok":true"#), "\(reply)")
        for (encoding, status) in [("gzip", 415), ("br", 415), ("identity", 200)] {
          let headers = ["Content-Encoding": encoding]
          let reply = try await server.send("POST", path, body, type: type, headers: headers)
          #expect(reply.status == status)
        }
      }
    }
  }

  @Test func `the frontier of a space names its state as it is written there`() async throws {
    try await Served.with { server in
      try await server.create()
      try await server.run(#"{"op":"create","type":"Hat","id":"a"}"#)
      let frontier = try #require(try await server.get("/v1/spaces/hats").json["frontier"]).text
      try await server.run(#"{"op":"create","type":"Hat","id":"b"}"#)
      let encoded = try #require(
        frontier.addingPercentEncoding(withAllowedCharacters: .alphanumerics)
      )
      let types = try await server.get("/v1/spaces/hats/types?asOf=\(encoded)")
      #expect(try types.json["items"] == [["type": "Hat", "count": 1]], "\(types)")
      let body = #"{"op":"create","type":"Hat","id":"c"}"#
      let reply = try await server.send(
        "POST",
        "/v1/spaces/hats/operations",
        body,
        headers: ["If-Match": frontier]
      )
      #expect(reply.status == 200, "\(reply)")
    }
  }

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
      #expect(try await server.get("/v1", headers: headers).status == 431)
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

  @Test(arguments: [
    "/healthz", "/v1", "/v1/spaces/hats/types", "/v1/nothing", "/", "/v1/spaces/hats/live",
  ])
  func `a reply to HEAD has the headers of GET and no body`(path: String) async throws {
    try await Served.with { server in
      try await server.create()
      let host = "Host: 127.0.0.1:\(server.port)\r\n"
      let requests =
        "HEAD \(path) HTTP/1.1\r\n\(host)\r\n"
        + "GET /healthz HTTP/1.1\r\n\(host)Connection: close\r\n\r\n"
      let text = String(decoding: try await server.sendRaw(Array(requests.utf8)), as: UTF8.self)
      let heads = text.split(separator: "\r\n\r\n", omittingEmptySubsequences: false)
      // Two heads, and the body of the second reply.
      #expect(heads.count == 3, "\(text)")
      #expect(heads.last == "{\"ok\":true}\n")
      if path.hasSuffix("live") { #expect(heads[0].hasPrefix("HTTP/1.1 405")) }
      if path == "/healthz" { #expect(heads[0].lowercased().contains("content-length: 12")) }
    }
  }

  @Test func `HEAD has the tag of a compressed GET, and leaves a ticket for it`() async throws {
    try await Served.with { server in
      try await server.create()
      let text = String(repeating: "hat ", count: 2_000)
      let operation = #"{"op":"create","type":"Hat","id":"h","set":{"text":"\#(text)"}}"#
      #expect(try await server.send("POST", "/v1/spaces/hats/operations", operation).status == 200)
      let made = try await server.send("POST", "/v1/tickets", "")
      guard case .string(let ticket) = try made.json["ticket"] else {
        Issue.record("no ticket: \(made)")
        return
      }
      let path = "/v1/spaces/hats/entities/h?ticket=\(ticket)"
      let zipped = ["Accept-Encoding": "gzip"]
      let head = try await server.send("HEAD", path, headers: zipped)
      let get = try await server.send("GET", path, headers: zipped)
      #expect(head.status == 200 && get.status == 200)
      #expect(head.body.isEmpty && !get.body.isEmpty)
      for name in ["etag", "content-encoding", "content-type", "vary"] {
        #expect(head.headers[name] == get.headers[name], "\(name)")
      }
      #expect(get.headers["content-encoding"] == "gzip")
      #expect(try await server.send("GET", path).status == 401)
      #expect(try await server.send("HEAD", path).status == 401)
    }
  }

  @Test func `a client that waits to be told to send its body is told`() async throws {
    try await Served.with { server in
      try await server.create()
      let operation = #"{"op":"create","type":"Hat"}"#
      let head =
        "POST /v1/spaces/hats/operations HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\n"
        + "Content-Type: application/json\r\nContent-Length: \(operation.utf8.count)\r\n"
        + "Expect: 100-continue\r\nConnection: close\r\n\r\n"
      let connection = try RawConnection(port: server.port)
      connection.write(Array(head.utf8))
      let interim = try await Served.aside { connection.read(until: "\r\n\r\n") }
      #expect(interim == "HTTP/1.1 100 Continue\r\n\r\n")
      connection.write(Array(operation.utf8))
      let reply = try await Served.aside { String(decoding: connection.readToEnd(), as: UTF8.self) }
      #expect(reply.hasPrefix("HTTP/1.1 200"), "\(reply)")
    }
  }

  @Test(arguments: ["zz\r\n", "-1\r\n", "ffffffffffffffffff\r\n", "1e\n{}\n0\n\n"])
  func `a body that is not divided as HTTP says is the fault of who sent it`(
    chunks: String
  ) async throws {
    try await Served.with { server in
      try await server.create()
      let head =
        "POST /v1/spaces/hats/operations HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\n"
        + "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
      let reply = try Reply(try await server.sendRaw(Array((head + chunks).utf8)))
      #expect(reply.status == 400, "\(reply)")
    }
  }
}
#endif
