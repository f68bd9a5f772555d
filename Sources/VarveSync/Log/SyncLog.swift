package import VarveCore

/// The log that a synchronisation reads from and adds to.
///
/// Contract: once ``append(_:)`` returns, its commits survive the end of the process; once
/// ``flush()`` returns, they survive a loss of power. An addition is atomic. A commit that
/// arrives before its dependencies is refused as `missingDependencies`, and one whose content does
/// not match its name as `damaged`.
package protocol SyncLog: Sendable {
  /// The replica that writes here.
  func replica() async throws -> ReplicaID

  /// The newest commit of every chain.
  func frontier() async throws -> Frontier

  /// The newest commits of chains that stand for all others: a commit that one of them had seen may
  /// be omitted.
  func summits() async throws -> [CommitID]

  /// Returns everything the given commits had seen, including themselves, as the newest commit of
  /// every chain. Unknown commits are ignored.
  func seen(by ids: [CommitID]) async throws -> Frontier

  /// Returns those of the given commits that are in the log.
  func held(among ids: [CommitID]) async throws -> Set<CommitID>

  /// Returns the predecessors of a commit with the given numbers, in rising order; the commit
  /// itself counts as one.
  func predecessors(of id: CommitID, at sequences: [Int64]) async throws -> [CommitID]

  /// Returns the number of commits beyond a frontier.
  func count(beyond frontier: Frontier) async throws -> Int

  /// Returns the commits beyond a frontier, in order of stamp, in parts of bounded size; an empty
  /// array after the last.
  ///
  /// - Parameter outline: the horizon whose commits are returned as outlines, if any.
  func items(
    beyond frontier: Frontier,
    atMost byteCount: Int,
    wholeUpTo wholeByteCount: Int,
    outline: Horizon?
  ) async throws -> [LogItem]

  /// Returns the commits of a range from a number on, in parts of bounded size, and the number to
  /// continue with. Commits with awaited content are omitted.
  func items(
    of range: CommitRange,
    from sequence: Int64,
    atMost byteCount: Int,
    wholeUpTo wholeByteCount: Int
  ) async throws -> (items: [LogItem], next: Int64)

  /// Returns the present as a horizon up to which outlines can be sent; nil if they cannot be.
  func outlineHorizon() async throws -> Horizon?

  /// Whether the log can take outlines: it is empty, or already awaits the rest of others.
  func takesOutlines() async throws -> Bool

  /// Records that commits up to a horizon will arrive as outlines.
  func expectOutlines(of horizon: Horizon) async throws

  /// Returns ranges of partially replicated commits whose rest is awaited, starting at a place.
  func awaited(from place: Int64, atMost count: Int) async throws -> AwaitedCommits

  /// Returns the blocks of a commit from an index on.
  func blocks(of id: CommitID, from index: Int, atMost byteCount: Int) async throws -> [Block]

  /// The commits of which something was purged.
  func purged() async throws -> [CommitID]

  /// Adds all of the commits, or none.
  func append(_ commits: [Commit]) async throws -> AppendReport

  /// Adds one commit, part by part until `next` returns nil.
  func append(
    _ id: CommitID,
    parts next: () async throws -> CommitPart?
  ) async throws -> AppendReport

  /// Makes what was added so far survive a loss of power.
  func flush() async throws
}
