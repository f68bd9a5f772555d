#if CommandLine && Server
import Foundation
import Testing
import VarveClient
import VarveCore
import VarveServer
import VarveStore
import VarveTestSupport

@Suite struct ReplicatorTests {
  /// Runs a body while a store is kept equal with a space.
  private func replicating(
    _ store: Store,
    _ address: String,
    _ body: (AsyncStream<Replicator.Status>) async throws -> Void
  ) async throws {
    let replicator = Replicator(store, with: RemoteSpace("\(address)/v1/spaces/hats"))
    let task = Task { try await replicator.run() }
    defer { task.cancel() }
    try await body(replicator.statuses)
  }

  /// Waits until a store has an entity.
  private func wait(for id: EntityID, in store: Store) async throws {
    for try await isThere in try await store.observe(["Hat"], { try await $0.entity(id) != nil })
    where isThere { return }
  }

  private func wait(
    for state: Replicator.State,
    _ statuses: AsyncStream<Replicator.Status>
  ) async throws -> Replicator.Status {
    for await status in statuses {
      if status.state == state { return status }
    }
    throw CancellationError()
  }

  @Test(.timeLimit(.minutes(5)))
  func `what one store writes arrives in the other, both ways, without being asked for`()
    async throws
  {
    try await Served.with { server in
      try await server.create()
      let (laptop, phone) = (try await Store.open(.inMemory), try await Store.open(.inMemory))
      try await replicating(laptop, server.address) { statuses in
        _ = try await wait(for: .live, statuses)
        try await replicating(phone, server.address) { _ in
          _ = try await laptop.create("Hat", id: "a")
          try await wait(for: "a", in: phone)
          _ = try await phone.create("Hat", id: "b")
          try await wait(for: "b", in: laptop)
        }
      }
    }
  }

  @Test(.timeLimit(.minutes(5)))
  func `what is written while the server is away waits, and is sent when it is back`()
    async throws
  {
    let store = try await Store.open(.inMemory)
    let scratch = try Scratch()
    let port = try await Served.with(scratch: scratch) { server in
      try await server.create()
      return server.port
    }
    try await replicating(store, "http://127.0.0.1:\(port)") { statuses in
      _ = try await store.create("Hat", id: "a")
      let offline = try await wait(for: .offline, statuses)
      // Before the first exchange, what the space has is not known.
      #expect(offline.waitingCount == nil)
      try await Served.with(scratch: scratch, port: port) { server in
        let live = try await wait(for: .live, statuses)
        #expect(live.waitingCount == 0)
        #expect(try await server.get("/v1/spaces/hats/entities/a").status == 200)
      }
    }
  }

  @Test(.timeLimit(.minutes(5)))
  func `only what was written since the last exchange waits while the token is refused`()
    async throws
  {
    let store = try await Store.open(.inMemory)
    for number in 0..<5 { try await store.create("Hat", id: EntityID("\(number)")) }
    let scratch = try Scratch()
    let port = try await Served.with(scratch: scratch) { server in
      try await server.create()
      return server.port
    }
    try await replicating(store, "http://127.0.0.1:\(port)") { statuses in
      try await Served.with(scratch: scratch, port: port) { _ in
        let live = try await wait(for: .live, statuses)
        #expect(live.waitingCount == 0)
      }
      try await store.create("Hat", id: "late")
      let tokens = TokenFile(scratch.path("tokens.jsonl"))
      try await Served.with(.tokens(tokens), scratch: scratch, port: port) { _ in
        let refused = try await wait(for: .needsCredentials, statuses)
        #expect(refused.waitingCount == 1)
      }
    }
  }

  @Test(.timeLimit(.minutes(2)))
  func `a store that was suspended is kept equal again once it is resumed`() async throws {
    let scratch = try Scratch()
    let phone = try await Store.open(scratch.path("phone"))
    let laptop = try await Store.open(.inMemory)
    try await Served.with { server in
      try await server.create()
      try await replicating(phone, server.address) { statuses in
        _ = try await wait(for: .live, statuses)
        try await phone.suspend()
        try await laptop.create("Hat", id: "a")
        try await laptop.sync(with: RemoteSpace("\(server.address)/v1/spaces/hats"))
        let offline = try await wait(for: .offline, statuses)
        #expect(offline.error?.code == .suspended)
        try await phone.resume()
        try await wait(for: "a", in: phone)
        try await phone.create("Hat", id: "b")
        let end = ContinuousClock.now + .seconds(60)
        while try await laptop.entity("b") == nil {
          try #require(ContinuousClock.now < end)
          try await laptop.sync(with: RemoteSpace("\(server.address)/v1/spaces/hats"))
        }
      }
    }
    try await phone.close()
  }

  /// Writes that change nothing at present.
  enum Unseen: CaseIterable {
    case purge
    case compaction
    case keptDeath
    case createdAndErased

    func write(to store: Store) async throws {
      switch self {
      case .purge: try await store.purge(["dead"])
      case .compaction: try await store.compact(before: Date(), shrinking: false)
      case .keptDeath:
        let conflict = try #require(try await store.conflicts().first { $0.key == nil })
        try await store.resolve(conflict, by: .death)
      case .createdAndErased:
        try await store.write { tx in
          try await tx.create("Hat", id: "brief")
          try await tx.erase("brief")
        }
      }
    }
  }

  @Test(.timeLimit(.minutes(2)), arguments: Unseen.allCases)
  func `what changes nothing at present is sent at once too`(unseen: Unseen) async throws {
    let store = try await Store.open(.inMemory)
    let other = try await Store.open(.inMemory)
    for id in ["hat", "dead"] as [EntityID] {
      try await store.create("Hat", id: id, ["color": "red"])
      try await store.set(id, "color", "blue")
    }
    try await other.merge(from: store)
    try await other.set("dead", "color", "green")
    try await store.erase("dead")
    try await store.merge(from: other)
    try await Served.with { server in
      try await server.create()
      try await replicating(store, server.address) { statuses in
        _ = try await wait(for: .live, statuses)
        try await unseen.write(to: store)
        let written = try await store.frontier()
        // The next exchange in any case would be after a minute.
        let end = ContinuousClock.now + .seconds(30)
        while true {
          let copy = try await Store.open(.inMemory)
          try await copy.sync(with: RemoteSpace("\(server.address)/v1/spaces/hats"))
          if try await copy.frontier() == written { break }
          try #require(ContinuousClock.now < end, "\(unseen) was not sent")
          try await Task.sleep(for: .milliseconds(100))
        }
      }
    }
  }

  @Test(.timeLimit(.minutes(5)))
  func `a missing space and a missing token are states of their own`() async throws {
    let store = try await Store.open(.inMemory)
    try await Served.with { server in
      try await replicating(store, server.address) { statuses in
        let status = try await wait(for: .ended, statuses)
        #expect(status.error?.code == .notFound)
      }
    }
    let scratch = try Scratch()
    let tokens = TokenFile(scratch.path("tokens.jsonl"))
    try await Served.with(.tokens(tokens), scratch: scratch) { server in
      try await replicating(store, server.address) { statuses in
        _ = try await wait(for: .needsCredentials, statuses)
      }
    }
  }
}
#endif
