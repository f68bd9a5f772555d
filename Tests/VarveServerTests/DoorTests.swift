#if CommandLine && Server
import Foundation
import Testing
import VarveJSON
import VarveServer
import VarveTestSupport

/// Parts of values, compressed replies, pages of other sites, and quotas.
@Suite struct DoorTests {
  private static let value = "/v1/spaces/hats/entities/h1/values/photo"

  private func withPhoto(
    _ bytes: [UInt8],
    _ body: (Served) async throws -> Void
  ) async throws {
    try await Served.with { server in
      try await server.create()
      let data = Data(bytes).base64EncodedString()
      let photo = #"{"photo":{"data":"\#(data)"},"name":"fedora","size":7}"#
      try await server.run(#"{"op":"create","type":"Hat","id":"h1","set":\#(photo)}"#)
      try await body(server)
    }
  }

  @Test(arguments: [
    ("bytes=0-3", 206, 0..<4, "bytes 0-3/10"), ("bytes=4-", 206, 4..<10, "bytes 4-9/10"),
    ("bytes=-3", 206, 7..<10, "bytes 7-9/10"), ("bytes=8-100", 206, 8..<10, "bytes 8-9/10"),
    ("bytes=-100", 206, 0..<10, "bytes 0-9/10"), ("bytes=0-0", 206, 0..<1, "bytes 0-0/10"),
    ("bytes=10-", 416, 0..<0, "bytes */10"), ("bytes=-0", 416, 0..<0, "bytes */10"),
    ("bytes=5-2", 200, 0..<10, nil), ("bytes=0-1,4-5", 200, 0..<10, nil),
    ("lines=0-1", 200, 0..<10, nil), ("bytes=a-b", 200, 0..<10, nil), ("bytes=", 200, 0..<10, nil),
    ("bytes=0-99999999999999999999", 200, 0..<10, nil),
  ])
  func `a value is sent in parts`(
    range: String,
    status: Int,
    expected: Range<Int>,
    header: String?
  ) async throws {
    let bytes = (0..<10).map { UInt8($0) }
    try await withPhoto(bytes) { server in
      let reply = try await server.get(Self.value, headers: ["Range": range])
      #expect(reply.status == status, "\(reply)")
      #expect(reply.headers["content-range"] == header)
      if status != 416 { #expect(reply.body == Array(bytes[expected])) }
    }
  }

  @Test func `a part of a value that has changed is not mixed with the rest of another`()
    async throws
  {
    try await withPhoto([1, 2, 3]) { server in
      let tag = try #require(try await server.get(Self.value).headers["etag"])
      let headers = ["Range": "bytes=1-", "If-Range": tag]
      #expect(try await server.get(Self.value, headers: headers).status == 206)
      #expect(try await server.get(Self.value, headers: ["If-None-Match": tag]).status == 304)
      try await server.run(#"{"op":"set","id":"h1","set":{"photo":{"data":"BQUFBQ=="}}}"#)
      let changed = try await server.get(Self.value, headers: headers)
      #expect(changed.status == 200)
      #expect(changed.body == [5, 5, 5, 5])
    }
  }

  @Test func `a value is for saving and never a page of this server`() async throws {
    try await withPhoto(Array("<script>alert(1)</script>".utf8)) { server in
      for (key, type) in [("photo", "application/octet-stream"), ("name", "text/plain")] {
        let reply = try await server.get("/v1/spaces/hats/entities/h1/values/\(key)")
        #expect(reply.headers["content-type"]?.hasPrefix(type) == true)
        #expect(reply.headers["content-disposition"] == "attachment")
        #expect(reply.headers["x-content-type-options"] == "nosniff")
      }
      let number = try await server.get("/v1/spaces/hats/entities/h1/values/size")
      #expect(number.status == 409)
      #expect(try await server.get("/v1/spaces/hats/entities/h1/values/none").status == 404)
    }
  }

  @Test func `documents of some size are compressed for those who accept it`() async throws {
    try await Served.with { server in
      try await server.create()
      let lines = (0..<200).map { #"{"op":"create","type":"Hat","id":"h\#($0)"}"# }
      let type = "application/x-ndjson"
      let path = "/v1/spaces/hats/operations"
      _ = try await server.send("POST", path, lines.joined(separator: "\n"), type: type)
      let list = "/v1/spaces/hats/types/Hat?limit=200"
      let plain = try await server.get(list)
      let small = try await server.get(list, headers: ["Accept-Encoding": "br, gzip;q=0.5"])
      #expect(plain.headers["content-encoding"] == nil)
      #expect(small.headers["content-encoding"] == "gzip")
      #expect(small.body.prefix(2) == [0x1F, 0x8B])
      #expect(small.body.count * 4 < plain.body.count)
      // The same state, in other bytes.
      #expect(small.headers["etag"] == plain.headers["etag"].map { "W/\($0)" })
      let tag = ["If-None-Match": small.headers["etag"] ?? ""]
      #expect(try await server.get(list, headers: tag).status == 304)
      let refused = try await server.get(list, headers: ["Accept-Encoding": "gzip;q=0"])
      #expect(refused.headers["content-encoding"] == nil)
      #expect(try await unzipped(small.body) == plain.body)
    }
  }

  private func unzipped(_ bytes: [UInt8]) async throws -> [UInt8] {
    let scratch = try Scratch()
    try Data(bytes).write(to: URL(fileURLWithPath: scratch.path("x.gz")))
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/gzip")
    process.arguments = ["-d", scratch.path("x.gz")]
    try await Served.aside {
      try process.run()
      process.waitUntilExit()
    }
    return Array(try Data(contentsOf: URL(fileURLWithPath: scratch.path("x"))))
  }

  // MARK: Sites

  @Test func `pages of a listed site may call and those of others may not`() async throws {
    let site = "https://app.example"
    let settings = Served.Settings(names: ServerNames(origins: [site]))
    try await Served.with(settings: settings) { server in
      let asked = ["Origin": site, "Access-Control-Request-Method": "POST"]
      let before = try await server.send("OPTIONS", "/v1/spaces/hats/operations", headers: asked)
      #expect(before.status == 204)
      #expect(before.headers["access-control-allow-origin"] == site)
      #expect(before.headers["access-control-allow-headers"]?.contains("Authorization") == true)
      let reply = try await server.get("/v1", headers: ["Origin": site])
      #expect(reply.status == 200)
      #expect(reply.headers["access-control-allow-origin"] == site)
      #expect(reply.headers["vary"]?.contains("Origin") == true)
      for other in [
        "https://evil.example", "null", "https://app.example.evil", "http://app.example",
      ] {
        let asked = ["Origin": other, "Access-Control-Request-Method": "POST"]
        let before = try await server.send("OPTIONS", "/v1/spaces", headers: asked)
        #expect(before.headers["access-control-allow-origin"] == nil)
        let reply = try await server.get("/v1", headers: ["Origin": other])
        #expect(reply.status == 403)
        #expect(reply.headers["access-control-allow-origin"] == nil)
      }
    }
  }

  @Test func `a server behind a proxy is called by the names it was given`() async throws {
    let settings = Served.Settings(names: ServerNames(hosts: ["Hats.Example"]))
    try await Served.with(settings: settings) { server async throws in
      #expect(try await server.get("/v1", headers: ["Host": "hats.example"]).status == 200)
      #expect(try await server.get("/v1", headers: ["Host": "hats.example:443"]).status == 200)
      #expect(try await server.get("/v1", headers: ["Host": "caps.example"]).status == 421)
      for path in ["/metrics", "/openapi.json"] {
        #expect(try await server.get(path, headers: ["Host": "evil.example"]).status == 421)
      }
      // Whoever looks whether the server lives knows only its address.
      #expect(try await server.get("/healthz", headers: ["Host": "10.0.0.1"]).status == 200)
    }
  }

  // MARK: Quotas

  @Test func `whoever asks for more than the quota waits and others do not`() async throws {
    let scratch = try Scratch()
    let file = scratch.path("tokens.jsonl")
    let headers = try ["rita", "ruth"].map { name in
      let principal = Principal(subject: name, grants: ["*": .admin], isOperator: true)
      return ["Authorization": "Bearer \(try TokenFile.create(name, for: principal, in: file))"]
    }
    var settings = Served.Settings()
    settings.quotas.principal.requests = 1
    let access = Access.tokens(TokenFile(file))
    try await Served.with(access, scratch: scratch, settings: settings) { server async throws in
      #expect(try await server.get("/v1", headers: headers[0]).status == 200)
      let refused = try await server.get("/v1", headers: headers[0])
      #expect(refused.status == 429)
      #expect(
        refused.headers["retry-after"].flatMap { Int($0) }.map { (1...60).contains($0) } == true
      )
      #expect(try refused.json["code"] == "overQuota")
      #expect(try await server.get("/v1", headers: headers[1]).status == 200)
    }
  }

  @Test func `a large body is paid for by the next requests of a space`() async throws {
    var settings = Served.Settings()
    settings.quotas.space.bytes = 1_000
    try await Served.with(settings: settings) { server in
      try await server.create()
      try await server.create("caps")
      let text = String(repeating: "x", count: 5_000)
      try await server.run(#"{"op":"create","type":"Hat","set":{"text":"\#(text)"}}"#)
      #expect(try await server.get("/v1/spaces/hats").status == 429)
      #expect(try await server.get("/v1/spaces/caps").status == 200)
    }
  }
}
#endif
