public import VarveCore

extension Store {
  /// Returns the differences between two states: entities added, changed and ended, with old and
  /// new values.
  ///
  /// ```swift
  /// let monday = try HybridTime(lastMonday)
  /// for change in try await store.diff(from: .time(monday)).changed {
  ///   for property in change.properties { print(change.id, property.key, property.new ?? "none") }
  /// }
  /// ```
  ///
  /// The second state may precede the first; entities added in between are then listed as ended. If
  /// a state is the present, commits made during the call may be omitted.
  ///
  /// - Parameters:
  ///   - old: the first state.
  ///   - new: the second state.
  /// - Returns: the entities that differ, in the order commits first name them.
  /// - Throws: ``VarveError``: `nestedTransaction` inside a write of this store.
  /// - Complexity: O(cells between the states) between frontiers; O(cells in the log) if a state is
  ///   a time, because values may carry any time; additionally, what the changed entities own.
  public func diff(from old: Moment, to new: Moment = .now) async throws -> Difference {
    try refuseInsideOwnWrite("diff")
    return try await comparison(from: old, to: new).difference
  }

  /// Returns the differences between two states, and the entities that differ in their place alone.
  func comparison(from old: Moment, to new: Moment) async throws -> StateComparison {
    // Without a complete present state, there is nothing to compare.
    try await backend.read(at: .now) { try await $0.pin() }
    guard old != new else { return StateComparison() }
    let touched = Touched()
    try await touch(touched, between: old, and: new)
    return try await comparison(of: touched, from: old, to: new, livesOnly: false)
  }

  /// Returns the differences between two states of which the second has some more commits.
  ///
  /// - Parameter livesOnly: whether frontiers may lie before a horizon. Properties of which history
  ///   was folded may then be omitted.
  /// - Complexity: O(cells of the commits), whatever else is in the log; additionally, what the
  ///   changed entities own.
  func comparison(
    from old: Moment,
    to new: Moment,
    by commits: [Commit],
    livesOnly: Bool
  ) async throws -> StateComparison {
    try await backend.read(at: .now) { try await $0.pin() }
    let touched = Touched()
    for commit in commits {
      for cell in try commit.cells() { touched.add(cell) }
    }
    return try await comparison(of: touched, from: old, to: new, livesOnly: livesOnly)
  }

  private func comparison(
    of touched: Touched,
    from old: Moment,
    to new: Moment,
    livesOnly: Bool
  ) async throws -> StateComparison {
    try await reading(old, livesOnly) { old in
      try await touched.spread(in: old)
      return try await reading(new, livesOnly) { new in
        try await touched.spread(in: new)
        try await touched.addReferrers(in: old, new)
        let before = try await touched.portraits(in: old)
        let after = try await touched.portraits(in: new)
        let dead = try await DeadTargets(among: touched.ids, before, in: old, after, in: new)
        return StateComparison(touched, before, after, dead)
      }
    }
  }

  /// Reads a state.
  ///
  /// - Parameter livesOnly: whether a frontier may lie before a horizon. Then only lives, relations
  ///   and elements are complete, because compaction does not fold them.
  func reading<Result>(
    _ moment: Moment,
    _ livesOnly: Bool,
    _ body: (any BackendReader) async throws -> Result
  ) async throws -> Result {
    guard livesOnly, case .frontier(let frontier) = moment else {
      return try await backend.read(at: moment, body)
    }
    return try await backend.readLives(at: frontier, body)
  }

  /// Collects the entities named by commits that count in only one of the states.
  private func touch(_ touched: Touched, between one: Moment, and other: Moment) async throws {
    switch (one, other) {
    case (.time(let first), .time(let second)):
      try await touch(touched, after: min(first, second), through: max(first, second))
    case (.time(let time), .now), (.now, .time(let time)):
      try await touch(touched, after: time, through: .distantFuture)
    case (.time(let time), .frontier(let frontier)), (.frontier(let frontier), .time(let time)):
      try await touch(touched, after: time, through: .distantFuture)
      try await touch(touched, beyond: frontier)
    case (.frontier(let frontier), .now), (.now, .frontier(let frontier)):
      try await touch(touched, beyond: frontier)
    case (.frontier(let first), .frontier(let second)):
      try await touch(touched, beyond: first)
      try await touch(touched, beyond: second)
    case (.now, .now): break
    }
  }

  /// Returns the entities whose state or history may be another than that of a set of commits, in
  /// the order in which commits first name them; nil if history was folded since, so that any entity's
  /// may be another.
  package func entitiesTouched(since frontier: Frontier) async throws -> [EntityID]? {
    let touched = Touched()
    var isFolded = false
    try await scan(beyond: frontier) { commit in
      isFolded = try isFolded || commit.header.horizon != nil
      for cell in try commit.cells() { touched.add(cell) }
      return true
    }
    guard frontier != .empty else { return touched.ids }
    guard !isFolded else { return nil }
    try await asOf(.frontier(frontier)).reading { old in
      try await touched.spread(in: old.reader)
      try await asOf(.now).reading { new in
        try await touched.spread(in: new.reader)
        try await touched.addReferrers(in: old.reader, new.reader)
      }
    }
    return touched.ids
  }

  /// What can change the state without a commit: how many commits are withheld or purged.
  package func stateMark() async throws -> String {
    let log = SourceLog(base: backend)
    let (withheld, purged) = (try await log.withheldCommits(), try await log.purgedCommits())
    return "\(withheld.count).\(purged.count)"
  }

  private func touch(_ touched: Touched, beyond frontier: Frontier) async throws {
    try await scan(beyond: frontier) { commit in
      for cell in try commit.cells() { touched.add(cell) }
      return true
    }
  }

  private func touch(
    _ touched: Touched,
    after first: HybridTime,
    through last: HybridTime
  ) async throws {
    try await scan(beyond: .empty) { commit in
      for cell in try commit.cells() {
        let time = cell.time ?? commit.header.time
        if first < time, time <= last { touched.add(cell) }
      }
      return true
    }
  }
}
