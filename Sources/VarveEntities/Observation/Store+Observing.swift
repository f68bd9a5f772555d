public import VarveCore

extension Store {
  /// Returns the changes of every transaction from now on, in commit order: one change set per
  /// commit, and one for each part of a merge.
  ///
  /// No commit after the call is missed: subscribe first, then read. To continue from an earlier
  /// state, pass its frontier. Later commits then come first, and may come twice.
  ///
  /// ```swift
  /// let changes = try await store.changes()
  /// let hats = try await store.fetch(Query("Hat"))
  /// for try await change in changes { print(change.action.rawValue, change.changed) }
  /// ```
  ///
  /// A local write publishes its changes before it returns, unless commits of others that were not
  /// reported yet took effect before it: its changes then follow theirs. Changes by other processes
  /// are noticed within 100 ms. Transactions that fail, are cancelled or write nothing are not reported.
  ///
  /// **Back-pressure.** Writers do not wait for subscribers. Up to 1,024 change sets are queued for
  /// a slow subscriber. After that the newest are joined into one, so no change is lost, and the
  /// queue is limited by the number of changed entities.
  ///
  /// **Memory.** Earlier commits are read in parts of 4 MiB, or of one commit that is larger, and
  /// their change sets are queued and joined in the same way. So the queue is limited however many
  /// commits follow the frontier.
  ///
  /// - Parameter frontier: the frontier to begin from; nil for the present.
  /// - Returns: the change sets, for one iteration, which ends when the store is closed.
  /// - Throws: ``VarveError``: `closed`, `nestedTransaction` inside a write of this store;
  ///   `historyAwaited` if a commit beyond the frontier is here in part.
  /// - Complexity: O(cells of the commits beyond the frontier); additionally, what the changed
  ///   entities own.
  public func changes(since frontier: Frontier? = nil) async throws -> ChangeSequence {
    try refuseInsideOwnWrite("changes")
    let channel = ChangeChannel()
    let known = hub.add(channel)
    let sequence = ChangeSequence(self, channel)
    hub.keepPolling { watch() }
    try await hub.logReading.pass { _ in
      if hub.cursor == nil {
        for commit in try await backend.withheldCommits() { hub.withhold(commit) }
        hub.cursor = try await backend.frontier()
      }
      guard let frontier, let end = known ?? hub.cursor else { return }
      channel.begin(with: try await past(from: frontier, to: end))
    }
    return sequence
  }

  /// Returns the changes of the commits between two frontiers. The log is read in parts.
  private func past(from frontier: Frontier, to end: Frontier) async throws -> ChangeQueue {
    let withheld = Set(try await backend.withheldCommits().map(\.id))
    let own = try await replica()
    var queue = ChangeQueue()
    var before = frontier
    // What this store wrote without having seen all of the state before may have no effect.
    var seenHeads: Set<CommitID> = []
    try await scan(beyond: frontier) { commit in
      guard !commit.isOutline else {
        throw Horizon.awaited("commit \(commit.id) is part of history")
      }
      guard end.covers(commit.id), !withheld.contains(commit.id) else { return true }
      let after = before.including(commit)
      var writer: ReplicaID?
      if commit.header.replica == own {
        let others = before.heads.filter { $0.replica != own && !seenHeads.contains($0) }
        let seen = others.isEmpty ? Frontier.empty : try await self.frontier(of: commit.id)
        if others.allSatisfy(seen.covers) {
          seenHeads.formUnion(others)
          writer = own
        }
      }
      var changes = try await changes(of: commit, .past, from: before, to: after, writer)
      changes.resumption = after
      if !changes.isEmpty { queue.append(changes) }
      before = after
      return true
    }
    return queue
  }

  /// Returns the results of a query, first at present and then after each transaction that changes
  /// an entity of a type that it reads: its own, its subtypes and the joined types. A query with
  /// custom SQL runs after every transaction, because the SQL may read any type.
  ///
  /// ```swift
  /// for try await hats in try await store.observe(Query("Hat").where(Field("size") > 7)) {
  ///   print(hats.count)
  /// }
  /// ```
  ///
  /// The query does not run after transactions that change other types. It runs once for several
  /// that are committed while a result is in use.
  ///
  /// - Throws: as ``changes(since:)``.
  public func observe(_ query: Query) async throws -> LiveQuery<[StoredEntity]> {
    try await prepare(query)
    return try await observe(dependingOn: query, and: []) { try await $0.fetch(query) }
  }

  /// Returns the results of a closure, first at present and then after each transaction that
  /// changes an entity of one of the types. See `observe(_:)`.
  ///
  /// - Parameters:
  ///   - types: the types that the result depends on.
  ///   - read: reads one state.
  public func observe<Answer: Sendable>(
    _ types: Set<EntityType>,
    _ read: @escaping @Sendable (Snapshot) async throws -> Answer
  ) async throws -> LiveQuery<Answer> {
    try await observe(anyOf: types, read)
  }

  /// Observes some types, or all types if nil.
  func observe<Answer: Sendable>(
    anyOf types: Set<EntityType>?,
    _ read: @escaping @Sendable (Snapshot) async throws -> Answer
  ) async throws -> LiveQuery<Answer> {
    LiveQuery(store: self, changes: try await changes(), types: { _ in types }, read: read)
  }

  /// Observes the types that a query depends on and some others; all types if these are nil.
  package func observe<Answer: Sendable>(
    dependingOn query: Query,
    and others: Set<EntityType>?,
    _ read: @escaping @Sendable (Snapshot) async throws -> Answer
  ) async throws -> LiveQuery<Answer> {
    guard query.hasRawSQL, let others else {
      let all = query.types.flatMap { own in others.map { own.union($0) } }
      return try await observe(anyOf: all, read)
    }
    let types: @Sendable (Snapshot) async throws -> Set<EntityType>? = { state in
      let tables = try await state.reading { try await $0.reader.tables() }
      return query.types(of: tables).map { others.union($0) }
    }
    return LiveQuery(store: self, changes: try await changes(), types: types, read: read)
  }
}
