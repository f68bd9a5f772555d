import VarveCore

/// The targets of relations that differ between two states, as far as they are dead in the state that
/// has the relation. Lists of relations skip them (R19).
struct DeadTargets {
  private var old: Set<EntityID> = []
  private var new: Set<EntityID> = []

  /// Looks up the targets of the relations that only one of two states has.
  init(
    among ids: [EntityID],
    _ before: [EntityID: Portrait],
    in old: any BackendReader,
    _ after: [EntityID: Portrait],
    in new: any BackendReader
  ) async throws {
    for id in ids {
      for connection in Portrait.missing(before[id], in: after[id])
      where try await old.isDead(connection.target) { self.old.insert(connection.target) }
      for connection in Portrait.missing(after[id], in: before[id])
      where try await new.isDead(connection.target) { self.new.insert(connection.target) }
    }
  }

  /// Returns the dead targets of the relations that only the new state has, and of those that only the
  /// old one has, in byte order.
  func targets(of related: [Connection], _ unrelated: [Connection]) -> [EntityID] {
    let dead =
      related.map(\.target).filter(new.contains) + unrelated.map(\.target).filter(old.contains)
    return Set(dead).sorted()
  }
}
