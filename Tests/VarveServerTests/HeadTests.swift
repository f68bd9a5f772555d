#if CommandLine && Server
import Foundation
import Testing
import VarveJSON
import VarveServer
import VarveTestSupport

/// The heads of requests, and what they make of a connection.
@Suite(.timeLimit(.minutes(2))) struct HeadTests {
  private func reply(_ request: String, of server: Served) async throws -> Reply {
    try Reply(try await server.sendRaw(Array(request.utf8)))
  }

  private func expectRefused(_ request: String, _ status: Int, _ server: Served) async throws {
    let reply = try await reply(request, of: server)
    #expect(reply.status == status, "\(request.prefix(80)): \(reply)")
    #expect(reply.headers["content-type"] == "application/problem+json")
    #expect(reply.headers["connection"] == "close")
    #expect(try reply.json["status"] == .integer(Int64(status)))
    #expect(try reply.json["remedy"] != .null)
  }

  @Test func `a head that is too large is refused by the part that is`() async throws {
    try await Served.with { server in
      let host = "Host: 127.0.0.1:\(server.port)\r\n"
      let long = String(repeating: "x", count: 100_000)
      let some = String(repeating: "x", count: 20_000)
      let many = (0..<200).map { "X-\($0): y\r\n" }.joined()
      try await expectRefused("GET /v1?x=\(long) HTTP/1.1\r\n\(host)\r\n", 414, server)
      try await expectRefused("GET /v1 HTTP/1.1\r\n\(host)X: \(long)\r\n\r\n", 431, server)
      try await expectRefused("GET /v1 HTTP/1.1\r\n\(host)\(many)\r\n", 431, server)
      let two = "X: \(some)\r\nY: \(some)\r\n"
      try await expectRefused("GET /v1 HTTP/1.1\r\n\(host)\(two)\r\n", 431, server)
      let target = "GET /v1?x=\(some) HTTP/1.1\r\n\(host)Connection: close\r\n\r\n"
      #expect(try await reply(target, of: server).status == 414)
      #expect(try await server.get("/v1").status == 200)
    }
  }

  @Test func `a head that means two servers is refused`() async throws {
    try await Served.with { server in
      let own = "127.0.0.1:\(server.port)"
      let host = "Host: \(own)\r\n"
      for head in [
        "GET /v1 HTTP/1.1\r\n\(host)\(host)\r\n",
        "GET /v1 HTTP/1.1\r\n\(host)Host: evil.example\r\n\r\n",
        "GET http://evil.example/v1 HTTP/1.1\r\n\(host)\r\n",
        "GET http://\(own)@evil.example/v1 HTTP/1.1\r\n\(host)\r\n",
        "GET http://\(own)/v1 HTTP/1.1\r\n\r\n",
      ] { try await expectRefused(head, 400, server) }
      for bad in ["\(own)@evil.example", "127.0.0.1:80:80", "[::1", "a b", "127.0.0.1/x", "a:b"] {
        #expect(try await server.get("/v1", headers: ["Host": bad]).status == 400, "\(bad)")
      }
      let absolute = "GET http://\(own)/v1 HTTP/1.1\r\n\(host)Connection: close\r\n\r\n"
      #expect(try await reply(absolute, of: server).status == 200)
    }
  }

  @Test func `a head that cannot be read is refused after the replies to those before it`()
    async throws
  {
    try await Served.with { server in
      let good = "GET /v1 HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\n\r\n"
      let bytes = try await server.sendRaw(Array((good + good + "no head\r\n\r\n" + good).utf8))
      let text = String(decoding: bytes, as: UTF8.self)
      let statuses = text.matches(of: /HTTP\/1\.1 ([0-9]{3})/).map { $0.1 }
      #expect(statuses == ["200", "200", "400"])
    }
  }

  @Test func `a connection closes after a reply unless the client keeps it`() async throws {
    try await Served.with { server in
      let host = "Host: 127.0.0.1:\(server.port)\r\n"
      for head in [
        "GET /v1 HTTP/1.0\r\n\(host)\r\n", "GET /v1 HTTP/1.1\r\n\(host)Connection: Close\r\n\r\n",
        "GET /v1 HTTP/1.1\r\n\(host)Connection: x, close\r\n\r\n",
      ] {
        let reply = try await reply(head, of: server)
        #expect(reply.status == 200)
        #expect(reply.headers["connection"] == "close")
        #expect(reply.headers["transfer-encoding"] == nil)
      }
      let kept = try RawConnection(port: server.port)
      for _ in 0..<2 {
        kept.write(Array("GET /v1 HTTP/1.0\r\n\(host)Connection: keep-alive\r\n\r\n".utf8))
        let text = try await Served.aside { kept.read(until: "}\n") }
        #expect(text.contains(" 200 "))
      }
    }
  }

  @Test func `a body that is announced as too large is refused before it arrives`() async throws {
    var limits = ServerLimits()
    limits.bodyByteCount = 100_000
    limits.commitsByteCount = 200_000
    try await Served.with(limits: limits) { server in
      try await server.create()
      let host = "Host: 127.0.0.1:\(server.port)\r\n"
      for (path, type, count) in [
        ("operations", "application/json", 100_001),
        ("compare", HostileTests.sync, 100_001), ("commits", HostileTests.sync, 200_001),
      ] {
        for expectation in ["", "Expect: 100-continue\r\n"] {
          let head =
            "POST /v1/spaces/hats/\(path) HTTP/1.1\r\n\(host)Content-Type: \(type)\r\n"
            + "Content-Length: \(count)\r\n\(expectation)\r\n"
          try await expectRefused(head, 413, server)
        }
      }
      let line = #"{"op":"create","type":"Hat"}"# + "\n"
      let padded = line + String(repeating: " ", count: 150_000) + "\n"
      let reply = try await server.send(
        "POST",
        "/v1/spaces/hats/operations",
        padded,
        type: "application/x-ndjson"
      )
      #expect(reply.status == 200)
    }
  }

  @Test func `HEAD of a backup makes none, and a connection is kept after it`() async throws {
    try await Served.with { server in
      try await server.create()
      let host = "Host: 127.0.0.1:\(server.port)\r\n"
      let path = "/v1/spaces/hats/backup"
      let connection = try RawConnection(port: server.port)
      connection.write(Array("HEAD \(path) HTTP/1.1\r\n\(host)\r\n".utf8))
      let head = try await Served.aside { connection.read(until: "\r\n\r\n") }
      #expect(head.hasPrefix("HTTP/1.1 200 "))
      #expect(head.contains("application/vnd.varve.store"))
      #expect(!head.lowercased().contains("content-length"))
      connection.write(Array("GET /v1 HTTP/1.1\r\n\(host)Connection: close\r\n\r\n".utf8))
      let next = try await Served.aside { connection.readToEnd() }
      #expect(try Reply(next).status == 200)
      #expect(String(decoding: next, as: UTF8.self).hasPrefix("HTTP/1.1 200 "))
      #expect(try await server.get(path).headers["content-length"] != nil)
    }
  }
}
#endif
