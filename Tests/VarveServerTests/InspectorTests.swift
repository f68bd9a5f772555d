#if CommandLine && Server
import Foundation
import Testing
import VarveCore
import VarveJSON
import VarveServer
import VarveStore
import VarveTestSupport

/// The inspector as a server: who may enter, what it serves, what it refuses.
@Suite struct InspectorTests {
  /// Runs a body with the inspector of a store that has one hat.
  private func withInspector(
    writing: Bool = false,
    author: String? = nil,
    _ body: (Visitor) async throws -> Void
  ) async throws {
    let store = try await Store.open(.inMemory)
    _ = try await store.create("Hat", id: "hat-1", ["color": "red"])
    var inspector = Inspector(store)
    inspector.name = "hats"
    inspector.permitsWriting = writing
    inspector.author = author
    let running = try await inspector.start()
    do {
      try await body(try Visitor(running.link))
    } catch {
      await running.stop()
      throw error
    }
    await running.stop()
    // The store is the caller's: it stays open.
    _ = try await store.entity("hat-1")
    try await store.close()
  }

  private static let write = #"{"op":"set","id":"hat-1","set":{"color":"blue"}}"#

  @Test func `a link opens one session, and a replayed or guessed ticket none`() async throws {
    try await withInspector { (visitor: Visitor) async throws -> Void in
      #expect(try await visitor.send("GET", "/v1/spaces").status == 401)
      let guessed = String(repeating: "0", count: 64)
      #expect(try await visitor.enter(guessed).status == 401)
      let entered = try await visitor.enter()
      #expect(entered.status == 204)
      let cookie = try #require(entered.headers["set-cookie"])
      #expect(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"))
      #expect(entered.body.isEmpty)
      #expect(try await visitor.enter().status == 401)
      let session = Visitor.cookie(of: entered)
      #expect(try await visitor.send("GET", "/v1/spaces", cookie: session).status == 200)
      let name = try #require(session.split(separator: "=").first)
      let wrong = try await visitor.send("GET", "/v1/spaces", cookie: "\(name)=\(guessed)")
      #expect(wrong.status == 401)
    }
  }

  @Test func `the session of one inspector is none of another`() async throws {
    try await withInspector { (first: Visitor) async throws -> Void in
      let session = Visitor.cookie(of: try await first.enter())
      try await withInspector { (second: Visitor) async throws -> Void in
        #expect(try await second.send("GET", "/v1/spaces", cookie: session).status == 401)
        let other = Visitor.cookie(of: try await second.enter())
        // Browsers send cookies to every port of a computer.
        let both = "\(session); \(other)"
        #expect(try await second.send("GET", "/v1/spaces", cookie: both).status == 200)
        #expect(try await first.send("GET", "/v1/spaces", cookie: both).status == 200)
      }
    }
  }

  @Test func `a ticket in the address opens nothing`() async throws {
    try await withInspector { (visitor: Visitor) async throws -> Void in
      let path = "/v1/enter?ticket=\(visitor.ticket)"
      #expect(try await visitor.send("GET", path).status == 405)
      #expect(try await visitor.send("GET", "/v1/spaces?ticket=\(visitor.ticket)").status == 401)
    }
  }

  @Test(arguments: ["evil.example", "evil.example:80", "127.0.0.1.evil.example", ""])
  func `a page that gave itself another name for this computer is refused`(
    host: String
  ) async throws {
    try await withInspector { (visitor: Visitor) async throws -> Void in
      let session = Visitor.cookie(of: try await visitor.enter())
      for path in ["/", "/inspector/main.js", "/v1/spaces"] {
        let reply = try await visitor.send("GET", path, cookie: session, headers: ["Host": host])
        #expect([400, 421].contains(reply.status), "\(path)")
      }
      let entered = try await visitor.enter(headers: ["Host": host])
      #expect([400, 421].contains(entered.status))
    }
  }

  @Test func `pages of another site may neither enter nor read nor write`() async throws {
    try await withInspector(writing: true) { (visitor: Visitor) async throws -> Void in
      for origin in ["https://evil.example", "null", "http://127.0.0.1:1"] {
        let foreign = ["Origin": origin]
        #expect(try await visitor.enter(headers: foreign).status == 403)
      }
      // A form of another site can send a text, but no JSON.
      let body = #"{"ticket":"\#(visitor.ticket)"}"#
      let plain = ["Content-Type": "text/plain"]
      #expect(try await visitor.send("POST", "/v1/enter", body, headers: plain).status == 415)
      let session = Visitor.cookie(of: try await visitor.enter())
      let foreign = ["Origin": "https://evil.example"]
      let path = "/v1/spaces/hats/operations"
      let read = try await visitor.send("GET", "/v1/spaces", cookie: session, headers: foreign)
      #expect(read.status == 403)
      let written = try await visitor.send(
        "POST",
        path,
        Self.write,
        cookie: session,
        headers: foreign
      )
      #expect(written.status == 403)
    }
  }

  @Test(arguments: [
    #"{"op":"set","id":"hat-1","set":{"color":"blue"}}"#, #"{"op":"erase","ids":["hat-1"]}"#,
    #"{"op":"transaction","operations":[{"op":"erase","ids":["hat-1"]}],"dryRun":true}"#,
    #"{"op":"undo","commit":"0000"}"#, #"{"op":"settle","id":"hat-1","key":"color","version":0}"#,
    #"{"op":"purge","ids":["hat-1"]}"#, #"{"op":"rebuild"}"#,
  ])
  func `an inspector that was not asked to write refuses every write`(
    operation: String
  ) async throws {
    try await withInspector { (visitor: Visitor) async throws -> Void in
      let session = Visitor.cookie(of: try await visitor.enter())
      let path = "/v1/spaces/hats/operations"
      let reply = try await visitor.send("POST", path, operation, cookie: session)
      #expect(reply.status == 403 && reply.text.contains("inspect STORE --write"), "\(reply)")
      let commits = try await visitor.send("POST", "/v1/spaces/hats/commits", "", cookie: session)
      #expect(commits.status == 403)
      #expect(try await visitor.send("DELETE", "/v1/spaces/hats", cookie: session).status == 403)
      #expect(try await visitor.send("PUT", "/v1/spaces/caps", "", cookie: session).status == 403)
    }
  }

  @Test func `an inspector that may write does, under its author, and administers nothing`()
    async throws
  {
    try await withInspector(writing: true, author: "sam") {
      (visitor: Visitor) async throws -> Void in
      let session = Visitor.cookie(of: try await visitor.enter())
      let path = "/v1/spaces/hats/operations"
      #expect(try await visitor.send("POST", path, Self.write, cookie: session).status == 200)
      let log = try await visitor.send("GET", "/v1/spaces/hats/log?limit=1", cookie: session)
      #expect(log.text.contains(#""author":"sam""#))
      let purge = #"{"op":"purge","ids":["hat-1"]}"#
      let refusal = try await visitor.send("POST", path, purge, cookie: session)
      #expect(refusal.status == 403 && refusal.text.contains("by a command"), "\(refusal)")
      let spaces = try await visitor.send("GET", "/v1/spaces", cookie: session)
      #expect(spaces.text.contains(#""role":"writer""#))
    }
  }

  @Test func `the page loads its own files only, and each has a tag of its content`() async throws {
    try await withInspector { (visitor: Visitor) async throws -> Void in
      var waiting = ["/"]
      var seen: Set<String> = []
      while let path = waiting.popLast() {
        guard seen.insert(path).inserted else { continue }
        let file = try await visitor.send("GET", path)
        #expect(file.status == 200, "\(path)")
        let policy = try #require(file.headers["content-security-policy"])
        #expect(policy.contains("default-src 'none'") && policy.contains("script-src 'self'"))
        #expect(!policy.contains("unsafe"))
        let tag = try #require(file.headers["etag"])
        let again = try await visitor.send("GET", path, headers: ["If-None-Match": tag])
        #expect(again.status == 304)
        #expect(!file.text.contains(" style=\"") || path.hasSuffix(".js"))
        for name in file.text.matches(of: /from "\.\/([a-z-]+\.js)"/) {
          waiting.append("/inspector/\(name.1)")
        }
        for name in file.text.matches(of: /(?:src|href)="(\/inspector\/[a-z.-]+)"/) {
          waiting.append(String(name.1))
        }
      }
      #expect(seen.count > 30)
      #expect(try await visitor.send("GET", "/inspector/none.js").status == 404)
      #expect(try await visitor.send("GET", "/inspector/..%2FInspector.swift").status == 404)
    }
  }

  @Test func `a file that can only be read is shown and stays as it is`() async throws {
    let scratch = try Scratch()
    let path = scratch.path("hats.varve")
    let store = try await Store.open(path)
    _ = try await store.create("Hat", id: "hat-1", ["color": "red"])
    try await store.close()
    let before = try Data(contentsOf: URL(fileURLWithPath: path))
    var configuration = Store.Configuration()
    configuration.isReadOnly = true
    let opened = try await Store.open(path, configuration: configuration)
    let running = try await Inspector(opened).start()
    let visitor = try Visitor(running.link)
    let session = Visitor.cookie(of: try await visitor.enter())
    let read = #"{"op":"query","type":"Hat","run":"ids"}"#
    let reply = try await visitor.send("POST", "/v1/spaces/store/operations", read, cookie: session)
    #expect(reply.text.contains("hat-1"), "\(reply)")
    #expect(try await visitor.send("GET", "/v1/spaces/store", cookie: session).status == 200)
    await running.stop()
    try await opened.close()
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
  }
}

/// Somebody who was given an inspector's link.
private struct Visitor: Sendable {
  let port: Int
  let ticket: String

  init(_ link: String) throws {
    let parts = link.split(separator: "/#enter=")
    let number = parts.first?.split(separator: ":").last.flatMap { Int($0) }
    guard parts.count == 2, let number else { throw CocoaError(.fileReadCorruptFile) }
    port = number
    ticket = String(parts[1])
  }

  /// Returns the cookie that a reply sets.
  static func cookie(of reply: Reply) -> String {
    String(reply.headers["set-cookie"]?.split(separator: ";").first ?? "")
  }

  func enter(_ ticket: String? = nil, headers: [String: String] = [:]) async throws -> Reply {
    let body = #"{"ticket":"\#(ticket ?? self.ticket)"}"#
    return try await send("POST", "/v1/enter", body, headers: headers)
  }

  func send(
    _ method: String,
    _ path: String,
    _ body: String? = nil,
    cookie: String? = nil,
    headers: [String: String] = [:]
  ) async throws -> Reply {
    var headers = headers
    if headers["Host"] == nil { headers["Host"] = "127.0.0.1:\(port)" }
    if let cookie { headers["Cookie"] = cookie }
    headers["Connection"] = "close"
    if let body {
      headers["Content-Length"] = "\(body.utf8.count)"
      if headers["Content-Type"] == nil { headers["Content-Type"] = "application/json" }
    }
    var text = "\(method) \(path) HTTP/1.1\r\n"
    for (name, value) in headers { text += "\(name): \(value)\r\n" }
    text += "\r\n\(body ?? "")"
    let (bytes, port) = (Array(text.utf8), port)
    return try await Served.aside {
      let connection = try RawConnection(port: port)
      connection.write(bytes)
      return try Reply(connection.readToEnd())
    }
  }
}
#endif
