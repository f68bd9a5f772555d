import VarveCore

extension SyncSession {
  /// Starts the session of a log.
  ///
  /// - Parameters:
  ///   - log: the log on this side.
  ///   - wantsOutlines: whether to receive the present before its history, if the log can take it
  ///     that way.
  mutating func start(on log: any CommitLog, wantsOutlines: Bool) async throws -> [SyncAction] {
    let (replica, frontier) = (try await log.replica(), try await log.frontier())
    let summits = try await log.summits()
    return start(
      replica: replica,
      summits: summits,
      frontier: frontier,
      wantsOutlines: wantsOutlines ? try await log.takesOutlines() : false
    )
  }
}
