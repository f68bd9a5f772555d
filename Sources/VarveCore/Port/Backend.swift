/// Where a store keeps its log and how it answers: the port between meaning and storage.
///
/// A backend keeps an append-only log of commits and answers queries about the state they
/// describe, which is the one ``Fold`` defines. It knows nothing of the rules for local writes
/// (who may be related, what an erase takes): those are the store's, in terms of these calls.
///
/// Contract:
/// - **Atomic.** A commit is applied whole or not at all, whatever happens to the process.
///   Readers see all of it or none.
/// - **Durable.** When ``write(_:_:)`` or ``append(_:)`` returns, the commits survive the end of
///   the process; when ``synchronize()`` returns, a loss of power too.
/// - **Exclusive.** One writer at a time per log, in all processes. Waiting suspends; it does not
///   block a thread. Past the deadline of the request it throws `busy`.
/// - **Traceless.** A body that throws leaves no commit, no number used and no clock moved.
/// - **Causal.** ``append(_:)`` refuses a commit whose predecessor or dependencies are not there.
/// - **Isolated.** A reader sees one state from its body's begin to its end.
///
/// A backend may be called from any task at any time until ``close()``.
package protocol Backend: Sendable {
  /// Whether the state before a write can be read while the write is open. Where it cannot, such
  /// reads wait for the write's end.
  var readsDuringWrites: Bool { get }

  /// The replica that writes here now.
  func replica() async throws -> ReplicaID

  /// Goes on under a fresh replica id, which it answers, if the present one is this.
  func leave(_ replica: ReplicaID) async throws -> ReplicaID?

  /// The chains that have commits, by replica, then by number.
  func chains() async throws -> [ChainSummary]

  /// Reads a state.
  func read<Result>(
    at moment: Moment,
    _ body: (any BackendReader) async throws -> Result
  ) async throws -> Result

  /// A live entity of one of some types in the present state, as a model reads it: the shortest
  /// read. Nil, and the body is not run, where there is none.
  func row<Result>(
    _ id: EntityID,
    of types: [EntityType],
    _ shape: RowShape,
    _ body: (any RowCursor) throws -> Result
  ) async throws -> Result?

  /// Writes one commit: the cells the body applies. No cells, no commit.
  func write<Result>(
    _ request: WriteRequest,
    _ body: (any BackendWriter) async throws -> Result
  ) async throws -> (result: Result, receipt: WriteReceipt?)

  /// Adds commits written elsewhere, in an order in which each follows what it depends on.
  /// Commits already there are passed over. All of one call are applied, or none.
  func append(_ commits: [Commit]) async throws -> AppendReport

  /// The newest commit of every chain.
  func frontier() async throws -> Frontier

  /// Newest commits of chains that stand for all: what one of them had seen may be left out.
  func summits() async throws -> [CommitID]

  /// Everything some commits had seen, themselves included: the newest of every chain. Commits that
  /// are not here say nothing.
  func seen(by ids: [CommitID]) async throws -> Frontier

  /// Commits that are not below a frontier, in order of stamp, in parts of bounded size. The part
  /// after the last is empty. Numbers the frontier names but this log lacks are passed over.
  func commits(beyond frontier: Frontier, atMost byteCount: Int) async throws -> [Commit]

  /// How many commits are not below a frontier.
  func commitCount(beyond frontier: Frontier) async throws -> Int

  /// Which of some commits are here, withheld ones included.
  func held(among ids: [CommitID]) async throws -> Set<CommitID>

  /// Predecessors of a commit by their numbers, in rising order, the commit itself included; those
  /// that are not here are left out.
  func predecessors(of id: CommitID, at sequences: [Int64]) async throws -> [CommitID]

  /// Commits that are not below a frontier, as ``commits(beyond:atMost:)`` has them, without being
  /// stopped by those that cannot be read, and without the blocks of those over a number of bytes.
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

  /// Notes that commits up to a horizon are to come as outlines. Until all of them are here, reading
  /// and writing throw `historyAwaited`.
  func expectOutlines(of horizon: Horizon) async throws

  /// Commits here that are not whole and are to be, from a place on; at most so many ranges.
  func awaited(from place: Int64, atMost count: Int) async throws -> AwaitedCommits

  /// Blocks of a commit from an index on, in parts of bounded size: at least one where there are any.
  func blocks(of id: CommitID, from index: Int, atMost byteCount: Int) async throws -> [Block]

  /// The commits of which something was purged; what was only folded is not counted.
  func purgedCommits() async throws -> [CommitID]

  /// Makes what was committed so far survive a loss of power.
  func synchronize() async throws

  /// What the data takes up where it is kept; zeros and nothing where that is memory of the process.
  func storage() async throws -> StorageSizes

  /// Hands over every commit of one state of the log, in order of stamp, piece by piece.
  func forEachCommitPart(_ body: (CommitPart) async throws -> Void) async throws

  /// Adds commits written elsewhere, as ``append(_:)`` does, given piece by piece until nil. All of
  /// one call are applied, or none: a commit that lacks a block, or what `next` throws, undoes all.
  func append(parts next: () async throws -> CommitPart?) async throws -> AppendReport

  /// Keeps an index on a property of a type from now on, whether or not anything has it yet. A
  /// local matter: no commit, and no answer changes. Asking again does nothing.
  func addIndex(on key: PropertyKey, of type: EntityType) async throws

  /// Searches the texts of some properties of a type from now on. A local matter, as an index is.
  func addSearch(on keys: [PropertyKey], of type: EntityType) async throws

  /// Commits that are stored and do not count yet (R11), in order of stamp.
  func withheldCommits() async throws -> [Commit]

  /// Something that tells when the log changes; nil where only this backend can change it.
  func changeProbe() throws -> (any ChangeProbe)?

  /// Proves the log and everything derived from it.
  func check(_ progress: @Sendable (CheckProgress) -> Void) async throws -> CheckReport

  /// Drops everything derived from the log and derives it again.
  func rebuild(_ progress: @Sendable (RebuildProgress) -> Void) async throws

  /// Ends all use. Later calls throw `closed`.
  func close() async throws
}

extension Backend {
  package var readsDuringWrites: Bool { true }

  package func addSearch(on keys: [PropertyKey], of type: EntityType) async throws {
    throw VarveError(.unsupported, "this backend has no full-text search")
  }

  package func purgedCommits() async throws -> [CommitID] {
    var purged: Set<CommitID> = []
    for commit in try await commits(beyond: .empty, atMost: .max) {
      guard try commit.header.horizon == nil else { continue }
      purged.formUnion(try commit.redactions().map(\.commit))
    }
    return purged.sorted()
  }

  /// Derives everything again, telling nobody how far it is.
  package func rebuild() async throws { try await rebuild { _ in } }

  /// The conflicts of the present.
  package func conflicts() async throws -> [Conflict] {
    try await read(at: .now) { try await $0.conflicts() }
  }

  package func row<Result>(
    _ id: EntityID,
    of types: [EntityType],
    _ shape: RowShape,
    _ body: (any RowCursor) throws -> Result
  ) async throws -> Result? {
    try await read(at: .now) { try await $0.row(id, of: types, shape, body) }
  }

  package func withheldCommits() async throws -> [Commit] { [] }

  package func changeProbe() throws -> (any ChangeProbe)? { nil }
}

/// Tells whether a log changed, by whatever process. Used by one task at a time.
package protocol ChangeProbe: AnyObject {
  /// Whether it may have changed since the last call; true at the first. Cheap enough to be asked
  /// many times a second.
  func hasChanged() throws -> Bool

  /// Gives back what it holds.
  func close()
}

/// What a write is told beforehand.
package struct WriteRequest: Sendable {
  package var author: String
  package var message: String
  /// How long to wait for another writer, in milliseconds.
  package var patienceMilliseconds: Int
  /// The commit that is undone by it.
  package var undone: CommitID?
  /// Told of the commit once it is durable, before another writer's turn comes.
  package var committed: (@Sendable (CommitSummary) -> Void)?

  package init(author: String = "", message: String = "", patienceMilliseconds: Int = 5_000) {
    self.author = author
    self.message = message
    self.patienceMilliseconds = patienceMilliseconds
  }
}

/// What a write made.
package struct WriteReceipt: Sendable {
  package var commit: CommitSummary

  package init(commit: CommitSummary) { self.commit = commit }
}

/// What an append did.
public struct AppendReport: Sendable, Hashable {
  /// How many commits were new.
  public var addedCount = 0
  /// How many of them are withheld until the local clock reaches them (R11).
  public var withheldCount = 0
  /// Entities that died by it.
  public var died: [EntityID] = []
  /// The replica under which the store writes on because its own was used elsewhere (R12).
  public var replacedReplica: ReplicaID?
  /// How many commits, here as outlines before, became whole.
  public var completedCount = 0

  package init() {}
}

/// How far a check is.
public struct CheckProgress: Sendable, Hashable {
  /// Steps done: commits verified and replayed, then entities compared.
  public let done: Int
  /// Steps in all.
  public let total: Int

  package init(done: Int, total: Int) {
    self.done = done
    self.total = total
  }
}

/// How far a rebuild is.
public struct RebuildProgress: Sendable, Hashable {
  /// Commits derived from so far.
  public let commitCount: Int
  /// Commits in all.
  public let totalCount: Int

  package init(commitCount: Int, totalCount: Int) {
    self.commitCount = commitCount
    self.totalCount = totalCount
  }
}

/// What a check found.
public struct CheckReport: Sendable, Hashable {
  /// How many commits were verified.
  public var commitCount = 0
  /// How many blocks.
  public var blockCount = 0
  /// How many entities were compared with the log.
  public var entityCount = 0
  /// How many commits are here only in part, which is nothing wrong: the rest is to come.
  public var partialCount = 0
  /// What is wrong; empty where all is well.
  public var findings: [String] = []

  package init() {}

  /// Whether nothing is wrong.
  public var isClean: Bool { findings.isEmpty }
}
