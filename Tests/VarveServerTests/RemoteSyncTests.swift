#if CommandLine && Server
import Foundation
import Synchronization
import Testing
import VarveClient
import VarveCore
import VarveJSON
import VarveServer
import VarveStore
import VarveSync
import VarveTestSupport

/// Synchronising over real connections.
@Suite struct RemoteSyncTests {
  private func space(_ server: Served, _ name: String = "hats") -> RemoteSpace {
    RemoteSpace("\(server.address)/v1/spaces/\(name)")
  }

  @Test(arguments: [
    "http://127.0.0.1:8642", "http://127.0.0.1:8642/", "http://127.0.0.1:8642/v1/spaces/",
    "http:///x", "http://127.0.0.1:8642/x?y=1", "http://127.0.0.1:8642/x#y",
    "http://sam:secret@127.0.0.1:8642/x", "http://127.0.0.1:8642?/x", "http://127.0.0.1:8642#/x",
    "127.0.0.1/x", "",
  ])
  func `an address without a space leads nowhere, and takes no token with it`(
    url: String
  ) async throws {
    let store = try await Store.open(.inMemory)
    let isAsked = Mutex(false)
    let space = RemoteSpace(url) {
      isAsked.withLock { $0 = true }
      return "secret"
    }
    let scratch = try Scratch()
    await expectFailure(.invalidArgument) { try await store.sync(with: space) }
    await expectFailure(.invalidArgument) { try await space.backUp(to: scratch.path("x.varve")) }
    await expectFailure(.invalidArgument) { for try await _ in space.changes() {} }
    #expect(!isAsked.withLock { $0 })
    #expect(space.url == url)
  }

  @Test func `a password in an address is neither used nor repeated`() async throws {
    let store = try await Store.open(.inMemory)
    let space = RemoteSpace("http://sam:secret@127.0.0.1:8642/hats")
    do {
      _ = try await store.sync(with: space)
      Issue.record("it was used")
    } catch let error as VarveError {
      #expect(error.code == .invalidArgument)
      #expect(!"\(error)".contains("secret"), "\(error)")
      #expect(error.place == "http://127.0.0.1:8642/hats")
    }
  }

  @Test func `a redirection is not followed`() async throws {
    let (first, second) = (try Receiver(), try Receiver())
    first.redirect(to: "http://127.0.0.1:\(second.port)/elsewhere")
    let url = "http://127.0.0.1:\(first.port)"
    let store = try await Store.open(.inMemory)
    await expectFailure(.invalidArgument) {
      try await store.sync(with: RemoteSpace("\(url)/hats", token: "secret"))
    }
    await expectFailure(.invalidArgument) {
      _ = try await RemoteServer(url, token: "secret").spaces()
    }
    #expect(first.requests().count == 2)
    #expect(second.requests().isEmpty)
  }

  @Test(arguments: ["http://h:1/hats", "http://h:1/hats/", "http://h:1/v1/spaces/hats"])
  func `a space is named by the address of its server and its own name`(url: String) {
    #expect(RemoteSpace(url).url == "http://h:1/v1/spaces/hats")
  }

  @Test func `two stores that never meet are equal through a server`() async throws {
    try await Served.with { server in
      try await server.create()
      let (laptop, phone) = (try await Store.open(.inMemory), try await Store.open(.inMemory))
      for number in 0..<50 { _ = try await laptop.create("Hat", ["size": .int(Int64(number))]) }
      _ = try await phone.create("Cap")
      let sent = try await laptop.sync(with: space(server))
      #expect(sent.sentCount == 50)
      #expect(sent.isComplete)
      let received = try await phone.sync(with: space(server))
      #expect(received.receivedCount == 50)
      #expect(received.sentCount == 1)
      #expect(try await laptop.sync(with: space(server)).receivedCount == 1)
      #expect(try await laptop.frontier() == phone.frontier())
      let hats = try await laptop.fetch(Query("Hat")).map(\.id)
      #expect(try await phone.fetch(Query("Hat")).map(\.id) == hats)
    }
  }

  @Test func `a commit larger than any frame goes both ways`() async throws {
    try await Served.with { server in
      try await server.create()
      let (laptop, phone) = (try await Store.open(.inMemory), try await Store.open(.inMemory))
      // It cannot be compressed.
      var random = SplitMix64(seed: 1)
      var bytes = Data()
      for _ in 0..<1_500_000 {
        withUnsafeBytes(of: random.next()) { bytes.append(contentsOf: $0) }
      }
      _ = try await laptop.create("File", id: "f", ["content": .data(bytes)])
      #expect(try await laptop.sync(with: space(server)).sentCount == 1)
      #expect(try await phone.sync(with: space(server)).receivedCount == 1)
      #expect(try await phone.entity("f")?.property("content")?.value == .data(bytes))
    }
  }

  @Test func `nothing is sent to another space under the same name`() async throws {
    try await Served.with { server in
      try await server.create()
      let store = try await Store.open(.inMemory)
      _ = try await store.create("Hat")
      try await store.sync(with: space(server))
      let id = try #require(string(try await server.get("/v1/spaces/hats").json["id"]))
      #expect(try await server.send("DELETE", "/v1/spaces/hats?id=\(id)").status == 200)
      await expectFailure(.notFound) { try await store.sync(with: space(server)) }
      try await server.create()
      await expectFailure(.notFound) { try await store.sync(with: space(server)) }
      #expect(try await server.get("/v1/spaces/hats").json["commits"] == 0)
    }
  }

  @Test func `a server that is not there, and one that refuses, are told apart`() async throws {
    let store = try await Store.open(.inMemory)
    await expectFailure(.inputOutput) {
      try await store.sync(with: RemoteSpace("http://127.0.0.1:1/v1/spaces/x"))
    }
    let scratch = try Scratch()
    let tokens = scratch.path("tokens.jsonl")
    let ops = Principal(subject: "ops", grants: ["hats": .reader], isOperator: true)
    let token = try TokenFile.create("ops", for: ops, in: tokens)
    _ = try await store.create("Hat")
    try await Served.with(.tokens(TokenFile(tokens)), scratch: scratch) { server in
      let headers = ["Authorization": "Bearer \(token)"]
      let made = try await server.send("PUT", "/v1/spaces/hats", "", headers: headers)
      #expect(made.status == 201)
      await expectFailure(.unauthorized) { try await store.sync(with: space(server)) }
      let entered = RemoteSpace("\(server.address)/v1/spaces/hats", token: token)
      await expectFailure(.forbidden) { try await store.sync(with: entered) }
    }
  }

  @Test func `a commit that is not taken is listed with the reason, until it is taken`()
    async throws
  {
    let scratch = try Scratch()
    let tokens = scratch.path("tokens.jsonl")
    let known = try [Role.writer, .admin].map { role in
      let principal = Principal(
        subject: role.rawValue,
        grants: ["hats": role],
        isOperator: role == .admin
      )
      return try TokenFile.create(role.rawValue, for: principal, in: tokens)
    }
    try await Served.with(.tokens(TokenFile(tokens)), scratch: scratch) { server in
      let headers = ["Authorization": "Bearer \(known[1])"]
      #expect(try await server.send("PUT", "/v1/spaces/hats", "", headers: headers).status == 201)
      let spaces = known.map { RemoteSpace("\(server.address)/v1/spaces/hats", token: $0) }
      let store = try await Store.open(.inMemory)
      _ = try await store.create("Hat", id: "hat-1", ["color": "red"])
      let described = { try await server.get("/v1/spaces/hats", headers: headers) }
      let before = try await described()
      #expect(try before.json["parked"] == [])
      // Only an admin may hand over what destroys data. The store does not know yet that it has
      // the token of none.
      try await store.write { _ = try await $0.purge(["hat-1"]) }
      try await store.sync(with: spaces[0])
      let after = try await described()
      // The commit that purges, and the one of which a part was purged.
      let refused = try await store.log().map { JSON.string($0.id.hash.hexadecimal) }
      #expect(refused.count == 2)
      guard case .array(let parked)? = try after.json["parked"] else { throw after }
      #expect(Set(parked.compactMap { $0["hash"] }) == Set(refused))
      #expect(parked.map { $0["from"] } == ["writer", "writer"])
      #expect(after.headers["etag"] != before.headers["etag"])
      // What was refused is part of the tag, and no part of the state that a write names by it.
      let basis = headers.merging(["If-Match": try #require(after.headers["etag"])]) { $1 }
      let path = "/v1/spaces/hats/operations"
      let create = #"{"op":"create","type":"Hat","id":"hat-2"}"#
      let made = try await server.send("POST", path, create, headers: basis)
      #expect(made.status == 200, "\(made)")
      try await store.sync(with: spaces[1])
      #expect(try await described().json["parked"] == [])
    }
  }

  @Test func `a purge reaches every copy through the server`() async throws {
    try await Served.with { server in
      try await server.create()
      let (laptop, phone) = (try await Store.open(.inMemory), try await Store.open(.inMemory))
      _ = try await laptop.create("Hat", id: "hat-1", ["color": "red"])
      try await laptop.sync(with: space(server))
      try await phone.sync(with: space(server))
      try await laptop.write { _ = try await $0.purge(["hat-1"]) }
      try await laptop.sync(with: space(server))
      try await phone.sync(with: space(server))
      #expect(try await phone.history(of: "hat-1", "color").isEmpty)
      let history = "/v1/spaces/hats/entities/hat-1/history?key=color"
      #expect(try await server.get(history).json["items"] == [])
    }
  }
}
#endif
