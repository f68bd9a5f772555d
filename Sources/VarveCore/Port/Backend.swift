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
///   the process. Whether they survive a loss of power is for the backend to say.
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

  /// Reads a state.
  func read<Result>(
    at moment: Moment,
    _ body: (any BackendReader) async throws -> Result
  ) async throws -> Result

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

  /// Commits that are not below a frontier, in order of stamp, in parts of bounded size. The part
  /// after the last is empty. Numbers the frontier names but this log lacks are passed over.
  func commits(beyond frontier: Frontier, atMost byteCount: Int) async throws -> [Commit]

  /// What replicas did apart: properties of live entities with several values, and entities that
  /// died unseen; in order of entity and key.
  func conflicts() async throws -> [Conflict]

  /// Keeps an index on a property of a type from now on, whether or not anything has it yet. A
  /// local matter: no commit, and no answer changes. Asking again does nothing.
  func addIndex(on key: PropertyKey, of type: EntityType) async throws

  /// Proves the log and everything derived from it.
  func check(_ progress: @Sendable (CheckProgress) -> Void) async throws -> CheckReport

  /// Drops everything derived from the log and derives it again.
  func rebuild() async throws

  /// Ends all use. Later calls throw `closed`.
  func close() async throws
}

extension Backend {
  package var readsDuringWrites: Bool { true }
}

/// What a write is told beforehand.
package struct WriteRequest: Sendable {
  package var author: String
  package var message: String
  /// How long to wait for another writer, in milliseconds.
  package var patienceMilliseconds: Int

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

  package init() {}
}

/// How far a check is.
public struct CheckProgress: Sendable, Hashable {
  /// Steps done.
  public let done: Int
  /// Steps in all.
  public let total: Int

  package init(done: Int, total: Int) {
    self.done = done
    self.total = total
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
  /// What is wrong; empty where all is well.
  public var findings: [String] = []

  package init() {}

  /// Whether nothing is wrong.
  public var isClean: Bool { findings.isEmpty }
}
