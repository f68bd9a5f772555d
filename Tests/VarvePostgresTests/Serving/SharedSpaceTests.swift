#if CommandLine && Server
import Foundation
import Testing
import VarveCore
import VarvePostgres
import VarveTestSupport

@Suite(
  "Two hosts that serve one PostgreSQL",
  .enabled(
    if: PostgresCluster.absence == nil,
    "PostgreSQL is not installed: make setup-tests does it"
  )
)
struct SharedSpaceTests {
  /// A space name that no other test has.
  private let name = "\(SpaceID.random())"

  private var path: String { "/v1/spaces/\(name)" }

  /// Two hosts that the tests share. They stay as they are.
  private static let shared = Task { (try await HostProcess(), try await HostProcess()) }

  private func hosts() async throws -> (HostProcess, HostProcess) { try await Self.shared.value }

  @Test func `see each other's writes, at once where a request asks for a position or the latest`()
    async throws
  {
    let (one, two) = try await hosts()
    #expect(try await one.send("PUT", path).status == 201)
    #expect(try await two.get(path).status == 200)
    let made = try await one.run(#"{"op":"create","type":"Hat","id":"hat"}"#, in: name)
    let position = try #require(made.headers["varve-position"])
    #expect(try await two.get("\(path)/entities/hat", at: position).status == 200)
    // The position is the other host's as well, and says that nothing follows it.
    #expect(try await two.get(path).text.contains(position))
    #expect(try await two.get("\(path)/commits?after=\(position)").status == 200)
    try await two.run(#"{"op":"set","id":"hat","set":{"color":"red"}}"#, in: name)
    #expect(try await one.get("\(path)/entities/hat", at: "latest").text.contains("red"))
    #expect(try await one.get("\(path)/entities/hat", at: "local").status == 200)
  }

  @Test func `refuse a position that no host had, and one that is none`() async throws {
    let (one, two) = try await hosts()
    _ = try await one.send("PUT", path)
    let made = try await one.run(#"{"op":"create","type":"Hat","id":"hat"}"#, in: name)
    let position = try #require(made.headers["varve-position"])
    let other = position.replacing(".1.", with: ".7.")
    let refused = try await two.get("\(path)/entities/hat", at: other)
    #expect(refused.status == 409)
    #expect(refused.text.contains("unknownPosition"))
    #expect(try await two.get("\(path)/entities/hat", at: "yesterday").status == 400)
    let written = try await two.run(
      #"{"op":"erase","ids":["hat"]}"#,
      in: name,
      headers: ["Varve-Position": other]
    )
    #expect(written.status == 409)
    #expect(try await one.get("\(path)/entities/hat", at: "latest").status == 200)
  }

  @Test func `create a space of one name once, and list it at both`() async throws {
    let (one, two) = try await hosts()
    let (one_, two_) = (one, two)
    async let first = one_.send("PUT", path)
    async let second = two_.send("PUT", path)
    let replies = try await [first, second]
    #expect(replies.map(\.status).sorted() == [200, 201])
    let ids = replies.map { $0.text.prefix { $0 != "," } }
    #expect(ids[0] == ids[1])
    for host in [one, two] {
      #expect(try await host.get("/v1/spaces?limit=1000").text.contains(name))
    }
  }

  @Test func `run an operation with one Idempotency-Key once, at whichever host it is repeated`()
    async throws
  {
    let (one, two) = try await hosts()
    _ = try await one.send("PUT", path)
    let key = ["Idempotency-Key": "order-1"]
    let operation = #"{"op":"create","type":"Order"}"#
    let first = try await one.run(operation, in: name, headers: key)
    let again = try await two.run(operation, in: name, headers: key)
    #expect(again.headers["idempotency-replayed"] == "true")
    #expect(again.text == first.text)
    let other = try await two.run(#"{"op":"create","type":"Hat"}"#, in: name, headers: key)
    #expect(other.status == 422)
    let (one_, two_) = (one, two)
    let late = ["Idempotency-Key": "order-2"]
    async let here = one_.run(operation, in: name, headers: late)
    async let there = two_.run(operation, in: name, headers: late)
    let both = try await [here, there]
    #expect(both[0].text == both[1].text)
    #expect(both.compactMap { $0.headers["idempotency-replayed"] } == ["true"])
    #expect(try await two.get("\(path)/types", at: "latest").text.contains(#""count":2"#))
  }

  @Test func `two hosts that serve one PostgreSQL synchronise stores, each through either host`()
    async throws
  {
    let (one, two) = try await hosts()
    let scratch = try Scratch()
    _ = try await one.send("PUT", path)
    let (laptop, phone) = (scratch.path("laptop.varve"), scratch.path("phone.varve"))
    _ = try await HostProcess.varve("init", laptop)
    _ = try await HostProcess.varve("set", laptop, "hat-1", "--type", "Hat", "color=red")
    let sent = try await HostProcess.varve("sync", laptop, one.address + path)
    #expect(sent.contains("0 commits received, 1 sent"), "\(sent)")
    let received = try await HostProcess.varve("sync", phone, two.address + path, "--create")
    #expect(received.contains("1 commit received, 0 sent"), "\(received)")
    _ = try await HostProcess.varve("set", phone, "hat-1", "color=blue")
    _ = try await HostProcess.varve("sync", phone, one.address + path)
    // The place that the laptop has reached at one host is a place of the other.
    let next = try await HostProcess.varve("sync", laptop, two.address + path)
    #expect(next.contains("1 commit received, 0 sent"), "\(next)")
    #expect(try await HostProcess.varve("get", laptop, "hat-1", "color") == "blue\n")
  }

  @Test func `end a space for both; another under its name is another`() async throws {
    let (one, two) = try await hosts()
    let made = try await one.send("PUT", path)
    let id = try #require(made.text.firstMatch(of: /"id":"([^"]+)"/)).1
    try await two.run(#"{"op":"create","type":"Hat","id":"hat"}"#, in: name)
    #expect(try await one.send("DELETE", "\(path)?id=\(id)").status == 200)
    #expect(try await one.get(path).status == 410)
    // A host that still has the space open learns of its end by the first request that needs the home.
    let other = try await two.get(path, at: "latest")
    #expect(other.status == 410)
    #expect(other.text.contains("was ended at"))
    let files = try FileManager.default.contentsOfDirectory(atPath: two.cache)
    #expect(!files.contains("\(id).varve"))
    #expect(try await two.send("PUT", path).status == 201)
    #expect(try await one.get("\(path)/entities/hat").status == 404)
  }

  @Test func `share the roles that admins grant to subjects of signed tokens`() async throws {
    let (scratch, url) = (try Scratch(), try await PostgresCluster.url())
    let key = """
      -----BEGIN PUBLIC KEY-----
      MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEXFSij5jkO0voSjXE7sQMU2in8u7M
      NfJUJIjxwKRkg5FZqCiPSbkLUE3eG7jx9WV0QN/1WBxcRTCRXyVBWmJnYg==
      -----END PUBLIC KEY-----

      """
    try Data(key.utf8).write(to: URL(fileURLWithPath: scratch.path("key")))
    let token = try await HostProcess.varve(
      "token",
      "create",
      name,
      "--in",
      url,
      "--grant",
      "\(name)=admin",
      "--operator"
    ).trimmingCharacters(in: .whitespacesAndNewlines)
    let headers = ["Authorization": "Bearer \(token)"]
    let options = [
      "--jwt-keys", scratch.path("key"), "--jwt-issuer", "https://login.example",
      "--jwt-audience", "varve",
    ]
    let (one, two) = (try await HostProcess(url, options), try await HostProcess(url, options))
    func list(_ host: HostProcess, until isRight: (String) -> Bool) async throws -> Bool {
      for _ in 0..<1_200 {
        if isRight(try await host.send("GET", "\(path)/grants", headers: headers).text) {
          return true
        }
        try await Task.sleep(for: .milliseconds(100))
      }
      return false
    }
    #expect(try await one.send("PUT", path, headers: headers).status == 201)
    let body = #"{"subject":"ben","role":"reader"}"#
    let granted = try await one.send("POST", "\(path)/grants", body, headers: headers)
    #expect(granted.status == 201, "\(granted.text)")
    #expect(try await list(two) { $0.contains(#""role":"reader""#) })
    let wider = body.replacing("reader", with: "writer")
    #expect(try await two.send("POST", "\(path)/grants", wider, headers: headers).status == 200)
    #expect(try await list(one) { $0.contains(#""role":"writer""#) && !$0.contains("reader") })
    let gone = try await one.send("DELETE", "\(path)/grants?subject=ben", headers: headers)
    #expect(gone.status == 200)
    #expect(try await list(one) { !$0.contains("ben") })
    #expect(try await list(two) { !$0.contains("ben") })
    #expect(
      try await two.send("DELETE", "\(path)/grants?subject=ben", headers: headers).status == 404
    )
  }

  @Test func `know the tokens that the home keeps, until they are revoked`() async throws {
    let url = try await PostgresCluster.url()
    _ = try await HostProcess(url).send("PUT", path)
    let token = try await HostProcess.varve(
      "token",
      "create",
      name,
      "--in",
      url,
      "--grant",
      "\(name)=reader"
    ).trimmingCharacters(in: .whitespacesAndNewlines)
    let (one, two) = (try await HostProcess(url, []), try await HostProcess(url, []))
    let headers = ["Authorization": "Bearer \(token)"]
    for host in [one, two] {
      #expect(try await host.get(path).status == 401)
      #expect(try await host.send("GET", path, headers: headers).status == 200)
      #expect(try await host.send("PUT", path, headers: headers).status == 403)
    }
    #expect(try await HostProcess.varve("token", "list", "--in", url).contains(name))
    _ = try await HostProcess.varve("token", "revoke", name, "--in", url)
    for host in [one, two] {
      while try await host.send("GET", path, headers: headers).status != 401 {}
    }
  }
}
#endif
