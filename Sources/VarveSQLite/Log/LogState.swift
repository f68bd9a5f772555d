import VarveCore

/// The state of the log that a writer needs: a copy that is reloaded after another connection
/// wrote.
struct LogState: Sendable {
  /// A chain of commits: those of a replica, or of a branch of it after a fork.
  struct Chain: Equatable, Sendable {
    var id: Int64
    var replica: ReplicaID
    /// The chain it branched from, and the last sequence number they share.
    var parent: Int64?
    var forkSequence: Int64 = 0
    /// The newest commit in this chain's own part.
    var head: CommitID?
    var headTime = HybridTime.distantPast
    /// The sequence number of the newest applied commit; withheld commits come after it.
    var appliedSequence: Int64 = 0
    var appliedTime = HybridTime.distantPast
  }

  /// The chain of local commits.
  var ownChain: Int64 = 0
  var chains: [Int64: Chain] = [:]
  /// The next number of a block or a commit.
  var nextBlock: Int64 = 1
  /// The next row number.
  var nextRow: Int64 = 1
  /// The chain of the commit that arrived last.
  var lastLineage: Int64?
  /// The number of the commit that arrived last.
  var lastCommit: Int64?
  /// The latest stamp of an applied commit.
  var appliedTime = HybridTime.distantPast
  /// The latest time of an applied cell with a time of its own that is later than its commit's.
  var ownTime = HybridTime.distantPast
  /// The number of the last commit with an applied cell at the commit's own time.
  var stampedCommit: Int64 = 0
  /// For each other chain, the sequence number that the own chain's newest commit had seen.
  var acknowledged: [Int64: Int64] = [:]
  var withheldCount = 0
  /// Whether any commit names cells to redact.
  var hasRedactions = false
  /// Whether any commit is, or was, partially replicated.
  var hasAwaited = false
  /// Whether the log is, or was when it was last written, at a home.
  var followsHome = false
  /// Whether it is recorded who handed over some commits.
  var hasHandovers = false
  /// The addresses of the spaces with which the log synchronises, and in which its owner is no admin.
  var limitingSpaces: [String] = []

  var own: Chain {
    chains[ownChain] ?? Chain(id: ownChain, replica: ReplicaID(high: 0, low: 0))
  }
}
