public import VarveCore

extension Store {
  /// What every transaction changes from now on, in the order of the commits: one change set a
  /// commit, and one for each part of a merge.
  ///
  /// Nothing that is committed after this returns is missed: subscribe first, then read. To go on
  /// from what was read before, give the frontier of that state; what was committed since comes
  /// first, and may come twice.
  ///
  /// ```swift
  /// let changes = try await store.changes()
  /// let hats = try await store.fetch(Query("Hat"))
  /// for try await change in changes { print(change.action.rawValue, change.changed) }
  /// ```
  ///
  /// A local write has told its changes before it returns. Other processes that write the same file
  /// are looked for 25 times a second, which costs microseconds while nothing happens. Refused and
  /// cancelled transactions, and those that write nothing, are not told.
  ///
  /// **Back-pressure.** Writers do not wait for subscribers. Up to 1,024 change sets wait for one
  /// that is slow; after that the newest are joined into one, so nothing is lost and what waits is
  /// bounded by the number of entities that change.
  ///
  /// - Parameter frontier: where to begin; nil for now.
  /// - Returns: the change sets, for one iteration. It ends when the store is closed.
  /// - Throws: ``VarveError``: `closed`, `nestedTransaction` inside a write of this store.
  public func changes(since frontier: Frontier? = nil) async throws -> ChangeSequence {
    try refuseInsideOwnWrite("changes")
    let channel = ChangeChannel()
    let known = hub.add(channel)
    let sequence = ChangeSequence(self, channel)
    hub.keepPolling { watch() }
    try await hub.turn.pass { _ in
      if hub.cursor == nil {
        for commit in try await backend.withheldCommits() { hub.withhold(commit) }
        hub.cursor = try await backend.frontier()
      }
      guard let frontier, let end = known ?? hub.cursor else { return }
      channel.begin(with: try await past(from: frontier, to: end))
    }
    return sequence
  }

  /// What commits between two frontiers changed.
  private func past(from frontier: Frontier, to end: Frontier) async throws -> [ChangeSet] {
    let withheld = Set(try await backend.withheldCommits().map(\.id))
    let own = try await replica()
    var commits: [Commit] = []
    try await scan(beyond: frontier) { commit in
      guard !commit.isOutline else {
        throw Horizon.awaited("what commit \(commit.id) says is history")
      }
      if end.covers(commit.id), !withheld.contains(commit.id) { commits.append(commit) }
      return true
    }
    var sets: [ChangeSet] = []
    var before = frontier
    for commit in commits {
      let after = before.including(commit)
      let changes = try await changes(of: commit, .past, from: before, to: after, own)
      if !changes.isEmpty { sets.append(changes) }
      before = after
    }
    return sets
  }

  /// The answers of a query: those of now first, then anew whenever a transaction touches an entity
  /// of a type it looks at: its own, the kinds it includes, what it joins, and those whose tables SQL of
  /// one's own names.
  ///
  /// ```swift
  /// for try await hats in try await store.observe(Query("Hat").where(Field("size") > 7)) {
  ///   print(hats.count)
  /// }
  /// ```
  ///
  /// Transactions that touch other types run nothing. Several that were committed while an answer
  /// was in use are answered once.
  ///
  /// - Throws: as ``changes(since:)``.
  public func observe(_ query: Query) async throws -> LiveQuery<[StoredEntity]> {
    try await prepare(query)
    return try await observe(dependingOn: query, and: []) { try await $0.fetch(query) }
  }

  /// What a closure reads: now first, then anew whenever a transaction touches an entity of one of
  /// these types. See ``observe(_:)``.
  ///
  /// - Parameters:
  ///   - types: the types the answer depends on.
  ///   - read: reads one state.
  public func observe<Answer: Sendable>(
    _ types: Set<EntityType>,
    _ read: @escaping @Sendable (Snapshot) async throws -> Answer
  ) async throws -> LiveQuery<Answer> {
    try await observe(anyOf: types, read)
  }

  /// The same, of all types if none are given.
  func observe<Answer: Sendable>(
    anyOf types: Set<EntityType>?,
    _ read: @escaping @Sendable (Snapshot) async throws -> Answer
  ) async throws -> LiveQuery<Answer> {
    LiveQuery(store: self, changes: try await changes(), types: { _ in types }, read: read)
  }

  /// The same, of the types a query looks at and some more; of all if these are nil.
  func observe<Answer: Sendable>(
    dependingOn query: Query,
    and others: Set<EntityType>?,
    _ read: @escaping @Sendable (Snapshot) async throws -> Answer
  ) async throws -> LiveQuery<Answer> {
    guard query.hasRawSQL, let others else {
      let all = query.types.flatMap { own in others.map { own.union($0) } }
      return try await observe(anyOf: all, read)
    }
    let types: @Sendable (Snapshot) async throws -> Set<EntityType>? = { state in
      let tables = try await state.reading { try await $0.backend.tables() }
      return query.types(of: tables).map { others.union($0) }
    }
    return LiveQuery(store: self, changes: try await changes(), types: types, read: read)
  }
}
