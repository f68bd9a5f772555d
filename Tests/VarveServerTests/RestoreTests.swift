#if CommandLine && Server
import Foundation
import Testing
import VarveClient
import VarveCore
import VarveJSON
import VarveServer
import VarveStore
import VarveTestSupport

/// Backups of spaces, and spaces that are made of them.
@Suite(.timeLimit(.minutes(5))) struct RestoreTests {
  private func space(_ server: Served) -> RemoteSpace { RemoteSpace("\(server.address)/hats") }

  private func create(_ id: String) -> String { #"{"op":"create","type":"Hat","id":"\#(id)"}"# }

  @Test func `a backup is taken while others write, and has a state that there was`() async throws {
    try await Served.with { server in
      try await server.create()
      let writing = Task {
        // Two entities in one commit are both there, or neither is.
        let laptop = try await Store.open(.inMemory)
        var number = 0
        while !Task.isCancelled {
          let pair = ["a\(number)", "b\(number)"]
          try await laptop.write { transaction in
            for id in pair { _ = try await transaction.create("Hat", id: EntityID(id)) }
          }
          try await laptop.sync(with: space(server))
          number += 1
        }
      }
      defer { writing.cancel() }
      while try await server.get("/v1/spaces/hats/entities/a2").status == 404 {
        try await Task.sleep(for: .milliseconds(20))
      }
      let file = server.scratch.path("backup.file")
      try await space(server).backUp(to: file)
      await expectFailure(.invalidArgument) { try await space(server).backUp(to: file) }
      let copy = try await Store.open(file)
      #expect(try await copy.check().isClean)
      let ids = try await copy.fetch(Query("Hat")).map(\.id.text)
      #expect(ids.count >= 6)
      #expect(
        ids.filter { $0.hasPrefix("a") }.map { $0.dropFirst() }.sorted()
          == ids.filter { $0.hasPrefix("b") }.map { $0.dropFirst() }.sorted()
      )
      // Nothing of it stays in the folder.
      let names = try FileManager.default.contentsOfDirectory(atPath: server.scratch.path)
      #expect(!names.contains { $0.hasPrefix(".varve") }, "\(names)")
    }
  }

  @Test func `only an admin takes a backup`() async throws {
    let scratch = try Scratch()
    let path = scratch.path("tokens.jsonl")
    let ops = Principal(subject: "ops", grants: ["hats": .writer], isOperator: true)
    let token = try TokenFile.create("ops", for: ops, in: path)
    try await Served.with(.tokens(TokenFile(path)), scratch: scratch) { server in
      try await RemoteServer(server.address, token: token).createSpace("hats")
      let entered = RemoteSpace("\(server.address)/hats", token: token)
      await expectFailure(.forbidden) { try await entered.backUp(to: scratch.path("copy")) }
      #expect(!FileManager.default.fileExists(atPath: scratch.path("copy")))
    }
  }

  @Test func `a backup restored under live clients costs nothing that one of them has`()
    async throws
  {
    let scratch = try Scratch()
    let file = scratch.path("backup.file")
    let (laptop, phone) = (try await Store.open(.inMemory), try await Store.open(.inMemory))
    let port = try await Served.with(scratch: scratch) { server in
      try await server.create()
      try await server.run(create("before"))
      for store in [laptop, phone] { try await store.sync(with: space(server)) }
      try await space(server).backUp(to: file)
      // What the space has after the backup, and who has it: both, the laptop, only the space.
      _ = try await laptop.create("Hat", id: "both")
      try await laptop.sync(with: space(server))
      try await phone.sync(with: space(server))
      try await server.run(create("fetched"))
      try await laptop.sync(with: space(server))
      try await server.run(create("lost"))
      return server.port
    }
    let url = "http://127.0.0.1:\(port)/hats"
    let replicating = [laptop, phone].map { store in
      Task { try await Replicator(store, with: RemoteSpace(url)).run() }
    }
    defer { for task in replicating { task.cancel() } }
    // Written while there is no server.
    _ = try await phone.create("Hat", id: "offline")
    for suffix in ["", "-wal", "-shm"] { try scratch.remove("hats.varve\(suffix)") }
    let restored = try await SpaceDirectory.restore(file, to: scratch.path, as: "hats")
    #expect(restored.commitCount == 1)
    await expectFailure(.invalidArgument) {
      try await SpaceDirectory.restore(file, to: scratch.path, as: "hats")
    }
    try await Served.with(scratch: scratch, port: port) { server in
      for id in ["before", "both", "fetched", "offline"] {
        for store in [laptop, phone] {
          for try await isThere in try await store.observe(
            ["Hat"],
            { try await $0.entity(EntityID(id)) != nil }
          ) where isThere { break }
        }
        while try await server.get("/v1/spaces/hats/entities/\(id)").status == 404 {
          try await Task.sleep(for: .milliseconds(50))
        }
      }
      // The restored space writes under a replica of its own, so there is no fork.
      try await server.run(create("after"))
      for store in [laptop, phone] { try await store.sync(with: space(server)) }
      #expect(try await laptop.frontier() == phone.frontier())
      #expect(try await laptop.entity("after") != nil)
      #expect(try await laptop.check().isClean)
      #expect(
        try await server.get("/v1/spaces/hats").json["id"] == .string(restored.id)
      )
    }
  }

  @Test func `a position of the copy before a restore is none of the restored one`() async throws {
    let scratch = try Scratch()
    let store = try await Store.open(scratch.path("a.varve"))
    _ = try await store.create("Hat", id: "a")
    let log = try store.sharedLog()
    let (id, before) = (try await log.space(), try await log.end())
    try await store.backup(to: scratch.path("backup.file"))
    let restored = try await SpaceDirectory.restore(
      scratch.path("backup.file"),
      to: scratch.path,
      as: "b"
    )
    let copy = try await Store.open(scratch.path("b.varve"))
    let other = try copy.sharedLog()
    let after = try await other.end()
    #expect(restored.id == id.text)
    #expect(try await other.space() == id)
    #expect(after.number == before.number)
    #expect(after.incarnation != before.incarnation)
    #expect(try await other.arrivals(after: before, atMost: 1, wholeUpTo: 1_000) == nil)
    #expect(try await other.arrivals(after: after, atMost: 1, wholeUpTo: 1_000) != nil)
    #expect(try await copy.replica() != store.replica())
  }

  @Test func `what is no store is not restored, and leaves nothing behind`() async throws {
    let scratch = try Scratch()
    let folder = scratch.path("stores")
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try Data("a text".utf8).write(to: URL(fileURLWithPath: scratch.path("text")))
    for name in ["text", "missing"] {
      await #expect(throws: VarveError.self) {
        try await SpaceDirectory.restore(scratch.path(name), to: folder, as: "hats")
      }
    }
    #expect(try scratch.names(in: "stores").isEmpty)
  }
}
#endif
