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
  func items(
    beyond frontier: Frontier,
    atMost byteCount: Int,
    wholeUpTo wholeByteCount: Int
  ) async throws -> [LogItem]

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
