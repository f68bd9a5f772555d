/// The history of a state.
package protocol HistoryReader {
  /// Returns the cells of an entity, or of one of its properties, greatest first; at most `limit`.
  func history(of id: EntityID, key: PropertyKey?, limit: Int?) async throws -> [Version]

  /// Returns the cells of an entity's life, greatest first.
  func lives(of id: EntityID) async throws -> [Version]

  /// Returns a number of the greatest cells of a property among which are all that commits stamped
  /// at a time or later wrote, and one more. Nil if that takes all cells, or if several chains of
  /// commits wrote them.
  func cellCount(
    of id: EntityID,
    key: PropertyKey,
    writtenFrom time: HybridTime
  ) async throws -> Int?

  /// Returns the adds and removals of an entity's to-many properties, or of one of them, greatest
  /// first. Those of its former lives are included.
  func memberHistory(of source: EntityID, key: PropertyKey?) async throws -> [Version]

  /// Returns the places of all values that properties of an entity ever had, including elements of
  /// relations, in complete commits. A purge redacts them.
  func contentCells(of id: EntityID) async throws -> [Redaction]

  /// Returns the time at which each property of an entity that was read here got its value.
  func times(of entity: StoredEntity) async throws -> [PropertyKey: HybridTime]

  /// Returns the commits, newest arrival first; at most `limit`, after the first `offset`.
  func log(limit: Int?, offset: Int) async throws -> [CommitSummary]

  /// Returns the number of commits in each interval of a span. Withheld commits do not count.
  func timeline(_ request: TimelineRequest) async throws -> Timeline

  /// Returns the commits before and after a span of time. Withheld commits do not count.
  func commits(
    around span: ClosedRange<HybridTime>,
    of subject: Timeline.Subject
  ) async throws -> NeighboringCommits

  /// Returns the commits before and after a commit, in the order of their stamps, which differ even
  /// for commits of one time.
  func commits(
    around id: CommitID,
    of subject: Timeline.Subject
  ) async throws -> NeighboringCommits

  /// Returns the properties of live entities with concurrent values, in order of entity and key.
  func valueConflicts() async throws -> [Conflict]

  /// Returns the entities that are dead now and died unseen, in order of identifier; none in a past
  /// state.
  func unseenDeaths() async throws -> [Conflict]

  /// Returns everything that the author of a commit had seen, including the commit.
  func frontier(of commit: CommitID) async throws -> Frontier

  /// Returns who handed a commit over, as far as a server knew; nil if it was written here.
  func handover(of commit: CommitID) async throws -> String?

  /// Returns the counts of the log's content.
  func tally(_ progress: @Sendable (TallyProgress) -> Void) async throws -> LogTally
}

extension HistoryReader {
  /// Returns nil, because nobody is recorded.
  package func handover(of commit: CommitID) async throws -> String? { nil }

  package func lives(of id: EntityID) async throws -> [Version] {
    try await history(of: id, key: nil, limit: nil).filter { $0.content.key == nil }
  }

  package func cellCount(
    of id: EntityID,
    key: PropertyKey,
    writtenFrom time: HybridTime
  ) async throws -> Int? { nil }
}
