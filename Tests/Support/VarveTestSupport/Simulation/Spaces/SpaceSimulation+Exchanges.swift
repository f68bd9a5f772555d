import VarveCore
import VarveSync

/// The exchanges of the clients, request by request.
extension SpaceSimulation {
  /// Begins an exchange of a client that has none under way.
  func begin(_ client: SimulatedClient) async throws {
    guard client.exchange == nil else { return }
    exchangeCount += 1
    note("client \(client.store.number) begins an exchange")
    client.exchange = await SimulatedExchange(
      of: client,
      server,
      seed: plan.seed &+ exchangeCount << 32,
      mishaps: 18,
      limits: plan.limits
    )
  }

  /// Lets exchanges go on for a while, in random order.
  func advanceSome() async throws {
    for _ in 0..<Int.random(in: 1...12, using: &random) {
      let busy = clients.filter { $0.exchange != nil }
      guard !busy.isEmpty else { return }
      try await advance(random.pick(busy))
      try await settleCrashes()
    }
  }

  private func advance(_ client: SimulatedClient) async throws {
    guard let exchange = client.exchange else { return }
    await exchange.giveTurn()
    if let result = await exchange.result { try await end(client, result) }
  }

  /// Breaks the connection of a client, whose exchange ends.
  func finish(_ client: SimulatedClient) async throws {
    client.exchange?.cut()
    while client.exchange != nil { try await advance(client) }
  }

  func end(
    _ client: SimulatedClient,
    _ result: Result<SpaceExchange.Outcome, any Error>
  ) async throws {
    client.exchange = nil
    gatherAcknowledged()
    do {
      let outcome = try result.get()
      server.note { $0.tally.finishedCount += 1 }
      client.hasMet = true
      client.meeting = outcome.meeting
      newestMeeting = outcome.meeting ?? newestMeeting
      try await check(client)
    } catch is SimulatedNetwork.Lost {
      // As where a cursor is kept apart from the store that it is about.
      if plan.fault == .cursorsKept { client.meeting = newestMeeting }
    } catch let crash as SimulatedCrash where crash.store == client.store.number {
      try await restart(client)
    } catch let error as VarveError {
      note("client \(client.store.number): \(error)")
      try accept(error, of: client)
    }
  }

  func gatherAcknowledged() {
    let (present, former) = server.note { notes in
      defer { (notes.acknowledged, notes.acknowledgedBefore) = ([], []) }
      return (notes.acknowledged, notes.acknowledgedBefore)
    }
    acknowledged.formUnion(present)
    // The client that sent them still has them, so the server gets them again.
    awaitedAgain.formUnion(former)
  }

  /// Throws unless an error is one of those that a client meets when others fail.
  private func accept(_ error: VarveError, of client: SimulatedClient) throws {
    switch error.code {
    // A reply or a request was cut, or the server's disk is full.
    case .inputOutput, .damaged, .diskFull, .invalidArgument, .closed: return
    case .notFound where hasEnded: server.note { $0.tally.refusedCount += 1 }
    default:
      throw SimulationFailure("an exchange of client \(client.store.number) fails: \(error)")
    }
  }

  /// Checks that a client has everything up to where it met the server.
  private func check(_ client: SimulatedClient) async throws {
    guard let meeting = client.meeting else { return }
    let backend = server.store.backend
    guard
      let tail = try await backend.arrivals(
        after: meeting.position.position,
        atMost: .max,
        wholeUpTo: .max
      )
    else { return }
    let later = Set(tail.items.map(\.id))
    let earlier = try await backend.commits(beyond: .empty, atMost: .max).map(\.id)
      .filter { !later.contains($0) }
    let held = try await client.store.backend.held(among: earlier)
    guard held.count < earlier.count else { return }
    throw SimulationFailure(
      "meeting: client \(client.store.number) lacks \(earlier.count - held.count) commits from "
        + "before the place where it was equal to the server"
    )
  }

  /// Delivers an earlier request again, as a proxy may that was slow.
  func deliverLate() async throws {
    let letters = server.note { $0.letters }
    guard !letters.isEmpty else { return }
    let late = random.pick(letters)
    server.note { $0.tally.lateCount += 1 }
    do {
      _ = try await server.take(late.bytes, for: late.space, from: late.client)
    } catch is SimulatedNetwork.Lost {
    } catch let error as VarveError where error.code == .notFound && hasEnded {
      server.note { $0.tally.refusedCount += 1 }
    } catch let error as VarveError where [.diskFull, .invalidArgument].contains(error.code) {
    }
  }
}
