/// How a state came about.
package protocol HistoryReader {
  /// The cells of an entity, or of one property of it, greatest first; at most `limit`.
  func history(of id: EntityID, key: PropertyKey?, limit: Int?) async throws -> [Version]

  /// What was added to and removed from the to-many properties of an entity, or from one of them:
  /// the cells, greatest first. Those of a former life of it too.
  func memberHistory(of source: EntityID, key: PropertyKey?) async throws -> [Version]

  /// The places of all that properties of an entity ever said, elements of relations included, in
  /// commits that are complete: what forgetting it takes.
  func contentCells(of id: EntityID) async throws -> [Redaction]

  /// When each property of an entity that was read here got the value it has.
  func times(of entity: StoredEntity) async throws -> [PropertyKey: HybridTime]

  /// The log, newest arrival first; at most `limit`, after the first `offset`.
  func log(limit: Int?, offset: Int) async throws -> [CommitSummary]

  /// The properties of live entities that replicas wrote apart, in order of entity and key.
  func valueConflicts() async throws -> [Conflict]

  /// The entities that are dead now and died unseen, in order of identifier; none in a past state.
  func unseenDeaths() async throws -> [Conflict]

  /// Everything the author of a commit had seen when it was made, the commit included.
  func frontier(of commit: CommitID) async throws -> Frontier

  /// How much the log holds.
  func tally(_ progress: @Sendable (TallyProgress) -> Void) async throws -> LogTally
}
