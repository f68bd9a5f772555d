import VarveCore

/// The state of applying a commit's cells, while its transaction is open.
struct Application {
  /// The applied commits that the commit had not seen.
  var unseen = UnseenCommits()
  /// The entities whose liveness is computed at the end of several cells, if there are any.
  var deferred: DeferredLiveness?
}

/// The applied commits that the author of a commit had not seen.
struct UnseenCommits {
  /// The chains that have such commits, with the last commit that the author had seen.
  var chains: [Int64: Int64] = [:]
  /// A number that none of the commits is below; nil until it is needed.
  var first: Int64?

  var isEmpty: Bool { chains.isEmpty }
}
