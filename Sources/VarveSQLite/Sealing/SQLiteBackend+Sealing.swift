package import VarveCore

/// A log of a sealed space.
extension SQLiteBackend {
  package var sealing: (any SpaceSealing)? { configuration.sealing }

  package func atDesk<Result: Sendable>(
    _ body: (any SealedDesk) throws -> Result
  ) async throws -> Result {
    guard sealing != nil else { throw VarveError.sealingIsMissing.located(at: place) }
    let result = try await exclusively { session in
      try requireRelayHere(session)
      let result = try body(SessionDesk(session))
      // A device that may write again does so under a replica whose commits count.
      if try session.log.sealedView?.hasEnded(session.log.state.own.replica) == true {
        try session.log.startOwnChain()
        try session.becomeAnotherCopy()
      }
      return result
    }
    try await flushIfSynchronized(nil)
    return result
  }

  /// Throws if the file is the index of a relay, and was opened without the home.
  func requireRelayHere(_ session: Session) throws {
    guard configuration.home == nil, sealing != nil, session.log.state.followsHome else { return }
    throw VarveError.relayIsElsewhere.located(at: place)
  }

  package func readingDesk<Result: Sendable>(
    _ body: (any SealedDesk) throws -> Result
  ) async throws -> Result {
    guard sealing != nil else { throw VarveError.sealingIsMissing.located(at: place) }
    return try await inspecting { try body(SessionDesk($0)) }
  }

  package func standings() async throws -> [CommitID: CommitStanding] {
    guard sealing != nil else { return [:] }
    return try await inspecting { session in
      guard try session.log.sealedView != nil else { return [:] }
      var standings: [CommitID: CommitStanding] = [:]
      for (n, standing) in try session.log.verdicts() {
        standings[try session.log.commit(ofBlock: n).summary.id] = standing
      }
      for (n, time) in try session.log.withheldTimes() where time == LogTables.undecidedTime {
        let id = try session.log.commit(ofBlock: n).summary.id
        standings[id] = standings[id] ?? .waiting("predecessor")
      }
      return standings
    }
  }
}
