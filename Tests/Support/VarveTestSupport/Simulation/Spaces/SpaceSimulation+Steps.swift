import VarveCore
import VarveSync

/// The steps, and what stores write.
extension SpaceSimulation {
  func takeStep() async throws {
    switch Int.random(in: 0..<100, using: &random) {
    case ..<20: try await write(random.pick(clients).store)
    case ..<24: try await write(server.store)
    case ..<28: clock.advance(by: random.pick([1, 1_000, 60_000, 3_600_000]))
    case ..<42: try await begin(random.pick(clients))
    case ..<84: try await advanceSome()
    case ..<88: try await deliverLate()
    case ..<91: random.pick(clients.map(\.store) + [server.store]).failure = randomFailure()
    case ..<93: try await restartServer()
    case ..<95: try await restart(random.pick(clients))
    case ..<96: server.store.isFull.toggle()
    case ..<97: try await restartServer { try self.backUp() }
    case ..<98: try await goBack()
    default: try await addNewcomer()
    }
  }

  private func randomFailure() -> SimulatedStore.Failure { random.chance(50) ? .before : .after }

  /// Writes one transaction of random operations.
  private func write(_ store: SimulatedStore) async throws {
    let operations = operations(of: store)
    let request = WriteRequest(author: "store \(store.number)")
    let before = try await store.backend.frontier()
    let (_, receipt) = try await store.backend.write(request) { writer in
      for operation in operations { try await operation.apply(to: writer) }
    }
    guard let commit = receipt?.commit else { return }
    note("store \(store.number) writes \(commit.id.replica.text.prefix(8))#\(commit.id.sequence)")
    server.note { $0.tally.writeCount += 1 }
    written.insert(commit.id)
    if store.number == server.store.number { acknowledged.insert(commit.id) }
    if store.number == Self.otherNumber { writtenThere.insert(commit.id) }
    guard store.number != server.store.number, !server.isAdmin(store.number) else { return }
    for commit in try await store.backend.commits(beyond: before, atMost: .max)
    where commit.header.kind == .redactions { forbidden.insert(commit.id) }
  }

  private func operations(of store: SimulatedStore) -> [Operation] {
    let isClient = store.number != server.store.number
    if isClient, random.chance(plan.purges) { return [.purge(random.pick(generator.ids))] }
    if random.chance(6) {
      return (0..<60).map { number in
        // The value does not compress, so that every limit is reached.
        let words = (0..<6).map { _ in String(random.next(), radix: 36) }
        let id = EntityID(unchecked: "large \(written.count) \(number)")
        return .create(Creation(id, "Hat", [Assignment("name", .string(words.joined()))]))
      }
    }
    while true {
      if case .write(_, let operations) = generator.next() { return operations }
    }
  }
}
