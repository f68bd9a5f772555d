#if CommandLine && Server
import Foundation
import Testing
import VarveClient
import VarveCore
import VarveJSON
import VarveServer
import VarveStore
import VarveSync
import VarveTestSupport

/// What every role can destroy over HTTP, by every route that takes data.
@Suite("A role at a server") struct WriterTests {
  /// A way to give a space what a copy has.
  enum Way: CaseIterable {
    case synchronisation
    case document
    case documentAsText
    /// A line of several operations.
    case lines
  }

  /// A server with the space `hats`, and a token of each role.
  private struct Scene {
    let server: Served
    let tokens: [Role: String]
    let victim: ReplicaID
    /// The replica under which the server writes.
    let own: ReplicaID

    func space(as role: Role) -> RemoteSpace {
      RemoteSpace("\(server.address)/hats", token: tokens[role])
    }

    func post(
      _ body: String,
      as role: Role,
      type: String = "application/json"
    ) async throws -> Reply {
      try await server.send(
        "POST",
        "/v1/spaces/hats/operations",
        body,
        type: type,
        headers: ["Authorization": "Bearer \(tokens[role] ?? "")"]
      )
    }

    func result(_ operation: String) async throws -> JSON {
      try await post(operation, as: .admin).json["result"] ?? .null
    }

    /// Returns a fresh copy of the space that is not bound to it.
    func copy() async throws -> Store {
      let bound = try await Store.open(.inMemory)
      try await bound.sync(with: space(as: .admin))
      let copy = try await Store.open(.inMemory)
      try await copy.merge(from: bound)
      return copy
    }
  }

  private func withScene(_ body: (Scene) async throws -> Void) async throws {
    let scratch = try Scratch()
    let file = scratch.path("tokens.jsonl")
    var tokens: [Role: String] = [:]
    for role in Role.allCases {
      let principal = Principal(
        subject: role.rawValue,
        grants: ["hats": role],
        isOperator: role == .admin
      )
      tokens[role] = try TokenFile.create(role.rawValue, for: principal, in: file)
    }
    try await Served.with(.tokens(TokenFile(file)), scratch: scratch) { [tokens] server in
      let headers = ["Authorization": "Bearer \(tokens[.admin] ?? "")"]
      let made = try await server.send("PUT", "/v1/spaces/hats", "", headers: headers)
      #expect(made.status == 201)
      let store = try await Store.open(.inMemory)
      let victim = try await Deed.prepare(store)
      let space = RemoteSpace("\(server.address)/hats", token: tokens[.admin])
      try await store.sync(with: space)
      let path = "/v1/spaces/hats/operations"
      let create = #"{"op":"create","type":"Cap","id":"cap-2"}"#
      #expect(try await server.send("POST", path, create, headers: headers).status == 200)
      let known = Set(try await store.replicas().map(\.id))
      try await store.sync(with: space)
      let own = try #require(try await store.replicas().map(\.id).first { !known.contains($0) })
      let scene = Scene(server: server, tokens: tokens, victim: victim, own: own)
      try await body(scene)
    }
  }

  @Test(arguments: Way.allCases)
  func `a role at a server destroys nothing of others without admin, by every way in`(way: Way)
    async throws
  {
    for deed in Deed.allCases {
      for role in Role.allCases {
        try await withScene { scene in
          let (copy, commit) = try await deed.done(
            to: try await scene.copy(),
            scene.victim,
            server: scene.own
          )
          let reply = try await give(copy, to: scene, by: way, as: role)
          let mayPass = role == .admin || role == .writer && deed.isHarmless
          let what = "\(role) \(deed): \(reply)"
          let log = try await scene.result(#"{"op":"log","limit":50}"#)
          guard case .array(let commits) = log else { throw CocoaError(.coderReadCorrupt) }
          let found = commits.first { $0["hash"] == .string(commit.hash.hexadecimal) }
          #expect((found != nil) == mayPass, "\(what)")
          // The arrival says who handed it over, whatever the commit says of its author.
          if mayPass { #expect(found?["handedOverBy"] == .string(role.rawValue), "\(what)") }
          if !mayPass { #expect(reply.contains("forbidden"), "\(what)") }
          let history = try await scene.result(#"{"op":"history","id":"hat-1","key":"color"}"#)
          guard case .array(let versions) = history else { throw CocoaError(.coderReadCorrupt) }
          let count = mayPass ? (deed == .purges ? 0 : deed == .compacts ? 1 : 2) : 2
          #expect(versions.count == count, "\(what)")
        }
      }
    }
  }

  @Test func `purges at one server what a copy keeps that is a writer's at another`() async throws {
    try await withScene { scene in
      try await Served.with { other in
        _ = try await other.create("hats")
        let (here, there) = (scene.space(as: .writer), RemoteSpace("\(other.address)/hats"))
        let copy = try await Store.open(.inMemory)
        try await copy.sync(with: here)
        try await copy.sync(with: there)
        let purge = #"{"op":"purge","ids":["hat-1"]}"#
        let reply = try await other.send("POST", "/v1/spaces/hats/operations", purge)
        #expect(reply.status == 200, "\(reply.text)")
        let parked = try await copy.sync(with: there).parked
        #expect(parked.map(\.error.code) == [.forbidden])
        #expect(try await copy.entity("hat-1") != nil)
        try await copy.create("Cap", id: "mine")
        let sent = try await copy.sync(with: here)
        #expect(sent.sentCount == 1 && sent.parkedThere.isEmpty && sent.parked.isEmpty)
        // The space itself may purge what it has.
        let admin = try await scene.post(purge, as: .admin)
        #expect(admin.status == 200, "\(admin.text)")
        #expect(try await copy.sync(with: here).parked.isEmpty)
        #expect(try await copy.entity("hat-1") == nil)
      }
    }
  }

  @Test func `fetches what the space has although it may not send, and is told so`() async throws {
    try await withScene { scene in
      let copy = try await Store.open(.inMemory)
      try await copy.create("Cap", id: "mine")
      for number in 0..<2 {
        let create = #"{"op":"create","type":"Hat","id":"new-\#(number)"}"#
        #expect(try await scene.post(create, as: .writer).status == 200)
        let error = await #expect(throws: VarveError.self) {
          try await copy.sync(with: scene.space(as: .reader))
        }
        #expect(error?.code == .forbidden)
        #expect(try await copy.entity(EntityID("new-\(number)")) != nil)
      }
      #expect(try await scene.copy().entity("mine") == nil)
    }
  }

  @Test(arguments: Way.allCases)
  func `hands over no commit of which a part was purged, by every way in`(way: Way) async throws {
    for role in [Role.writer, .admin] {
      try await withScene { scene in
        let whole = try await scene.copy()
        try await whole.as("ana").create("Hat", id: "hat-9", ["color": "green"])
        let stripped = try await Store.open(.inMemory)
        try await stripped.merge(from: whole)
        try await stripped.write { _ = try await $0.purge(["hat-9"]) }
        let reply = try await give(stripped, to: scene, by: way, as: role)
        #expect(reply.contains("forbidden") == (role == .writer), "\(reply)")
        guard role == .writer else { return }
        // Whoever has the whole commit can still hand it over.
        let report = try await whole.sync(with: scene.space(as: .writer))
        #expect(report.sentCount == 1 && report.parkedThere.isEmpty)
        let read = #"{"op":"read","refs":["hat-9"],"keys":["color"]}"#
        guard case .array(let found) = try await scene.result(read) else {
          throw CocoaError(.coderReadCorrupt)
        }
        #expect(found.first?["color"] == "green")
      }
    }
  }

  /// Returns the reply, or the error.
  private func give(
    _ copy: Store,
    to scene: Scene,
    by way: Way,
    as role: Role
  ) async throws -> String {
    let document = Document()
    try await copy.export(.full) { document.bytes += $0 }
    let json = document.text
    switch way {
    case .synchronisation:
      do {
        return "\(try await copy.sync(with: scene.space(as: role)).parkedThere)"
      } catch {
        return "\(error)"
      }
    case .document:
      return try await scene.post(#"{"op":"interchange.import","json":\#(json)}"#, as: role).text
    case .documentAsText:
      let text = JSON.string(json).text
      return try await scene.post(#"{"op":"interchange.import","text":\#(text)}"#, as: role).text
    case .lines:
      let line =
        #"{"op":"interchange.import","json":\#(try JSONReader.read(bytes: document.bytes).text)}"#
      let lines = #"{"op":"types"}"# + "\n\(line)\n"
      return try await scene.post(lines, as: role, type: "application/jsonl").text
    }
  }

  private final class Document {
    var bytes: [UInt8] = []
    var text: String { String(decoding: bytes, as: UTF8.self) }
  }

  @Test func `a role at a server retires no replica by an operation that writes`() async throws {
    try await withScene { scene in
      let id = Retirement.id(of: scene.victim).text
      let create = #"{"op":"create","type":"VarveReplica","id":"\#(id)","set":{"through":9}}"#
      let operations = [
        create, #"{"op":"create","type":"Hat","id":"\#(id)"}"#,
        #"{"op":"transaction","operations":[\#(create)]}"#,
        #"{"op":"once","name":"x","operations":[\#(create)]}"#,
        #"{"op":"upsert","type":"VarveReplica","on":["through"],"id":"\#(id)","set":{"through":9}}"#,
        #"{"op":"insert","type":"VarveReplica","ifAbsent":["through"],"id":"\#(id)","set":{"through":9}}"#,
        #"{"op":"retire","replica":"\#(scene.victim)"}"#,
        #"{"op":"interchange.import","json":{"varve":{"format":1,"form":"normalized"},"entities":[{"identifier":"\#(id)","type":"VarveReplica"}]}}"#,
      ]
      for operation in operations {
        for role in [Role.reader, .writer] {
          let reply = try await scene.post(operation, as: role)
          #expect(reply.status == 403, "\(role) \(operation): \(reply)")
        }
        let found = try await scene.result(#"{"op":"replicas"}"#)
        #expect(!found.text.contains("retired"), "\(operation)")
      }
      #expect(try await scene.post(create, as: .admin).status == 200)
      let replicas = try await scene.result(#"{"op":"replicas"}"#)
      #expect(replicas.text.contains("retired"))
    }
  }

  @Test func `is known to a store that synchronises, which refuses before it writes`() async throws
  {
    try await withScene { scene in
      let store = try await Store.open(.inMemory)
      try await store.sync(with: scene.space(as: .writer))
      let before = try await store.frontier()
      await expectFailure(.forbidden) {
        try await store.write { _ = try await $0.purge(["hat-1"]) }
      }
      await expectFailure(.forbidden) { _ = try await store.compact(before: Date()) }
      await expectFailure(.forbidden) { try await store.retire(scene.victim) }
      #expect(try await store.frontier() == before)
      // Nothing is wedged.
      _ = try await store.create("Hat", id: "hat-2")
      let report = try await store.sync(with: scene.space(as: .writer))
      #expect(report.sentCount == 1 && report.parkedThere.isEmpty)
      // A purge by an admin arrives.
      _ = try await scene.post(#"{"op":"purge","ids":["hat-1"]}"#, as: .admin)
      try await store.sync(with: scene.space(as: .writer))
      #expect(try await store.history(of: "hat-1", "color").isEmpty)
      // Once its owner is an admin, the store may.
      try await store.sync(with: scene.space(as: .admin))
      try await store.write { _ = try await $0.purge(["hat-2"]) }
      #expect(try await store.sync(with: scene.space(as: .admin)).parkedThere.isEmpty)
    }
  }
}
#endif
