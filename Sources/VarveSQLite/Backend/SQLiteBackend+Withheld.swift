import Synchronization
package import VarveCore

/// Commits that take effect later (R11).
extension SQLiteBackend {
  package func withheldCommits() async throws -> [Commit] {
    try await inspecting { session in
      let statement = try session.connection.ownStatement("SELECT n FROM varve_withheld")
      var numbers: [Int64] = []
      while try statement.step() { numbers.append(statement.int(0)) }
      return try numbers.map { try session.log.shownCommit(number: $0) }.sorted {
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

  // MARK: Noticing them

  /// Begins a read transaction in which the commits that are due have taken effect, unless another
  /// writer is busy: it applies them.
  ///
  /// Another process may have stored them, or have stored them long ago and ended. Nothing announces
  /// either. At a home, only a turn decides; a read takes none.
  func beginReading(_ session: Session) async throws {
    try session.begin()
    guard !configuration.isReadOnly else { return }
    do {
      guard try isDue(in: session), !hasHome else { return }
    } catch {
      session.end()
      throw error
    }
    session.end()
    try? await runDueWork(patienceMilliseconds: 0)
    try session.begin()
  }

  /// Returns whether a withheld commit is due, and it is worth trying to apply it. Schedules the
  /// next one.
  private func isDue(in session: Session) throws -> Bool {
    let mark = session.connection.logMark
    let known = withheld.withLock { $0.next(at: mark) }
    let next: HybridTime?
    if let known {
      next = known
    } else {
      next = try session.log.nextWithheld()
      let isNew = withheld.withLock { $0.note(next, at: mark) }
      if isNew, let next { wakeForWithheld(at: next, after: .distantPast) }
    }
    guard let next, delay(until: next) == 0 else { return false }
    return withheld.withLock { $0.mayTry(at: mark) }
  }

  /// Returns whether a read without a transaction would show a state in which no commit is due.
  func isKnownUndue(_ session: Session) -> Bool {
    guard !configuration.isReadOnly else { return true }
    let known = withheld.withLock { $0.next(at: session.connection.logMark) }
    guard let next = known else { return false }
    return hasHome || (next.map { delay(until: $0) > 0 } ?? true)
  }

  /// Schedules the application of withheld commits for when they are due.
  ///
  /// - Parameter time: commits stamped up to it are skipped. They were due already; one that is
  ///   still withheld cannot be read.
  func wakeForWithheld(after time: HybridTime = .distantPast) async throws {
    guard let next = try await nextWithheld(after: time) else { return }
    wakeForWithheld(at: next, after: time)
  }

  private func wakeForWithheld(at next: HybridTime, after time: HybridTime) {
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

/// What is known of the commits that are withheld.
struct WithheldNews: Sendable {
  private var mark: LogMark?
  private var time: HybridTime?
  private var lastTry: (mark: LogMark?, time: ContinuousClock.Instant)?

  /// The time between two attempts to apply what is due, if the first one changed nothing.
  private static let pause = Duration.milliseconds(100)

  /// Returns the time of the next withheld commit, or nil in it, if the log is as it was when that
  /// was read.
  func next(at mark: LogMark?) -> HybridTime?? {
    guard let mark, mark == self.mark else { return nil }
    return .some(time)
  }

  /// Records the next withheld commit. Returns whether it is another one.
  mutating func note(_ next: HybridTime?, at mark: LogMark?) -> Bool {
    self.mark = mark
    defer { time = next }
    return time != next
  }

  /// Returns whether an attempt may be made. One that changes nothing, because another writer is busy
  /// or a commit cannot be read, stands for those of many reads.
  mutating func mayTry(at mark: LogMark?) -> Bool {
    let now = ContinuousClock.now
    if let lastTry, lastTry.mark == mark, now < lastTry.time + Self.pause { return false }
    lastTry = (mark, now)
    return true
  }
}
