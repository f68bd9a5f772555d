#if CommandLine && Server
import Foundation
import Testing
import VarveServer

/// Clients that wait, or never end.
@Suite struct SlowClientTests {
  @Test func `connections without progress are closed`() async throws {
    var limits = ServerLimits()
    limits.idleSeconds = 1
    try await Served.with(limits: limits) { server in
      try await server.create()
      let host = "Host: 127.0.0.1:\(server.port)\r\n"
      let beginnings = [
        "", "GET /v1 HT", "GET /v1 HTTP/1.1\r\nHost: 127",
        "POST /v1/spaces/hats/operations HTTP/1.1\r\n\(host)Content-Type: application/json\r\n"
          + "Content-Length: 100\r\n\r\n{\"op\":",
      ]
      for beginning in beginnings {
        // Ends because the server closes; otherwise the read would wait for half a minute.
        let bytes = try await server.sendRaw(Array(beginning.utf8))
        #expect(!String(decoding: bytes, as: UTF8.self).contains(" 200 "), "\(beginning)")
      }
      #expect(try await server.get("/v1").status == 200)
    }
  }

  @Test func `who asks for much and reads nothing is disconnected`() async throws {
    var limits = ServerLimits()
    limits.idleSeconds = 5
    limits.bodyByteCount = 64 << 20
    try await Served.with(limits: limits) { server in
      try await server.create()
      // More than the buffers of two sockets hold.
      let text = String(repeating: "x", count: 24 << 20)
      try await server.run(#"{"op":"create","type":"Hat","id":"h1","set":{"photo":"\#(text)"}}"#)
      let connections = try (0..<4).map { _ in
        try server.open("/v1/spaces/hats/entities/h1/values/photo")
      }
      var isFreed = false
      for _ in 0..<1_200 where !isFreed {
        // The patience is short for this request too.
        let text = try? await server.get("/metrics").text
        // The only request that is running is this one.
        isFreed = text?.contains("http_server_active_requests 1\n") == true
        try await Task.sleep(for: .milliseconds(100))
      }
      #expect(isFreed)
      withExtendedLifetime(connections) {}
    }
  }

  @Test func `a body beyond the limit ends the request whatever length was announced`()
    async throws
  {
    var limits = ServerLimits()
    limits.bodyByteCount = 100_000
    try await Served.with(limits: limits) { server in
      try await server.create()
      let head =
        "POST /v1/spaces/hats/operations HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\n"
        + "Content-Type: application/json\r\nConnection: close\r\n"
      let chunk = "4000\r\n" + String(repeating: " ", count: 0x4000) + "\r\n"
      let endless =
        head + "Transfer-Encoding: chunked\r\n\r\n" + String(repeating: chunk, count: 20)
      let reply = try Reply(try await server.sendRaw(Array((endless + "0\r\n\r\n").utf8)))
      #expect(reply.status == 413)
      #expect(try await server.get("/v1").status == 200)
    }
  }
}
#endif
