import VarveCore

/// Reads from the log the changes that subscribers have not received.
extension Store {
  /// The number of bytes of commits that are read at a time.
  private static let partByteCount = 16 << 20

  /// Polls for changes until the hub stops the task.
  func watch() -> Task<Void, Never> {
    Task.detached { [weak self] in
      guard let probe = try? self?.backend.changeProbe() else {
        self?.hub.noteUnpolled()
        return
      }
      defer { probe.close() }
      guard let pause = self?.configuration.pollPause else {
        for await _ in ChangePoller.shared.changes(of: probe) {
          guard await self?.reportPolled() == true else { return }
        }
        return
      }
      while !Task.isCancelled {
        if (try? probe.hasChanged()) ?? true, await self?.reportPolled() != true { return }
        try? await pause(ChangePoller.interval)
      }
    }
  }

  /// Reports what a poll found. Returns whether polling goes on.
  private func reportPolled() async -> Bool {
    do {
      try await reportNews()
      return true
    } catch let error as VarveError where error.code == .busy {
      // The file is being recovered; the next poll sees the change.
      return true
    } catch is CancellationError {
      return false
    } catch {
      hub.finish(error)
      return false
    }
  }

  /// Reads the log soon, in a task of its own.
  func lookSoon(after delay: Duration = .zero) {
    guard hub.beginLooking() else { return }
    Task.detached { [weak self] in
      try? await Task.sleep(for: delay)
      self?.hub.endLooking()
      guard let self else { return }
      do { try await self.reportNews() } catch { self.hub.finish(error) }
    }
  }

  /// Sends subscribers everything in the log that they have not received.
  package func reportNews() async throws {
    guard hub.isActive else { return }
    do {
      try await lookAtLog()
    } catch let error as VarveError where error.code == .historyAwaited {
      // There is no present to report yet. Everything is reported once it is complete.
      return
    } catch let error as VarveError where error.code == .suspended {
      // Everything is reported once the store is resumed.
      return
    }
  }

  private func lookAtLog() async throws {
    try await hub.logReading.pass { _ in
      while let cursor = hub.cursor {
        let part = try await backend.commits(beyond: cursor, atMost: Self.partByteCount)
        let withheld = Set(
          part.isEmpty && !hub.hasWithheld ? [] : try await backend.withheldCommits().map(\.id)
        )
        // Those of a chain that are due precede its news.
        try await tellDue(but: withheld)
        guard try await tell(of: part, withheld: withheld) else { return }
        if part.isEmpty { break }
      }
    }
    // Without polls, nothing tells that a withheld commit has taken effect.
    if hub.hasWithheld, hub.isUnpolled { lookSoon(after: .seconds(1)) }
  }

  /// Reports the commits that have taken effect since they were withheld.
  private func tellDue(but withheld: Set<CommitID>) async throws {
    var (before, due) = hub.takeDue(but: withheld)
    for commit in due {
      let after = before.including(commit)
      let draft = try await draft(from: before, to: after, by: [commit])
      hub.tell(draft.changes(.due, .write, CommitSummary(commit.header, id: commit.id)))
      before = after
    }
  }

  /// Reports commits in order. Returns false if it stops at one that its writer will report.
  private func tell(of part: [Commit], withheld: Set<CommitID>) async throws -> Bool {
    guard var cursor = hub.cursor else { return true }
    let own = try await replica()
    let merged = part.filter { !withheld.contains($0.id) && hub.takeMerged($0.id) }
    if let last = merged.last {
      let after = merged.reduce(cursor) { $0.including($1) }
      let draft = try await draft(from: cursor, to: after, by: merged)
      let summary = CommitSummary(last.header, id: last.id)
      hub.tell(
        draft.changes(.merge, .merge, summary, commitCount: merged.count),
        through: merged
      )
      cursor = after
    }
    let known = Set(merged.map(\.id))
    for commit in part where !known.contains(commit.id) {
      if commit.header.replica == own {
        if hub.postpone() { return false }
        if let reached = hub.cursor, reached.covers(commit.id) {
          cursor = cursor.including(commit)
          continue
        }
      }
      let after = cursor.including(commit)
      if withheld.contains(commit.id) { hub.withhold(commit) }
      if withheld.contains(commit.id) {
        hub.advance(through: [commit])
      } else if !hub.tellPublished(commit) {
        let changes = try await changes(of: commit, .elsewhere, from: cursor, to: after, own)
        hub.tell(changes, through: [commit])
      }
      cursor = after
    }
    return true
  }
}
