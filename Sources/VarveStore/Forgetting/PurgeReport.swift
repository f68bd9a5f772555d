public import VarveCore

/// What a purge did.
public struct PurgeReport: Sendable, Hashable {
  /// Everything that died by it, owners first: what was purged and lived, and what it alone owned.
  /// Of the latter, what it said stays in history.
  public let died: [EntityID]
  /// How many places in history were emptied: one for each write of a property or an element, and
  /// one for all values an entity was created with.
  public let placeCount: Int

  package init(died: [EntityID], placeCount: Int) {
    self.died = died
    self.placeCount = placeCount
  }
}
