#if CommandLine && Server
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
