#if CommandLine && Server
import Foundation
import JWTKit
import Synchronization
import Testing
import VarveCore
import VarveServer
import VarveTestSupport

/// Where the keys of signed tokens are.
@Suite(.timeLimit(.minutes(1))) struct KeyPlaceTests {
  private static let pem = "-----BEGIN PUBLIC KEY-----\nMIIB\n-----END PUBLIC KEY-----\n"

  private func access(_ keys: SignedTokens.Keys) -> Access {
    .signed(SignedTokens(keys, issuer: "https://login.example", audience: "varve"))
  }

  @Test(arguments: [
    nil, "", "no key", "{", #"{"keys":[]}"#, #"{"keys":[{"kty":"oct","k":"c2VjcmV0"}]}"#, pem,
  ])
  func `a server does not start with a file without a key`(content: String?) async throws {
    let scratch = try Scratch()
    let file = scratch.path("keys")
    if let content { try Data(content.utf8).write(to: URL(fileURLWithPath: file)) }
    let error = await #expect(throws: VarveError.self) {
      try await Served.with(access(.file(file)), scratch: scratch) { _ in }
    }
    #expect(error?.place == file)
    #expect(error?.remedy != nil)
    #expect(error?.code == (content == nil ? .notFound : .invalidArgument))
  }

  @Test(arguments: [
    "http://login.example/keys", "ftp://login.example/keys", "https://", "keys",
    "http://127.0.0.1:80@login.example/keys", "https://ben@login.example/keys",
  ])
  func `a server does not start with an address without TLS, or with a user`(url: String) async {
    await expectFailure(.invalidArgument) {
      try await Served.with(access(.url(url))) { _ in }
    }
  }

  @Test func `a server starts although the address of its keys never stops sending`() async throws {
    signal(SIGPIPE, SIG_IGN)
    let socket = try ListeningSocket()
    socket.accept { connection in
      var request = [UInt8](repeating: 0, count: 4_096)
      _ = recv(connection, &request, request.count, 0)
      var reply = Array("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n".utf8)
      while send(connection, reply, reply.count, 0) > 0 {
        reply = [0x20]
        Thread.sleep(forTimeInterval: 0.05)
      }
    }
    try await Served.with(access(.url("http://127.0.0.1:\(socket.port)/keys"))) { server in
      let reply = try await server.get("/healthz")
      #expect(reply.status == 200)
    }
  }

  @Test func `a key file that breaks later is logged, and the previous keys stay`() async throws {
    let scratch = try Scratch()
    let file = scratch.path("keys")
    let issuer = try await SignedBearer(key: file)
    let good = try Data(contentsOf: URL(fileURLWithPath: file))
    let headers = try await issuer.headers(of: "ben", grants: [:])
    let book = LogBook()
    let settings = Served.Settings(logger: book.logger)
    try await Served.with(.signed(issuer.tokens), scratch: scratch, settings: settings) { server in
      #expect(try await server.get("/v1", headers: headers).status == 200)
      try Data("broken".utf8).write(to: URL(fileURLWithPath: file))
      #expect(try await server.get("/v1", headers: headers).status == 200)
      _ = try await book.line(with: "keys of tokens cannot be read")
      try FileManager.default.removeItem(atPath: file)
      #expect(try await server.get("/v1", headers: headers).status == 200)
      try good.write(to: URL(fileURLWithPath: file))
      _ = try await book.line(with: "keys of tokens can be read again")
    }
  }

  @Test func `keys that cannot be fetched at the start are logged and fetched later`() async throws
  {
    let scratch = try Scratch()
    let issuer = try await SignedBearer(key: scratch.path("keys"))
    let content = try Data(contentsOf: URL(fileURLWithPath: scratch.path("keys")))
    let isThere = Mutex(false)
    let tokens = SignedTokens(
      .url("https://login.example/keys"),
      issuer: issuer.issuer,
      audience: "varve",
      now: { SignedBearer.now },
      refetchPause: .zero,
      fetch: { _ in
        guard isThere.withLock({ $0 }) else { throw CocoaError(.fileReadUnknown) }
        return Array(content)
      }
    )
    let headers = try await issuer.headers(of: "ben", grants: [:])
    let book = LogBook()
    let settings = Served.Settings(logger: book.logger)
    try await Served.with(.signed(tokens), settings: settings) { server in
      let line = try await book.line(with: "keys of tokens cannot be read")
      #expect(line.contains("cannot be fetched"))
      #expect(try await server.get("/v1", headers: headers).status == 503)
      isThere.withLock { $0 = true }
      // No request asks for them.
      _ = try await book.line(with: "keys of tokens can be read again")
      #expect(try await server.get("/v1", headers: headers).status == 200)
    }
  }
}
#endif
