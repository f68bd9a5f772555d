#if CommandLine && Server
import AsyncHTTPClient
import Foundation
import HTTPTypes
import NIOCore
import NIOHTTP1
import Synchronization
import Testing
import VarveClient
import VarveCore
import VarveJSON
import VarveServer
import VarveStore
import VarveTestSupport

@Suite("Routes in a server of another framework")
struct HostedRoutesTests {
  private let scratch: Scratch
  private let spaces: SpaceDirectory

  init() throws {
    scratch = try Scratch()
    spaces = try SpaceDirectory(scratch.path)
  }

  /// A reply with its whole body.
  private struct Whole {
    let status: Int
    let fields: HTTPFields
    let text: String
  }

  private func send(
    _ routes: HostedRoutes,
    _ method: HTTPRequest.Method,
    _ path: String,
    _ body: String = "",
    type: String = "application/json"
  ) async throws -> Whole {
    var head = HTTPRequest(method: method, scheme: nil, authority: nil, path: path)
    head.headerFields[.contentType] = type
    let parts = AsyncStream<ByteBuffer> { parts in
      for byte in body.utf8 { parts.yield(ByteBuffer(bytes: [byte])) }
      parts.finish()
    }
    let reply = await routes.reply(to: HostedRequest(head, body: parts))
    let bytes = Mutex<[UInt8]>([])
    try await reply.writeBody { part in
      #expect(part.readableBytes > 0)
      bytes.withLock { $0 += part.readableBytesView }
    }
    let all = bytes.withLock { $0 }
    if let count = reply.contentLength, method != .head { #expect(count == all.count) }
    return Whole(
      status: reply.head.status.code,
      fields: reply.head.headerFields,
      text: String(decoding: all, as: UTF8.self)
    )
  }

  @Test(arguments: ["", "/data", "a/b/"])
  func `have every route below a prefix, and nothing beside it`(prefix: String) async throws {
    let routes = HostedRoutes(VarveRoutes(spaces, access: .open), below: prefix)
    let base = prefix.split(separator: "/").map { "/\($0)" }.joined()
    #expect(try await send(routes, .get, base + "/v1").status == 200)
    #expect(try await send(routes, .put, base + "/v1/spaces/hats").status == 201)
    let operations = base + "/v1/spaces/hats/operations"
    let made = try await send(routes, .post, operations, #"{"op":"create","type":"Hat","id":"h"}"#)
    #expect(made.status == 200, "\(made)")
    let lines = "{\"op\":\"count\",\"types\":[\"Hat\"]}\n{\"op\":\"no\"}\n"
    let many = try await send(routes, .post, operations, lines, type: "application/x-ndjson")
    let counted = many.text.split(separator: "\n")
    #expect(counted.count == 2 && counted.first == #"{"ok":true,"result":[1]}"#, "\(many)")
    let whole = try await send(routes, .get, base + "/v1/spaces/hats/entities/h?asOf=2999-01-01")
    #expect(whole.status == 200 && whole.text.contains(#""type":"Hat""#), "\(whole)")
    let head = try await send(routes, .head, base + "/v1/spaces/hats/types")
    #expect(head.status == 200 && head.text.isEmpty)
    #expect(head.fields[.contentLength].flatMap { Int($0) } ?? 0 > 10, "\(head)")
    let wrong = try await send(routes, .patch, base + "/v1/spaces/hats/log")
    #expect(wrong.status == 405 && wrong.text.contains("methodNotAllowed"), "\(wrong)")
    #expect(try await send(routes, .options, base + "/v1/spaces/hats").status == 204)
    for path in [base + "/v2", base + "/", "/other/v1", base + "x/v1", base + "/v1%FF"] {
      let none = try await send(routes, .get, path)
      #expect([400, 404].contains(none.status), "\(path): \(none)")
      #expect(none.text.contains(#""code""#))
    }
  }

  @Test func `hold callers to their tokens and limits`() async throws {
    let tokens = scratch.path("tokens.jsonl")
    let reader = Principal(subject: "eve", grants: ["hats": .reader], isOperator: false)
    let token = try TokenFile.create("eve", for: reader, in: tokens)
    var limits = ServerLimits()
    limits.targetByteCount = 200
    let access = Access.tokens(TokenFile(tokens))
    let routes = HostedRoutes(VarveRoutes(spaces, access: access, limits: limits), below: "/data")
    #expect(try await send(routes, .get, "/data/v1/spaces/hats/types").status == 401)
    let long = "/data/v1/spaces/" + String(repeating: "a", count: 300)
    #expect(try await send(routes, .get, long).status == 414)
    var head = HTTPRequest(
      method: .put,
      scheme: nil,
      authority: nil,
      path: "/data/v1/spaces/hats"
    )
    head.headerFields[.authorization] = "Bearer \(token)"
    let reply = await routes.reply(to: HostedRequest(head, body: AsyncStream { $0.finish() }))
    #expect(reply.head.status.code == 403)
  }

  @Test(.timeLimit(.minutes(5)))
  func `end a stream whose client has left`() async throws {
    var limits = ServerLimits()
    limits.streamCount = 1
    let routes = HostedRoutes(VarveRoutes(spaces, access: .open, limits: limits))
    #expect(try await send(routes, .put, "/v1/spaces/hats").status == 201)
    let head = HTTPRequest(
      method: .get,
      scheme: nil,
      authority: nil,
      path: "/v1/spaces/hats/live"
    )
    for _ in 1...2 {
      let hasLeft = Atomic(false)
      let request = HostedRequest(head, body: AsyncStream<ByteBuffer> { $0.finish() }) {
        hasLeft.load(ordering: .relaxed)
      }
      let reply = await routes.reply(to: request)
      #expect(reply.head.status.code == 200 && reply.contentLength == nil)
      #expect(try await send(routes, .get, "/v1/spaces/hats/live").status == 503)
      try await reply.writeBody { part in
        #expect(String(buffer: part).contains("data:"))
        hasLeft.store(true, ordering: .relaxed)
      }
    }
  }

  @Test(.timeLimit(.minutes(5)))
  func `run by the guide's example as by Hummingbird`() async throws {
    let application = Application()
    var limits = ServerLimits()
    limits.heartbeatSeconds = 1
    application.addVarve(
      HostedRoutes(VarveRoutes(spaces, access: .open, limits: limits), below: "/data")
    )
    try await application.run { port in
      let address = "http://127.0.0.1:\(port)/data/v1/spaces/hats"
      let created = try await HTTPClient.shared.execute(.put(address), timeout: .seconds(60))
      #expect(created.status == .created)
      let (laptop, phone) = (try await Store.open(.inMemory), try await Store.open(.inMemory))
      _ = try await laptop.create(
        "Hat",
        id: "a",
        ["note": .string(String(repeating: "n", count: 300_000))]
      )
      try await laptop.sync(with: RemoteSpace(address))
      let live = Task { try await Replicator(phone, with: RemoteSpace(address)).run() }
      defer { live.cancel() }
      for id in ["a", "b"] as [EntityID] {
        for try await isThere in try await phone.observe(
          ["Hat"],
          { try await $0.entity(id) != nil }
        )
        where isThere { break }
        guard id == "a" else { break }
        _ = try await laptop.create("Hat", id: "b")
        try await laptop.sync(with: RemoteSpace(address))
      }
      #expect(try await phone.require("a")["note"] == laptop.require("a")["note"])
    }
  }

  @Test func `are mounted as the guide says`() throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let read = { (path: String) in
      try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
    }
    let code = try read("Tests/VarveServerTests/OtherFrameworkExample.swift")
      .split(separator: "\n", maxSplits: 2)[2].replacing("#endif\n", with: "")
      .replacing("import NIOHTTP1", with: "import Vapor")
    #expect(try read("Documentation/Server.md").contains("```swift\n\(code)```"))
  }
}

extension HTTPClientRequest {
  fileprivate static func put(_ address: String) -> HTTPClientRequest {
    var request = HTTPClientRequest(url: address)
    request.method = .PUT
    return request
  }
}
#endif
