public import VarveCore

/// A replica that wrote to a store: one copy of it, with its own id.
public struct Replica: Hashable, Sendable {
  /// Whether a replica may still write, as far as this store knows.
  public enum State: String, Hashable, Sendable {
    /// It may write.
    case active
    /// It was retired, and will not write again.
    case retired
    /// It was retired, but has commits that were unknown to the retirement. They count.
    case returned
  }

  /// The identifier.
  public let id: ReplicaID
  /// Whether this store writes under the id.
  public let isOwn: Bool
  /// The number of its chains of commits: several if its file was copied and both copies were
  /// written to; 0 if it has not written yet.
  public let chainCount: Int
  /// The number of its commits.
  public let commitCount: Int
  /// The sequence number of its newest commit; 0 if it has not written yet.
  public let newestNumber: Int64
  /// The times of its first and its newest commit.
  public let times: ClosedRange<HybridTime>?
  /// Whether it may still write.
  public let state: State
}

extension Store {
  /// Returns all replicas that wrote to this store, and its own.
  ///
  /// ```swift
  /// for replica in try await store.replicas() {
  ///   print(replica.id, replica.commitCount, "commits,", replica.state)
  /// }
  /// ```
  ///
  /// - Returns: the replicas in order of their identifiers.
  /// - Throws: ``VarveError``: `nestedTransaction` inside a write of this store, `closed`.
  /// - Complexity: O(chains × log commits).
  public func replicas() async throws -> [Replica] {
    try refuseInsideOwnWrite("replicas")
    let own = try await backend.replica()
    let chains = Dictionary(grouping: try await backend.chains(), by: \.last.id.replica)
    let retired = try await fetch(Query(Retirement.entityType)).map { ($0.id, $0) }
    let retirements = Dictionary(retired, uniquingKeysWith: { first, _ in first })
    return Set(chains.keys).union([own]).sorted().map { id in
      Replica(id, own: own, chains[id] ?? [], retirements[Retirement.id(of: id)])
    }
  }

  /// Retires a replica that will not write again, such as a lost phone or a removed installation.
  ///
  /// Retirement is an ordinary commit: it is dated and merged, and
  /// ``undo(_:author:message:)`` undoes it. Nothing is deleted. Later commits of the replica are
  /// still merged, and it is then listed as ``Replica/State/returned``. A copy that learns that its
  /// own name is retired continues under a new one; so does this copy if it retires itself.
  ///
  /// - Parameters:
  ///   - replica: the replica to retire.
  ///   - author: the author of the commit.
  ///   - message: the reason.
  /// - Returns: whether it was retired now; false if it was retired already and has not returned.
  /// - Throws: ``VarveError``: `notFound` if the replica never wrote and is not this one;
  ///   `forbidden` for another replica if this store synchronises with a space in which its owner is no admin;
  ///   `nestedTransaction` inside a write of this store, `busy`, `readOnly`.
  /// - Complexity: O(chains × log commits).
  @discardableResult
  public func retire(
    _ replica: ReplicaID,
    author: String? = nil,
    message: String? = nil
  ) async throws -> Bool {
    try refuseInsideOwnWrite("retire")
    try refuseIfReadOnly()
    let isOwn = try await backend.replica() == replica
    let chains = try await backend.chains().filter { $0.last.id.replica == replica }
    guard isOwn || !chains.isEmpty else { throw Self.neverWrote(replica) }
    // A replica's own retirement is its last commit.
    var through = (chains.map(\.last.id.sequence).max() ?? 0) + (isOwn ? 1 : 0)
    var commit: CommitSummary?
    var isRetiredNow = false
    repeat {
      through = max(through, commit.map { $0.id.sequence + 1 } ?? 0)
      commit = try await retire(replica, through: through, author, message)
      isRetiredNow = isRetiredNow || commit != nil
    } while commit.map { $0.id.replica == replica && $0.id.sequence > through } ?? false
    _ = try await backend.leaveRetired()
    return isRetiredNow
  }

  private func retire(
    _ replica: ReplicaID,
    through number: Int64,
    _ author: String?,
    _ message: String?
  ) async throws -> CommitSummary? {
    let id = Retirement.id(of: replica)
    return try await commit(author: author, message: message) { transaction in
      let properties: [PropertyKey: Value] = [Retirement.through: .int(number)]
      if case .live = try await transaction.status(of: id) {
        try await transaction.update(id, properties.mapValues { Optional($0) })
      } else {
        try await transaction.create(Retirement.entityType, id: id, properties)
      }
    }.commit
  }

  private static func neverWrote(_ replica: ReplicaID) -> VarveError {
    VarveError(
      .notFound,
      "this store has no commit of the replica \(replica)",
      at: "replica \(replica)",
      remedy: "`replicas` lists the known ones."
    )
  }
}

extension Replica {
  fileprivate init(
    _ id: ReplicaID,
    own: ReplicaID,
    _ chains: [ChainSummary],
    _ retirement: StoredEntity?
  ) {
    self.id = id
    isOwn = id == own
    chainCount = chains.count
    commitCount = chains.reduce(0) { $0 + Int($1.last.id.sequence - $1.first.id.sequence) + 1 }
    let newest = chains.map(\.last.id.sequence).max() ?? 0
    newestNumber = newest
    let firsts = chains.map(\.first.time).min()
    let lasts = chains.map(\.last.time).max()
    times = firsts.flatMap { first in lasts.map { first...$0 } }
    let through = retirement.map { $0[Retirement.through]?.intValue ?? 0 }
    state = through.map { newest > $0 ? .returned : .retired } ?? .active
  }
}
