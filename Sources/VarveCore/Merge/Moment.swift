/// A present or past state of the store.
public enum Moment: Hashable, Sendable {
  /// The present.
  case now
  /// The state at a time: cells whose time is not later (R6).
  case time(HybridTime)
  /// The state of a set of commits, which does not change when others arrive (R6).
  case frontier(Frontier)
}

/// A set of commits, named by the newest commit of each chain: those and all their predecessors.
///
/// What those commits had seen of other replicas is not added: a frontier names every chain it
/// means. A replica whose file was copied may have several chains.
public struct Frontier: Hashable, Sendable {
  /// The newest commits, in order of replica.
  public let heads: [CommitID]

  /// Wraps heads.
  public init(_ heads: some Sequence<CommitID>) { self.heads = heads.sorted() }

  /// The empty set of commits.
  public static let empty = Frontier([])
}
