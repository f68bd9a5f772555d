import VarveCore

/// The entities whose lives or owners are changed by several cells that count as one (R21).
///
/// Their liveness is computed once, after the last cell.
struct DeferredLiveness {
  private(set) var changed: [EntityID] = []
  private var seen: Set<EntityID> = []
  /// Whether every change was an erasure.
  private(set) var isErasure = true
  /// Whether each entity was live before its register changed.
  private(set) var before: [EntityID: Bool] = [:]

  mutating func change(_ id: EntityID, byErasure: Bool) {
    isErasure = isErasure && byErasure
    if seen.insert(id).inserted { changed.append(id) }
  }

  /// Returns whether the row of an entity, if it gets one, will be written from its history at the
  /// end.
  func rewrites(_ id: EntityID) -> Bool { before[id] != nil && seen.contains(id) }

  mutating func note(_ id: EntityID, wasLive: Bool) {
    if before[id] == nil { before[id] = wasLive }
  }
}

extension Session {
  /// Applies cells and computes their effect on liveness once, at the end.
  ///
  /// Until then, the liveness bits and the rows may be out of date. They agree with each other, and
  /// every entity that a pending change may affect is owned, directly or indirectly, by a recorded
  /// entity.
  ///
  /// - Parameter body: applies the cells, and returns the changes that need no further computation.
  /// - Complexity: O(recorded entities, and what they own, with its edges).
  func applyTogether(_ body: () throws -> [LifeChanges]) throws -> LifeChanges {
    precondition(applying.deferred == nil, "cells are applied together once")
    applying.deferred = DeferredLiveness()
    defer { applying.deferred = nil }
    return try settleTogether(try body())
  }

  /// Computes liveness after all cells that count as one have been applied.
  func settleTogether(_ changes: [LifeChanges]) throws -> LifeChanges {
    var changes = changes
    guard let work = applying.deferred else { return LifeChanges(net: changes) }
    applying.deferred = nil
    if !work.changed.isEmpty {
      changes.append(
        try updateLiveness(
          from: work.changed,
          before: work.before,
          byErasure: work.isErasure
        )
      )
      try renameTypes(of: work)
    }
    if !applying.unseen.isEmpty {
      for id in work.before.keys where try identity(id)?.isKnownDead == true {
        try noteDeath(of: id)
      }
    }
    return LifeChanges(net: changes)
  }

  /// Gives the type of its last creation to each entity that was created anew and died within the
  /// cells, so that it never got a row.
  private func renameTypes(of work: DeferredLiveness) throws {
    for id in work.before.keys where work.rewrites(id) {
      guard let identity = try identity(id), identity.isKnownDead else { continue }
      try renameType(of: id, to: try reconstructLife(identity).type)
    }
  }

  /// Returns the liveness changes after the lives or owners of entities changed, or defers their
  /// computation.
  func liveness(after changed: [EntityID], byErasure: Bool = false) throws -> LifeChanges {
    guard applying.deferred == nil else {
      for id in changed { applying.deferred?.change(id, byErasure: byErasure) }
      return .none
    }
    return try updateLiveness(from: changed, byErasure: byErasure)
  }
}

extension Identity {
  /// Whether some commit created the entity, and it is dead.
  var isKnownDead: Bool { flags.contains(.known) && flags.contains(.dead) }
}
