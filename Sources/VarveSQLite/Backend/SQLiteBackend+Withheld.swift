import Synchronization
package import VarveCore

/// Commits that take effect later (R11).
extension SQLiteBackend {
  package func withheldCommits() async throws -> [Commit] {
    try await inspecting { session in
      let statement = try session.connection.ownStatement("SELECT n FROM varve_withheld")
      var numbers: [Int64] = []
      while try statement.step() { numbers.append(statement.int(0)) }
      return try numbers.map { try session.log.commit(number: $0) }.sorted {
        ($0.header.time, $0.id) < ($1.header.time, $1.id)
      }
    }
  }

  /// Applies withheld commits that became due while the store was closed. If another process is
  /// writing, that process applies them.
  func applyDueAtOpening() async throws {
    guard let next = try await nextWithheld(), delay(until: next) == 0 else { return }
    try? await runDueWork(patienceMilliseconds: 1_000)
  }

  /// The time by the clock that decides: the home's, as far as it is known, or the wall clock.
  private var now: Int64 { configuration.nearestMilliseconds + homeLead.withLock { $0 } }

  private func nextWithheld(after time: HybridTime = .distantPast) async throws -> HybridTime? {
    try await inspecting { try $0.log.nextWithheld(after: time) }
  }

  /// Returns the milliseconds until a withheld commit takes effect.
  private func delay(until time: HybridTime) -> Int64 {
    let due = time.millisecondsSince1970 - configuration.toleranceMilliseconds
    return max(0, due - now)
  }

  /// Schedules the application of withheld commits for when they are due.
  ///
  /// - Parameter time: commits stamped up to it are skipped. They were due already; one that is
  ///   still withheld cannot be read.
  func wakeForWithheld(after time: HybridTime = .distantPast) async throws {
    guard let next = try await nextWithheld(after: time) else { return }
    let delay = delay(until: next)
    let task = Task { [weak self] in
      try? await Task.sleep(for: .milliseconds(min(delay, 3_600_000)))
      guard !Task.isCancelled, let self else { return }
      try? await self.runDueWork(patienceMilliseconds: 5_000)
      let dueUntil = self.now + self.configuration.toleranceMilliseconds
      let isDue = next.millisecondsSince1970 <= dueUntil
      try? await self.wakeForWithheld(after: isDue ? next : time)
    }
    wake.withLock { old in
      old?.cancel()
      old = task
    }
  }
}
