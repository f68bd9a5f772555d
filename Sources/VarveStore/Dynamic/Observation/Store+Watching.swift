import VarveCore

/// Reads from the log the changes that subscribers have not received.
extension Store {
  /// The pause between two polls for changes by other processes.
  private static let pollInterval = Duration.milliseconds(40)
  /// The number of bytes of commits that are read at a time.
  private static let partByteCount = 16 << 20

  /// Polls for changes until the hub stops the task.
  func watch() -> Task<Void, Never> {
    Task.detached { [weak self] in
      guard let probe = try? self?.backend.changeProbe() else { return }
      defer { probe.close() }
      while !Task.isCancelled {
        guard let self else { return }
        do {
          if try probe.hasChanged() { try await self.reportNews() }
        } catch let error as VarveError where error.code == .busy {
          // The file is being recovered; the next poll sees the change.
        } catch is CancellationError {
          return
        } catch {
          return self.hub.finish(error)
        }
        try? await self.configuration.pollPause(Self.pollInterval)
      }
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
    // There is no notification when a withheld commit of a memory store is due.
    if hub.hasWithheld, !backend.readsDuringWrites { lookSoon(after: .seconds(1)) }
  }

  /// Reports the commits that have taken effect since they were withheld.
  private func tellDue(but withheld: Set<CommitID>) async throws {
    var (before, due) = hub.takeDue(but: withheld)
    for commit in due {
      let after = before.including(commit)
      let draft = try await draft(from: before, to: after)
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
      let draft = try await draft(from: cursor, to: after)
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

  // MARK: What commits changed

  /// Returns the changes of a commit, between the states before and after it.
  func changes(
    of commit: Commit,
    _ origin: ChangeSet.Origin,
    from before: Frontier,
    to after: Frontier,
    _ own: ReplicaID
  ) async throws -> ChangeSet {
    var isPlain = commit.header.replica == own
    var cells: [Cell] = []
    try commit.forEachContent { content, _ in
      for section in content.sections {
        cells += section.cells
        // A creation outside a table may be one of a known entity.
        if case .cells(let cells) = section, !cells.allSatisfy(\.turnsNobody) { isPlain = false }
      }
    }
    let draft =
      isPlain
      ? try await draft(of: cells, isForeign: false)
      : try await draft(from: before, to: after)
    return draft.changes(origin, .write, CommitSummary(commit.header, id: commit.id))
  }

  /// Returns the difference between two states.
  func draft(from before: Frontier, to after: Frontier) async throws -> ChangeDraft {
    let comparison: StateComparison
    do {
      try refuseInsideOwnWrite("diff")
      comparison = try await self.comparison(from: .frontier(before), to: .frontier(after))
    } catch let error as VarveError
      where error.code == .compacted || error.code == .historyAwaited
    {
      // History was folded in between, or is still to come, so the cells of the commits are used.
      let cells = try await backend.commits(beyond: before, atMost: .max)
        .filter { after.covers($0.id) }.flatMap { try $0.cells() }
      return try await self.draft(of: cells, isForeign: true)
    }
    let difference = comparison.difference
    var draft = ChangeDraft()
    let reborn = try await dead(among: difference.added.map(\.id), at: before)
    for id in reborn { draft.tally.meet(id, isLive: false, wasDead: true) }
    for entity in difference.added { draft.tally.live(entity.id) }
    for entity in difference.ended { draft.tally.die(entity.id) }
    for entity in difference.changed {
      draft.tally.change(entity.id)
      for property in entity.properties { draft.tally.change(entity.id, property.key) }
      for collection in entity.collections { draft.tally.change(entity.id, collection.key) }
      if let type = entity.formerType { draft.types.insert(type) }
    }
    for entity in comparison.moved {
      draft.tally.change(entity.id)
      draft.types.insert(entity.type)
    }
    draft.types.formUnion((difference.added + difference.ended + difference.changed).map(\.type))
    let purged = try await purged(beyond: before, coveredBy: after)
    // An ownership is a change of both ends.
    let targets = (difference.added + difference.changed).flatMap { entity in
      (entity.related + entity.unrelated).filter { $0.relation.kind == .owns }.map(\.target)
    }
    guard !reborn.isEmpty || !targets.isEmpty || !purged.isEmpty else { return draft }
    return try await asOf(.frontier(after)).reading { [draft] state in
      var draft = draft
      for id in reborn { try await draft.addFormerKeys(of: id, state.reader) }
      // No past state has what they lost.
      for id in targets + purged {
        guard case .live(let type) = try await state.reader.status(of: id) else { continue }
        draft.tally.change(id)
        draft.types.insert(type)
      }
      return draft
    }
  }

  /// Returns the entities that commits between two states purged.
  private func purged(
    beyond before: Frontier,
    coveredBy after: Frontier
  ) async throws -> [EntityID] {
    var ids: [EntityID] = []
    try await scan(beyond: before) { commit in
      guard commit.header.kind == .redactions, after.covers(commit.id) else { return true }
      ids += try commit.cells().filter { $0.content == .life(.erased) }.map(\.entity)
      return true
    }
    return ids
  }

  /// Returns those of some entities that were dead in a state.
  private func dead(among ids: [EntityID], at frontier: Frontier) async throws -> [EntityID] {
    guard !ids.isEmpty else { return [] }
    return try await asOf(.frontier(frontier)).reading { state in
      var dead: [EntityID] = []
      for id in ids where try await state.reader.isDead(id) { dead.append(id) }
      return dead
    }
  }

  /// Returns the changes by cells. Cells of a foreign commit may have no effect, so only erasures
  /// and cells of entities that are live now count.
  private func draft(of cells: [Cell], isForeign: Bool) async throws -> ChangeDraft {
    try await backend.read(at: .now) { reader in
      let tracker = ChangeTracker()
      var isLive: [EntityID: Bool] = [:]
      for cell in cells {
        let id = cell.entity
        if isForeign, isLive[id] == nil { isLive[id] = try await reader.entity(id) != nil }
        if isLive[id] ?? true {
          tracker.applied(cell.content, to: id, .none)
        } else if cell.content == .life(.erased) {
          var lives = LifeChanges()
          lives.died = [id]
          tracker.applied(cell.content, to: id, lives)
        }
      }
      guard isForeign else { return try await tracker.changes(reader) }
      try await Self.follow(cells, tracker, reader)
      // A foreign creation may have changed the type of an entity that lived.
      return try await tracker.changes(reader, withFormerTypes: true)
    }
  }
}

extension Store {
  /// Counts what the entities own whose life or ownership changed: it may have died or come back
  /// with them. Whether it did is unknown without the state before, so what is dead now counts as
  /// having died.
  private static func follow(
    _ cells: [Cell],
    _ tracker: ChangeTracker,
    _ reader: any BackendReader
  ) async throws {
    let touched = Touched()
    for cell in cells { touched.add(cell) }
    let named = Set(touched.ids)
    try await touched.spread(in: reader)
    for id in touched.ids where !named.contains(id) {
      switch try await reader.status(of: id) {
      case .live: tracker.followed(id, isLive: true)
      case .erased, .dead: tracker.followed(id, isLive: false)
      case .unknown: break
      }
    }
  }
}

extension Cell {
  /// Whether the cell can change the liveness of no entity.
  fileprivate var turnsNobody: Bool {
    switch content {
    case .value, .removal, .collection: true
    case .life: false
    case .add(let relation, _, _, _), .remove(let relation, _, _): relation.kind != .owns
    }
  }
}
