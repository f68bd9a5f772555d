/// The reading half of ``CommitLog``.
///
/// Each result is of one state of the log, even if commits arrive meanwhile: every returned commit
/// was in the log when the call began, together with everything it depends on.
package protocol CommitSource: Sendable {
  /// The newest commit of every chain.
  func frontier() async throws -> Frontier

  /// The chains that have commits, by replica, then by number.
  func chains() async throws -> [ChainSummary]

  /// The newest commits of chains that stand for all others: a commit that one of them had seen may
  /// be omitted.
  func summits() async throws -> [CommitID]

  /// Returns everything the given commits had seen, including themselves, as the newest commit of
  /// every chain. Unknown commits are ignored.
  func seen(by ids: [CommitID]) async throws -> Frontier

  /// Returns those of the given commits that are here, including withheld ones.
  func held(among ids: [CommitID]) async throws -> Set<CommitID>

  /// Returns the predecessors of a commit with the given numbers, in rising order; the commit
  /// itself counts as one. Missing ones are omitted.
  func predecessors(of id: CommitID, at sequences: [Int64]) async throws -> [CommitID]

  /// Returns the number of commits beyond a frontier.
  func commitCount(beyond frontier: Frontier) async throws -> Int

  /// Returns the commits beyond a frontier, in order of stamp, in parts of bounded size; an empty
  /// array after the last. Commits the frontier names but this log lacks are ignored.
  ///
  /// - Throws: ``VarveError`` with code `damaged` if one of them cannot be read.
  func commits(beyond frontier: Frontier, atMost byteCount: Int) async throws -> [Commit]

  /// Returns commits beyond a frontier, as ``commits(beyond:atMost:)`` does, but continues past
  /// unreadable ones, and omits the blocks of commits larger than a number of bytes.
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

  /// Returns the blocks of a commit from an index on, in parts of bounded size: at least one, if
  /// there are any.
  func blocks(of id: CommitID, from index: Int, atMost byteCount: Int) async throws -> [Block]

  /// Passes every commit of one state of the log to the body, in order of stamp, part by part.
  func forEachCommitPart(_ body: (CommitPart) async throws -> Void) async throws

  /// Returns the commits that a purge redacted; those that were only compacted do not count.
  func purgedCommits() async throws -> [CommitID]

  /// Returns the stored commits that do not count yet (R11), in order of stamp.
  func withheldCommits() async throws -> [Commit]
}
