#if CommandLine && Server
import Foundation
import Testing
import VarveClient
import VarveCore
import VarveJSON
import VarveSealed
import VarveServer
import VarveStore
import VarveTestSupport

/// A server that keeps a sealed space for its members.
@Suite struct SealedRelayTests {
  let scratch: Scratch
  /// The folder of the server.
  private let stores: Scratch

  init() throws { (scratch, stores) = (try Scratch(), try Scratch()) }

  /// Opens a store of a device with its own keys.
  private func member(_ name: String) async throws -> Store {
    var configuration = Store.Configuration()
    configuration.seal = try .member(with: .folder(scratch.path("\(name)-keys")))
    return try await Store.open(scratch.path("\(name).varve"), configuration: configuration)
  }

  /// Calls a closure with a server that keeps sealed spaces.
  private func serving(
    _ access: Access = .open,
    _ body: (Served) async throws -> Void
  ) async throws {
    var settings = Served.Settings()
    settings.stores.seal = try .relay()
    try await Served.with(access, scratch: stores, settings: settings, body)
  }

  /// Makes a relay, and lets two members meet there.
  private func team(_ server: Served) async throws -> (ana: Store, ben: Store, space: RemoteSpace) {
    let (ana, ben) = (try await member("ana"), try await member("ben"))
    _ = try await ana.sealSpace()
    let id = try #require(try await ana.membership().space)
    try await RemoteServer(server.address).createRelay("team", of: id)
    let space = RemoteSpace("\(server.address)/team")
    try await ana.sync(with: space)
    try await ben.join(try await ana.invite(.writer))
    for store in [ben, ana, ben] { try await store.sync(with: space) }
    try await ben.create("Hat", id: "h", ["color": "vermilion"])
    try await ben.sync(with: space)
    return (ana, ben, space)
  }

  @Test func `members meet at a relay, which reads nothing`() async throws {
    try await serving { server in
      let (ana, ben, space) = try await team(server)
      try await ana.sync(with: space)
      #expect(try await ana.require("h")["color"] == "vermilion")
      try await ana.set("h", "color", "ultramarine")
      try await ana.sync(with: space)
      try await ben.sync(with: space)
      #expect(try await ben.require("h")["color"] == "ultramarine")
      #expect(try await ben.signatures().signature(of: ana.log()[0].id).standing == .signed)
      let end = try await server.get("/v1/spaces/team")
      #expect(try end.json["commits"] == 2)
      #expect(try await end.json["id"] == .string(self.space(of: ana)))
      for file in try FileManager.default.contentsOfDirectory(atPath: stores.path) {
        let bytes = try Data(contentsOf: URL(fileURLWithPath: stores.path(file)))
        for word in ["vermilion", "ultramarine", "Hat"] {
          #expect(bytes.range(of: Data(word.utf8)) == nil, "\(file)")
        }
      }
      try await ana.close()
      try await ben.close()
    }
  }

  private func space(of store: Store) async throws -> String {
    try #require(try await store.membership().space).text
  }

  @Test func `a member who is removed at the relay reads and writes nothing that counts`()
    async throws
  {
    try await serving { server in
      let (ana, ben, space) = try await team(server)
      try await ana.sync(with: space)
      let device = try #require(try await ben.members().first { $0.isThisDevice })
      try await ana.removeMember(device.id)
      try await ana.sync(with: space)
      try await ana.create("Hat", id: "secret", ["color": "grey"])
      try await ana.sync(with: space)
      try await ben.create("Hat", id: "late", ["color": "grey"])
      try await ben.sync(with: space)
      try await ana.sync(with: space)
      #expect(try await ben.entity("secret") == nil)
      #expect(try await ana.entity("late") == nil)
      #expect(try await ana.uncountedCommits().map(\.isVoid) == [true])
      try await ana.close()
      try await ben.close()
    }
  }

  @Test func `a relay goes on after a restart`() async throws {
    try await serving { server in
      let (ana, ben, _) = try await team(server)
      try await ana.close()
      try await ben.close()
    }
    try await serving { server in
      let ana = try await member("ana")
      try await ana.sync(with: RemoteSpace("\(server.address)/team"))
      #expect(try await ana.require("h")["color"] == "vermilion")
      try await ana.close()
    }
  }

  @Test func `what needs the content is refused`() async throws {
    try await serving { server in
      let (ana, ben, _) = try await team(server)
      let doors = HostileTests.doors.filter { door in
        !["", "/commits?after=x", "/compare", "/want", "/commits"].contains(door.path)
          && door.method != "DELETE"
      }
      #expect(doors.count > 12)
      for door in doors {
        let reply = try await server.send(
          door.method,
          "/v1/spaces/team\(door.path)",
          door.body,
          type: door.type
        )
        #expect(reply.status == 422, "\(door): \(reply)")
        #expect(try reply.json["code"] == "unsupported", "\(door): \(reply)")
        #expect(try reply.json["remedy"] != .null, "\(door): \(reply)")
      }
      #expect(try await server.get("/v1/spaces/team/changes").status == 422)
      try await ana.close()
      try await ben.close()
    }
  }

  @Test func `an open store gets and gives nothing, and a sealed one nothing at an open space`()
    async throws
  {
    try await serving { server in
      let (ana, ben, space) = try await team(server)
      let open = try await Store.open(.inMemory)
      try await open.create("Hat", id: "o", ["color": "red"])
      await expectFailure(.newerFormat) { try await open.sync(with: space) }
      #expect(try await open.log().count == 1)
      try await server.create("hats")
      await expectFailure(.unsupported) {
        try await ana.sync(with: RemoteSpace("\(server.address)/hats"))
      }
      #expect(try await server.get("/v1/spaces/hats").json["commits"] == 0)
      try await ana.close()
      try await ben.close()
    }
  }

  @Test func `a relay is of one space, and has a name of its own`() async throws {
    try await serving { server in
      let (ana, ben, _) = try await team(server)
      let id = try #require(try await ana.membership().space)
      let remote = RemoteServer(server.address)
      #expect(try await remote.createRelay("team", of: id).id == id.text)
      await expectFailure(.duplicateIdentifier) {
        try await remote.createRelay("team", of: .random())
      }
      try await server.create("hats")
      await expectFailure(.duplicateIdentifier) { try await remote.createRelay("hats", of: id) }
      #expect(try await server.send("PUT", "/v1/spaces/x?relay=y", "").status == 400)
      // Another space does not take over a relay that waits for its first membership.
      try await remote.createRelay("other", of: .random())
      await expectFailure(.forbidden) {
        try await ana.sync(with: RemoteSpace("\(server.address)/other"))
      }
      try await ana.close()
      try await ben.close()
    }
    try await Served.with { server in
      await expectFailure(.unsupported) {
        try await RemoteServer(server.address).createRelay("team", of: .random())
      }
    }
  }

  @Test func `only an admin of the server gives a relay its first membership`() async throws {
    let file = scratch.path("tokens.jsonl")
    func token(_ name: String, _ role: Role, isOperator: Bool = false) throws -> String {
      let principal = Principal(
        subject: name,
        grants: ["team": role],
        isOperator: isOperator
      )
      return try TokenFile.create(name, for: principal, in: file)
    }
    let ops = try token("ops", .admin, isOperator: true)
    let (reader, writer) = (try token("reader", .reader), try token("writer", .writer))
    try await serving(.tokens(TokenFile(file))) { server in
      let ana = try await member("ana")
      _ = try await ana.sealSpace()
      let id = try #require(try await ana.membership().space)
      try await RemoteServer(server.address, token: ops).createRelay("team", of: id)
      let url = "\(server.address)/team"
      for token in [reader, writer] {
        await expectFailure(.forbidden) {
          try await ana.sync(with: RemoteSpace(url, token: token))
        }
      }
      await expectFailure(.unauthorized) { try await ana.sync(with: RemoteSpace(url)) }
      try await ana.sync(with: RemoteSpace(url, token: ops))
      try await ana.create("Hat", id: "h", ["color": "red"])
      // The roles at the server hold: a reader hands no commits over.
      await expectFailure(.forbidden) { try await ana.sync(with: RemoteSpace(url, token: reader)) }
      try await ana.sync(with: RemoteSpace(url, token: writer))
      try await ana.close()
    }
  }

  @Test func `bytes that are no membership are the fault of who sent them`() async throws {
    try await serving { server in
      let (ana, ben, space) = try await team(server)
      for body in ["", "x", "\u{1}\u{2}\u{3}", String(repeating: "y", count: 5_000)] {
        let reply = try await server.send(
          "POST",
          "/v1/spaces/team/sealed",
          body,
          type: HostileTests.sync
        )
        #expect([400, 422].contains(reply.status), "\(reply)")
      }
      let wrong = try await server.send("POST", "/v1/spaces/team/sealed", "{}")
      #expect(wrong.status == 415)
      try await ana.sync(with: space)
      #expect(try await ana.require("h")["color"] == "vermilion")
      try await ana.close()
      try await ben.close()
    }
  }

  @Test func `a server without keys refuses to hold any`() async throws {
    var configuration = Store.Configuration()
    configuration.seal = try .member(with: .folder(scratch.path("keys")))
    let refused = configuration
    await expectFailure(.unsupported) {
      _ = try SpaceDirectory(scratch.path, configuration: refused)
    }
  }
}
#endif
