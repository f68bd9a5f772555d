#if CommandLine && Server
import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import Testing
import VarveServer
import VarveTestSupport

@Suite struct TLSTests {
  private let scratch: Scratch
  private let files: TLSFiles

  init() throws {
    scratch = try Scratch()
    files = TLSFiles(certificate: scratch.path("tls.crt"), key: scratch.path("tls.key"))
    try keep(Fixtures.certificate, Fixtures.key)
  }

  private func keep(_ certificate: String, _ key: String) throws {
    try Data(certificate.utf8).write(to: URL(fileURLWithPath: files.certificate))
    try Data(key.utf8).write(to: URL(fileURLWithPath: files.key))
  }

  /// Asks for a path, trusting one certificate only. Returns the version of HTTP and the status.
  private func get(
    _ path: String,
    _ server: Served,
    trusting certificate: String,
    _ version: HTTPClient.Configuration.HTTPVersion = .automatic
  ) async throws -> String {
    var tls = TLSConfiguration.makeClientConfiguration()
    tls.trustRoots = .certificates(
      [try NIOSSLCertificate(bytes: Array(certificate.utf8), format: .pem)]
    )
    var configuration = HTTPClient.Configuration(tlsConfiguration: tls)
    configuration.httpVersion = version
    configuration.connectionPool.retryConnectionEstablishment = false
    let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    let url = "https://localhost:\(server.port)\(path)"
    let result: String
    do {
      let reply = try await client.execute(HTTPClientRequest(url: url), timeout: .seconds(60))
      _ = try await reply.body.collect(upTo: 1 << 20)
      result = "\(reply.version.major).\(reply.version.minor) \(reply.status)"
    } catch {
      result = "refused"
    }
    try await client.shutdown()
    return result
  }

  @Test func `a client speaks HTTP 2 over TLS, or 1 if that is all it can`() async throws {
    try await Served.with(settings: Served.Settings(tls: files)) { server in
      let both = try await get("/v1", server, trusting: Fixtures.certificate)
      #expect(both == "2.0 200 OK")
      let old = try await get("/v1", server, trusting: Fixtures.certificate, .http1Only)
      #expect(old == "1.1 200 OK")
      let stranger = try await get("/v1", server, trusting: Fixtures.otherCertificate)
      #expect(stranger == "refused")
      // Plain HTTP is not understood, and the server goes on.
      _ = try await server.sendRaw(Array("GET /v1 HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8))
      #expect(try await get("/v1", server, trusting: Fixtures.certificate) == "2.0 200 OK")
    }
  }

  @Test(arguments: ["", "\u{16}\u{3}\u{1}"])
  func `a connection whose handshake is not complete in time is closed`(
    start: String
  ) async throws {
    var limits = ServerLimits()
    limits.idleSeconds = 1
    try await Served.with(limits: limits, settings: Served.Settings(tls: files)) { server in
      // Returns once the server closes the connection.
      let begin = ContinuousClock.now
      let reply = try await server.sendRaw(Array(start.utf8))
      #expect(reply.isEmpty)
      // The client gives up after 30 seconds.
      #expect(ContinuousClock.now - begin < .seconds(25))
      #expect(try await get("/v1", server, trusting: Fixtures.certificate) == "2.0 200 OK")
    }
  }

  @Test(arguments: [0, 1])
  func `a connection of HTTP 2 without a request is closed`(requestCount: Int) async throws {
    var limits = ServerLimits()
    limits.idleSeconds = 1
    try await Served.with(limits: limits, settings: Served.Settings(tls: files)) { server in
      var tls = TLSConfiguration.makeClientConfiguration()
      tls.certificateVerification = .none
      tls.applicationProtocols = ["h2"]
      let context = try NIOSSLContext(configuration: tls)
      let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
        .channelInitializer { channel in
          channel.eventLoop.makeCompletedFuture {
            let handler = try NIOSSLClientHandler(context: context, serverHostname: "localhost")
            try channel.pipeline.syncOperations.addHandler(handler)
          }
        }
        .connect(host: "127.0.0.1", port: server.port).get()
      var bytes = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + [0, 0, 0, 4, 0, 0, 0, 0, 0]
      // GET / of the scheme https, by the fixed table of headers, with the end of the stream.
      if requestCount > 0 { bytes += [0, 0, 3, 1, 5, 0, 0, 0, 1, 0x82, 0x84, 0x87] }
      let begin = ContinuousClock.now
      try await channel.writeAndFlush(ByteBuffer(bytes: bytes))
      let timer = channel.eventLoop.scheduleTask(in: .seconds(60)) { channel.close(promise: nil) }
      try await channel.closeFuture.get()
      timer.cancel()
      #expect(ContinuousClock.now - begin < .seconds(55))
    }
  }

  @Test func `a server does not wait for a handshake when it stops`() async throws {
    var silent: RawConnection?
    let clock = ContinuousClock()
    var start = clock.now
    try await Served.with(settings: Served.Settings(tls: files)) { server async throws in
      silent = try RawConnection(port: server.port)
      let reply = try await get("/v1", server, trusting: Fixtures.certificate)
      #expect(reply == "2.0 200 OK")
      start = clock.now
    }
    // The grace period is 30 seconds.
    #expect(clock.now - start < .seconds(20))
    withExtendedLifetime(silent) {}
  }

  @Test func `a certificate that changes is shown without a restart`() async throws {
    try await Served.with(settings: Served.Settings(tls: files)) { server in
      let trusted = Fixtures.otherCertificate
      #expect(try await get("/v1", server, trusting: trusted) == "refused")
      // Half of a change is no pair: the one before stays.
      try keep(Fixtures.otherCertificate, Fixtures.key)
      try await Task.sleep(for: .seconds(3))
      #expect(try await get("/v1", server, trusting: Fixtures.certificate) == "2.0 200 OK")
      try keep(Fixtures.otherCertificate, Fixtures.otherKey)
      var outcome = ""
      for _ in 0..<600 where outcome != "2.0 200 OK" {
        outcome = try await get("/v1", server, trusting: trusted)
        try await Task.sleep(for: .milliseconds(100))
      }
      #expect(outcome == "2.0 200 OK")
    }
  }

  @Test func `a server whose certificate cannot be used does not start`() async throws {
    try keep(Fixtures.certificate, Fixtures.otherKey)
    await #expect(throws: (any Error).self) {
      try await Served.with(settings: Served.Settings(tls: files)) { _ in }
    }
  }
}
#endif
