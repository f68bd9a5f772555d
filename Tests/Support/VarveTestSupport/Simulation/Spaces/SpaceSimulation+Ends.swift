import VarveCore
import VarveSync

/// Processes and spaces that end, and clients that are new.
extension SpaceSimulation {
  /// Starts those processes again that have ended.
  func settleCrashes() async throws {
    guard server.note({ $0.hasCrashed }) else { return }
    try await restartServer()
  }

  /// Ends the process of the server and starts it again. It remembers nothing.
  func restartServer(whileClosed body: () throws -> Void = {}) async throws {
    let store = server.store
    gatherAcknowledged()
    note("the server ends and starts")
    server.note {
      $0.hasCrashed = false
      $0.tally.restartCount += 1
    }
    store.failure = nil
    try await store.backend.close()
    try body()
    try await open(store)
    let held = try await store.backend.held(among: Array(acknowledged))
    guard held.count == acknowledged.count else {
      throw SimulationFailure(
        "durability: the server lacks \(acknowledged.count - held.count) acknowledged commits, "
          + "among them \(try await described(acknowledged.subtracting(held)))"
      )
    }
  }

  func restart(_ client: SimulatedClient) async throws {
    note("client \(client.store.number) ends and starts")
    try await close(client)
    try await open(client.store)
  }

  func close(_ client: SimulatedClient) async throws {
    client.store.failure = nil
    if client.exchange != nil { try await finish(client) }
    client.store.failure = nil
    // Where it met the server is known to the process only.
    client.meeting = nil
    try await client.store.backend.close()
  }

  func backUp() throws {
    guard !hasEnded else { return }
    try disk.copy(server.store.number, to: Self.backupNumber)
    hasBackup = true
    note("the server is backed up")
  }

  /// Replaces the server's copy by the backup, as another incarnation and another replica. Only
  /// what no client has may be lost.
  func goBack() async throws {
    guard hasBackup, !hasEnded else { return }
    note("the server goes back")
    server.note { $0.tally.goBackCount += 1 }
    let store = server.store
    (store.failure, store.isFull) = (nil, false)
    try await store.backend.close()
    try disk.copy(Self.backupNumber, to: store.number)
    try await open(store)
    _ = try await store.backend.leave(try await store.backend.replica())
    gatherAcknowledged()
    let known = Array(acknowledged.union(awaitedAgain))
    acknowledged = try await store.backend.held(among: known)
    awaitedAgain = []
    for client in clients {
      awaitedAgain.formUnion(try await client.store.backend.held(among: known))
    }
    awaitedAgain.subtract(acknowledged)
  }

  /// Ends the space: another gets its address.
  func endSpace() async throws {
    note("another space gets the address")
    for client in clients { try await finish(client) }
    try await settleCrashes()
    for client in clients {
      let space = try await client.store.backend.boundSpace(at: Self.address)
      client.isBound = space != nil || client.hasMet
    }
    let bound = clients.filter(\.isBound).map(\.store.number)
    server.note { $0.strangers = Set(bound) }
    try await server.store.backend.close()
    server.store = SimulatedStore(Self.otherNumber)
    try await open(server.store)
    _ = try await server.store.backend.space()
    (acknowledged, hasEnded) = ([], true)
  }

  func addClient(_ number: Int) async throws {
    // In a space that ends, every client remembers the space it met.
    let store = SimulatedStore(plan.ends ? 2 * number + 1 : number)
    try await open(store)
    if number % 3 == 0 { server.note { _ = $0.admins.insert(store.number) } }
    clients.append(SimulatedClient(store))
  }

  /// Adds a client with an empty store, or with a copy of another's file, which goes on as the same
  /// replica.
  func addNewcomer() async throws {
    guard clients.count < plan.clientCount + 3 else { return }
    nextNumber += 2
    guard random.chance(50) else { return try await addClient(nextNumber + 1) }
    let source = random.pick(clients)
    // The number of a store says of which kind it is, and a copy is of its source's.
    let number = Self.copyNumber + 8 * nextNumber + source.store.number % 8
    try await close(source)
    try disk.copy(source.store.number, to: number)
    try await open(source.store)
    let copy = SimulatedClient(SimulatedStore(number))
    (copy.isBound, copy.hasMet) = (source.isBound, source.hasMet)
    try await open(copy.store)
    clients.append(copy)
    if server.isAdmin(source.store.number) { server.note { _ = $0.admins.insert(number) } }
    if hasEnded, copy.isBound { server.note { _ = $0.strangers.insert(number) } }
    note("client \(number) is a copy of \(source.store.number)")
    server.note { $0.tally.cloneCount += 1 }
  }
}
