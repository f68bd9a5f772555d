public import VarveCore

/// The outcome of a purge.
public struct PurgeReport: Sendable, Hashable {
  /// Everything that died, owners first: the purged entities that were live, and what they alone
  /// owned. The history of the latter stays.
  public let died: [EntityID]
  /// The number of places in history that were redacted: one for each write of a property or an
  /// element, and one for all values of a creation.
  public let placeCount: Int

  /// Whether the values are destroyed later: in a sealed space whose membership is ordered elsewhere, once
  /// this store has synchronised with the home.
  public let isPending: Bool

  package init(died: [EntityID], placeCount: Int, isPending: Bool = false) {
    self.died = died
    self.placeCount = placeCount
    self.isPending = isPending
  }
}
