package import VarveCore

/// A log of a sealed space.
extension SQLiteBackend {
  package var sealing: (any SpaceSealing)? { configuration.sealing }

  package func atDesk<Result: Sendable>(
    _ body: (any SealedDesk) throws -> Result
  ) async throws -> Result {
    guard sealing != nil else { throw VarveError.sealingIsMissing.located(at: place) }
    let result = try await exclusively { session in
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
