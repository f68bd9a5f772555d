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

/// Who may write the records of requests' outcomes.
@Suite("The record of a request") struct RequestRecordTests {
  /// A server with the space `hats`, and a token of each role.
  private struct Scene {
    let server: Served
    let tokens: [Role: String]

    func space(as role: Role) -> RemoteSpace {
      RemoteSpace("\(server.address)/hats", token: tokens[role])
    }

    func post(
      _ body: String,
      as role: Role,
      key: String? = nil,
      type: String = "application/json"
    ) async throws -> Reply {
      var headers = ["Authorization": "Bearer \(tokens[role] ?? "")"]
      headers["Idempotency-Key"] = key
      let path = "/v1/spaces/hats/operations"
      return try await server.send("POST", path, body, type: type, headers: headers)
    }

    /// Returns a fresh copy of the space that is not bound to it.
    func copy() async throws -> Store {
      let bound = try await Store.open(.inMemory)
      try await bound.sync(with: space(as: .admin))
      let copy = try await Store.open(.inMemory)
      try await copy.merge(from: bound)
      return copy
    }

    func versionCount() async throws -> Int? {
      let history = try await post(#"{"op":"history","id":"h1","key":"color"}"#, as: .admin)
      guard case .array(let versions)? = try history.json["result"] else { return nil }
      return versions.count
    }
  }

  private static let purge = #"{"op":"purge","ids":["h1"]}"#

  private static func mark(_ key: String) throws -> EntityID {
    try RequestKey(key, by: "admin", of: []).mark
  }

  private func withScene(
    subject: (Role) -> String = \.rawValue,
    _ body: (Scene) async throws -> Void
  ) async throws {
    let scratch = try Scratch()
    let file = scratch.path("tokens.jsonl")
    var tokens: [Role: String] = [:]
    for role in Role.allCases {
      let principal = Principal(
        subject: subject(role),
        grants: ["hats": role],
        isOperator: role == .admin
      )
      tokens[role] = try TokenFile.create(role.rawValue, for: principal, in: file)
    }
    try await Served.with(.tokens(TokenFile(file)), scratch: scratch) { [tokens] server in
      let headers = ["Authorization": "Bearer \(tokens[.admin] ?? "")"]
      #expect(try await server.send("PUT", "/v1/spaces/hats", "", headers: headers).status == 201)
      let scene = Scene(server: server, tokens: tokens)
      let hat = #"{"op":"create","type":"Hat","id":"h1","set":{"color":"red"}}"#
      #expect(try await scene.post(hat, as: .writer).status == 200)
      try await body(scene)
    }
  }

  @Test func `no operation of a caller writes one`() async throws {
    try await withScene { scene in
      let cap = #"{"op":"create","type":"Cap","id":"c1"}"#
      #expect(try await scene.post(cap, as: .admin, key: "made").status == 200)
      let (made, new) = (try Self.mark("made").text, try Self.mark("k").text)
      let create = #"{"op":"create","type":"varve.request","id":"\#(new)","set":{"result":"3"}}"#
      let operations = [
        create, #"{"op":"create","type":"Hat","id":"\#(new)"}"#,
        #"{"op":"create","type":"varve.request","id":"other"}"#,
        #"{"op":"create","type":"varve.request"}"#,
        #"{"op":"transaction","operations":[\#(create)]}"#,
        #"{"op":"once","name":"x","operations":[\#(create)]}"#,
        #"{"op":"interchange.import","json":{"varve":{"format":1,"form":"normalized"},"entities":[{"identifier":"\#(new)","type":"varve.request"}]}}"#,
        #"{"op":"set","id":"\#(made)","set":{"result":"3"}}"#,
        #"{"op":"set","id":"\#(made)","set":{"request":null}}"#,
        #"{"op":"erase","ids":["\#(made)"]}"#,
        #"{"op":"relate","from":"\#(made)","kind":"free","to":"c1","named":"caps"}"#,
        #"{"op":"relate","from":"c1","kind":"owns","to":"\#(made)"}"#,
      ]
      for operation in operations {
        for role in [Role.writer, .admin] {
          for type in ["application/json", "application/x-ndjson"] {
            let reply = try await scene.post(operation, as: role, type: type)
            let what = "\(role) \(operation): \(reply)"
            #expect(reply.text.contains(#""forbidden""#), "\(what)")
          }
          // Nor is it the record of the request that writes it.
          let reply = try await scene.post(operation, as: role, key: "another")
          // A document is no single transaction, and takes no key.
          let status = operation.contains("interchange.") ? 400 : 403
          #expect(reply.status == status, "\(role) \(operation): \(reply)")
        }
      }
      #expect(try await scene.post(Self.purge, as: .admin, key: "k").status == 200)
      #expect(try await scene.versionCount() == 0)
      let again = try await scene.post(cap, as: .admin, key: "made")
      #expect(again.headers["idempotency-replayed"] == "true")
    }
  }

  @Test func `a commit that has one is taken from admins only`() async throws {
    try await withScene { scene in
      let copy = try await scene.copy()
      let properties: [PropertyKey: Value] = ["result": "3"]
      try await copy.write {
        _ = try await $0.create("varve.request", id: try Self.mark("k"), properties)
      }
      let refused = try await copy.sync(with: scene.space(as: .writer))
      #expect("\(refused.parkedThere)".contains("forbidden"))
      #expect(try await scene.post(Self.purge, as: .admin, key: "k").status == 200)
      #expect(try await scene.versionCount() == 0)
    }
  }

  @Test func `one that does not name the request has no result for it`() async throws {
    try await withScene { scene in
      let cap = #"{"op":"create","type":"Cap","id":"c1"}"#
      #expect(try await scene.post(cap, as: .admin, key: "k").status == 200)
      let copy = try await scene.copy()
      try await copy.write { try await $0.set(try Self.mark("k"), "request", nil) }
      let taken = try await copy.sync(with: scene.space(as: .admin))
      #expect(taken.parkedThere.isEmpty)
      for body in [cap, Self.purge] {
        let reply = try await scene.post(body, as: .admin, key: "k")
        #expect(reply.status == 422, "\(reply)")
      }
      #expect(try await scene.versionCount() == 1)
    }
  }

  @Test func `one stays if the request's commit is undone`() async throws {
    try await withScene { scene in
      let cap = #"{"op":"create","type":"Cap","id":"c1"}"#
      let first = try await scene.post(cap, as: .writer, key: "k")
      let log = try await scene.post(#"{"op":"log","limit":1}"#, as: .writer)
      guard case .array(let commits)? = try log.json["result"],
        case .string(let hash)? = commits.first?["hash"]
      else { throw log }
      let undone = try await scene.post(#"{"op":"undo","commit":"\#(hash)"}"#, as: .writer)
      #expect(undone.status == 200, "\(undone)")
      let found = try await scene.post(#"{"op":"count","types":["Cap"]}"#, as: .writer)
      #expect(try found.json["result"] == [0])
      let again = try await scene.post(cap, as: .writer, key: "k")
      #expect(again.text == first.text)
      #expect(again.headers["idempotency-replayed"] == "true")
    }
  }

  @Test func `no store writes one that its space would not take`() async throws {
    let store = try await Store.open(.inMemory)
    let mark = try Self.mark("k")
    try await store.sharedLog().bind(.random(), at: "http://h/x", isAdmin: false)
    for caller in [LogCaller.owner, LogCaller("ada", .admin).recording(mark)] {
      await expectFailure(.forbidden) {
        try await LogCaller.$current.withValue(caller) {
          _ = try await store.create("varve.request", id: mark)
        }
      }
    }
    let free = try await Store.open(.inMemory)
    _ = try await free.create("varve.request", id: mark)
  }

  @Test func `an author that only looks like the subject is refused`() async throws {
    let subject = { (role: Role) in role == .writer ? "jos\u{e9}" : role.rawValue }
    try await withScene(subject: subject) { scene in
      for (author, status) in [("jose\u{301}", 403), ("jos\u{e9}", 200)] {
        let body = #"{"op":"create","type":"Hat","author":"\#(author)"}"#
        let reply = try await scene.post(body, as: .writer)
        #expect(reply.status == status, "\(reply)")
      }
    }
  }
}
#endif
