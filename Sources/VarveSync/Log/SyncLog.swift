package import VarveCore

/// The log a synchronisation reads from and adds to.
///
/// Contract: what ``append(_:)`` returns for is there after the end of the process, and after a
/// loss of power once ``synchronize()`` has returned; an addition is whole or nothing; a commit
/// before what it depends on is refused as `missingDependencies`, and one that is not what its name
/// says as `damaged`.
package protocol SyncLog: Sendable {
  /// The replica that writes here.
  func replica() async throws -> ReplicaID

  /// The newest commit of every chain.
  func frontier() async throws -> Frontier

  /// Newest commits of chains that stand for all: what one of them had seen may be left out.
  func summits() async throws -> [CommitID]

  /// Everything some commits had seen, themselves included: the newest of every chain. Commits that
  /// are not here say nothing.
  func seen(by ids: [CommitID]) async throws -> Frontier

  /// Which of some commits are here.
  func held(among ids: [CommitID]) async throws -> Set<CommitID>

  /// Predecessors of a commit by their numbers, in rising order, itself included.
  func predecessors(of id: CommitID, at sequences: [Int64]) async throws -> [CommitID]

  /// How many commits are not below a frontier.
  func count(beyond frontier: Frontier) async throws -> Int

  /// Commits that are not below a frontier, in order of stamp, in parts of bounded size; none after
  /// the last.
  ///
  /// - Parameter outline: where given, those it names come as outlines.
  func items(
    beyond frontier: Frontier,
    atMost byteCount: Int,
    wholeUpTo wholeByteCount: Int,
    outline: Horizon?
  ) async throws -> [LogItem]

  /// Commits of a range, from a number on, as far as they are here without anything awaited, in parts
  /// of bounded size; and the number to go on with.
  func items(
    of range: CommitRange,
    from sequence: Int64,
    atMost byteCount: Int,
    wholeUpTo wholeByteCount: Int
  ) async throws -> (items: [LogItem], next: Int64)

  /// The present as a horizon up to which outlines can be handed out; nil where they cannot.
  func outlineHorizon() async throws -> Horizon?

  /// Whether outlines may come: there are no commits here, or others of them are awaited.
  func takesOutlines() async throws -> Bool

  /// Notes that commits up to a horizon are to come as outlines.
  func expectOutlines(of horizon: Horizon) async throws

  /// Commits here that are not whole and are to be, from a place on; at most so many ranges.
  func awaited(from place: Int64, atMost count: Int) async throws -> AwaitedCommits

  /// Blocks of a commit from an index on.
  func blocks(of id: CommitID, from index: Int, atMost byteCount: Int) async throws -> [Block]

  /// The commits of which something was purged.
  func purged() async throws -> [CommitID]

  /// Adds commits: all of them, or none.
  func append(_ commits: [Commit]) async throws -> AppendReport

  /// Adds one commit, given piece by piece until nil.
  func append(
    _ id: CommitID,
    parts next: () async throws -> CommitPart?
  ) async throws -> AppendReport

  /// Makes what was added so far survive a loss of power.
  func synchronize() async throws
}
