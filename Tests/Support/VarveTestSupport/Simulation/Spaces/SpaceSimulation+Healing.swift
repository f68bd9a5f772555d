import VarveCore
import VarveSync

extension SpaceSimulation {
  private static let roundCount = 6

  /// Ends all mishaps, and checks what must hold afterwards.
  func heal() async throws {
    for store in clients.map(\.store) + [server.store] {
      (store.isFull, store.failure) = (false, nil)
    }
    clock.advance(by: 3 * 366 * 86_400_000)
    try await settle()
    try await checkParked()
    // What only an admin may hand over comes at last.
    let numbers = clients.map(\.store.number)
    server.note { $0.admins = Set(numbers) }
    try await settle()
    try await checkEquality()
    try await checkAcknowledged()
  }

  /// Lets every client synchronise until there is nothing left to send.
  private func settle() async throws {
    for _ in 0..<Self.roundCount {
      var isQuiet = true
      for client in clients {
        let report = try await synchronize(client)
        isQuiet = isQuiet && report.sentCount == 0 && report.receivedCount == 0
      }
      if isQuiet { return }
    }
    throw SimulationFailure("quiescence: clients still send after \(Self.roundCount) rounds")
  }

  private func synchronize(_ client: SimulatedClient) async throws -> SyncReport {
    let exchange = await SimulatedExchange(
      of: client,
      server,
      seed: plan.seed,
      mishaps: 0,
      limits: plan.limits
    )
    while await exchange.result == nil { await exchange.giveTurn() }
    do {
      guard let outcome = try await exchange.result?.get() else { return SyncReport() }
      client.meeting = outcome.meeting
      return outcome.report
    } catch {
      throw SimulationFailure("a synchronisation without mishaps fails: \(error)")
    }
  }

  /// Checks that no purge was taken from those who are no admins, and that what was parked stops
  /// only what depends on it.
  private func checkParked() async throws {
    let taken = try await server.store.backend.held(among: Array(forbidden))
    guard taken.isEmpty else {
      throw SimulationFailure("rights: the server took a purge from a client that is no admin")
    }
    for client in clients {
      let commits = try await client.store.backend.commits(beyond: .empty, atMost: .max)
      let there = try await server.store.backend.held(among: commits.map(\.id))
      let outstanding = commits.filter { !there.contains($0.id) }
      let ids = Set(outstanding.map(\.id))
      for commit in outstanding {
        // A server cannot tell what was purged of a commit from what a writer made up.
        let isForAdmins =
          commit.header.kind == .redactions
          || commit.blocks.contains { $0.isRedacted || $0.isOutline }
        let isParked = isForAdmins && !server.isAdmin(client.store.number)
        guard isParked || commit.needed.contains(where: ids.contains) else {
          throw SimulationFailure(
            "parking: a commit of client \(client.store.number) that depends on no parked one did "
              + "not arrive"
          )
        }
      }
    }
  }

  private func checkEquality() async throws {
    let heads = try await server.store.backend.frontier()
    let reference = ReferenceBackend(wallMilliseconds: clock.reading())
    try await reference.catchUp(with: server.store.backend)
    let expected = try await CanonicalExport(of: reference, ids: generator.ids)
    for store in clients.map(\.store) + [server.store] {
      guard try await store.backend.frontier() == heads else {
        throw SimulationFailure("equality: store \(store.number) has other commits")
      }
      // Withheld commits take effect with the next transaction at the latest.
      _ = try await store.backend.append([])
      let actual = try await CanonicalExport(of: store.backend, ids: generator.ids)
      if let difference = expected.firstDifference(from: actual) {
        throw SimulationFailure("equality: store \(store.number) differs\n\(difference)")
      }
      let findings = try await store.backend.check { _ in }.findings
      guard findings.isEmpty else {
        throw SimulationFailure("check: store \(store.number): \(findings)")
      }
    }
  }

  private func checkAcknowledged() async throws {
    let expected = Array(acknowledged.union(awaitedAgain))
    let held = try await server.store.backend.held(among: expected)
    guard held.count == expected.count else {
      throw SimulationFailure(
        "durability: the server lacks \(expected.count - held.count) acknowledged commits, "
          + "among them \(try await described(Set(expected).subtracting(held)))"
      )
    }
    for commit in try await server.store.backend.commits(beyond: .empty, atMost: .max)
    where !written.contains(commit.id) {
      throw SimulationFailure("authorship: no store wrote commit \(commit.header.sequence)")
    }
  }

  /// Names the least of some commits, and the stores that have it.
  func described(_ commits: Set<CommitID>) async throws -> String {
    guard let one = commits.min() else { return "none" }
    var holders: [Int] = []
    for store in clients.map(\.store) where try await !store.backend.held(among: [one]).isEmpty {
      holders.append(store.number)
    }
    return "\(one.replica.description.prefix(8))#\(one.sequence), which stores \(holders) have"
  }

  /// Checks that those who were bound to a space that has ended took nothing from the other. That
  /// they sent nothing is checked with every request.
  func checkEnd() async throws {
    let own = try await server.store.backend.commits(beyond: .empty, atMost: .max).map(\.id)
      .filter(writtenThere.contains)
    for client in clients where client.isBound {
      let held = try await client.store.backend.held(among: own)
      guard held.isEmpty else {
        throw SimulationFailure(
          "binding: client \(client.store.number) took commits of another space"
        )
      }
    }
  }
}
