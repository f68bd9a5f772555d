/// A state of the store to read.
public enum Moment: Hashable, Sendable {
  /// The present.
  case now
  /// What held at a time: cells whose time is not later (R6).
  case time(HybridTime)
  /// What a set of commits says: repeatable, whatever arrives later (R6).
  case frontier(Frontier)
}

/// A set of commits, named by its newest commit of each replica: those and all before them.
///
/// What those commits had seen of other replicas is not added: a frontier names every chain it
/// means. A replica whose file was copied may have several.
public struct Frontier: Hashable, Sendable {
  /// The newest commits, in order of replica.
  public let heads: [CommitID]

  /// Wraps heads.
  public init(_ heads: some Sequence<CommitID>) { self.heads = heads.sorted() }

  /// The set without commits.
  public static let empty = Frontier([])
}
