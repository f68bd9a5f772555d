/// The port between the data model and its storage: the log of a store, and its state.
///
/// A backend keeps an append-only log of commits and evaluates queries on the state they describe,
/// as ``Fold`` defines it. It does not know the rules for local writes (what may be related, what
/// an erase includes): the store implements those with these calls.
///
/// Contract:
/// - **Atomic.** A commit is applied completely or not at all, whatever happens to the process.
///   Readers see all of it or none.
/// - **Durable.** When ``write(_:_:)`` or ``append(_:)`` returns, the commits survive the end of
///   the process; when ``flush()`` returns, they also survive a loss of power.
/// - **Exclusive.** One writer at a time per log, across all processes. Waiting suspends the task;
///   it does not block a thread. After the request's deadline it throws `busy`.
/// - **Traceless.** A body that throws leaves no commit, uses no number and moves no clock.
/// - **Causal.** ``append(_:)`` refuses a commit whose predecessor or dependencies are missing.
/// - **Isolated.** A reader sees one state from the beginning of its body to its end.
///
/// A backend may be called from any task at any time until ``close()``.
package protocol Backend: Sendable {
  /// Whether the state before a write can be read while the write is open. If not, such reads wait
  /// for the end of the write.
  var readsDuringWrites: Bool { get }

  /// The replica that currently writes here.
  func replica() async throws -> ReplicaID

  /// Replaces the replica id by a fresh one and returns it, if the current one is the given one.
  func leave(_ replica: ReplicaID) async throws -> ReplicaID?

  /// The chains that have commits, by replica, then by number.
  func chains() async throws -> [ChainSummary]

  /// Reads a state.
  func read<Result>(
    at moment: Moment,
    _ body: (any BackendReader) async throws -> Result
  ) async throws -> Result

  /// Reads a live entity of one of some types in the present state, in the shape of a model: the
  /// shortest read. Returns nil without calling the body if there is none.
  func row<Result>(
    _ id: EntityID,
    of types: [EntityType],
    _ shape: RowShape,
    _ body: (any RowCursor) throws -> Result
  ) async throws -> Result?

  /// Writes one commit with the cells the body applies. Without cells there is no commit.
  func write<Result>(
    _ request: WriteRequest,
    _ body: (any BackendWriter) async throws -> Result
  ) async throws -> (result: Result, receipt: WriteReceipt?)

  /// Adds foreign commits, in an order in which each follows its dependencies. Commits that are
  /// already here are skipped. Either all commits of a call are applied, or none.
  func append(_ commits: [Commit]) async throws -> AppendReport

  /// The newest commit of every chain.
  func frontier() async throws -> Frontier

  /// The newest commits of chains that stand for all others: a commit that one of them had seen may
  /// be omitted.
  func summits() async throws -> [CommitID]

  /// Returns everything the given commits had seen, including themselves, as the newest commit of
  /// every chain. Unknown commits are ignored.
  func seen(by ids: [CommitID]) async throws -> Frontier

  /// Returns the commits beyond a frontier, in order of stamp, in parts of bounded size; an empty
  /// array after the last. Commits the frontier names but this log lacks are ignored.
  func commits(beyond frontier: Frontier, atMost byteCount: Int) async throws -> [Commit]

  /// Returns the number of commits beyond a frontier.
  func commitCount(beyond frontier: Frontier) async throws -> Int

  /// Returns those of the given commits that are here, including withheld ones.
  func held(among ids: [CommitID]) async throws -> Set<CommitID>

  /// Returns the predecessors of a commit with the given numbers, in rising order; the commit
  /// itself counts as one. Missing ones are omitted.
  func predecessors(of id: CommitID, at sequences: [Int64]) async throws -> [CommitID]

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

  /// Returns the present as a horizon up to which outlines can be sent; nil if they cannot be.
  func outlineHorizon() async throws -> Horizon?

  /// Whether the log can take outlines: it is empty, or already awaits the rest of others.
  func takesOutlines() async throws -> Bool

  /// Records that commits up to a horizon will arrive as outlines. Until all of them are here,
  /// reading and writing throw `historyAwaited`.
  func expectOutlines(of horizon: Horizon) async throws

  /// Returns ranges of partially replicated commits whose rest is awaited, starting at a place; at
  /// most the given number.
  func awaited(from place: Int64, atMost count: Int) async throws -> AwaitedCommits

  /// Returns the blocks of a commit from an index on, in parts of bounded size: at least one, if
  /// there are any.
  func blocks(of id: CommitID, from index: Int, atMost byteCount: Int) async throws -> [Block]

  /// The commits of which something was purged; those that were only compacted do not count.
  func purgedCommits() async throws -> [CommitID]

  /// Makes what was committed so far survive a loss of power.
  func flush() async throws

  /// The sizes of the stored data; zeros and no tables if it is in the memory of the process.
  func storage() async throws -> StorageSizes

  /// Passes every commit of one state of the log to the body, in order of stamp, part by part.
  func forEachCommitPart(_ body: (CommitPart) async throws -> Void) async throws

  /// Adds foreign commits, as ``append(_:)`` does, part by part until `next` returns nil. Either
  /// all are applied, or none: if a commit lacks a block or `next` throws, none is.
  func append(parts next: () async throws -> CommitPart?) async throws -> AppendReport

  /// Maintains an index on a property of a type from now on, whether or not any entity has the
  /// property. It is local: it makes no commit and changes no result. Repeated calls do nothing.
  func addIndex(on key: PropertyKey, of type: EntityType) async throws

  /// Maintains a full-text search of some properties of a type from now on. It is local, as an
  /// index is.
  func addSearch(on keys: [PropertyKey], of type: EntityType) async throws

  /// The stored commits that do not count yet (R11), in order of stamp.
  func withheldCommits() async throws -> [Commit]

  /// Returns a probe that detects changes of the log; nil if only this backend can change it.
  func changeProbe() throws -> (any ChangeProbe)?

  /// Verifies the log and everything derived from it.
  func check(_ progress: @Sendable (CheckProgress) -> Void) async throws -> CheckReport

  /// Drops everything derived from the log and derives it again.
  func rebuild(_ progress: @Sendable (RebuildProgress) -> Void) async throws

  /// Closes the backend. Later calls throw `closed`.
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

  /// Derives everything again, without reporting progress.
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

/// Detects changes of a log by any process. Used by one task at a time.
package protocol ChangeProbe: AnyObject {
  /// Whether the log may have changed since the last call; true at the first. Cheap enough to be
  /// called many times a second.
  func hasChanged() throws -> Bool

  /// Releases its resources.
  func close()
}

/// The parameters of a write.
package struct WriteRequest: Sendable {
  /// The author, as a commit's header has it: empty if there is none.
  package var author: String
  /// The reason, as a commit's header has it: empty if there is none.
  package var message: String
  /// How long to wait for another writer, in milliseconds.
  package var patienceMilliseconds: Int
  /// The commit that is undone by it.
  package var undone: CommitID?
  /// Told of the commit once it is durable, before another writer's turn comes.
  package var committed: (@Sendable (CommitSummary) -> Void)?

  package init(author: String? = nil, message: String? = nil, patienceMilliseconds: Int = 5_000) {
    self.author = author ?? ""
    self.message = message ?? ""
    self.patienceMilliseconds = patienceMilliseconds
  }
}

/// The result of a write.
package struct WriteReceipt: Sendable {
  package var commit: CommitSummary

  package init(commit: CommitSummary) { self.commit = commit }
}

/// What an append did.
public struct AppendReport: Sendable, Hashable {
  /// The number of new commits.
  public var addedCount = 0
  /// The number of those that are withheld until the local clock reaches them (R11).
  public var withheldCount = 0
  /// The entities that died.
  public var died: [EntityID] = []
  /// The replica id under which the store continues, if another copy had written under the old one
  /// (R12).
  public var replacedReplica: ReplicaID?
  /// The number of commits that are now complete, of which only the outline was here.
  public var completedCount = 0

  package init() {}
}

/// The progress of a check.
public struct CheckProgress: Sendable, Hashable {
  /// Steps done: commits verified and replayed, then entities compared.
  public let done: Int
  /// The total number of steps.
  public let total: Int

  package init(done: Int, total: Int) {
    self.done = done
    self.total = total
  }
}

/// The progress of a rebuild.
public struct RebuildProgress: Sendable, Hashable {
  /// The number of commits derived from so far.
  public let commitCount: Int
  /// The total number of commits.
  public let totalCount: Int

  package init(commitCount: Int, totalCount: Int) {
    self.commitCount = commitCount
    self.totalCount = totalCount
  }
}

/// What a check found.
public struct CheckReport: Sendable, Hashable {
  /// The number of commits verified.
  public var commitCount = 0
  /// The number of blocks verified.
  public var blockCount = 0
  /// The number of entities compared with the log.
  public var entityCount = 0
  /// The number of partially replicated commits, which are not an error: what is missing will
  /// arrive.
  public var partialCount = 0
  /// The errors; empty if there are none.
  public var findings: [String] = []

  package init() {}

  /// Whether there are no errors.
  public var isClean: Bool { findings.isEmpty }
}
