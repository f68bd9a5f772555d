import VarveCore

/// Entities whose lives, or owners, several cells change that count as one (R21): who lives is
/// worked out once, at their end.
struct DeferredLiveness {
  private(set) var changed: [EntityID] = []
  private var seen: Set<EntityID> = []
  /// Whether all that changed were erased.
  private(set) var isErasure = true
  /// Whether entities lived before their registers were touched.
  private(set) var before: [EntityID: Bool] = [:]

  mutating func change(_ id: EntityID, byErasure: Bool) {
    isErasure = isErasure && byErasure
    if seen.insert(id).inserted { changed.append(id) }
  }

  /// Whether an entity's row, if it gets one, is made from history in the end.
  func rewrites(_ id: EntityID) -> Bool { before[id] != nil && seen.contains(id) }

  mutating func note(_ id: EntityID, wasLive: Bool) {
    if before[id] == nil { before[id] = wasLive }
  }
}

extension Session {
  /// Applies cells whose effect on liveness is worked out once.
  ///
  /// Meanwhile bits and rows may be of what was; they agree with each other, and whatever may be
  /// touched by a change that is still to come is owned, at some distance, by an entity noted.
  ///
  /// - Parameter body: applies the cells, and answers what was clear at once.
  /// - Complexity: O(entities noted, and what they own, with its edges).
  func applyTogether(_ body: () throws -> [LifeChanges]) throws -> LifeChanges {
    precondition(applying.deferred == nil, "cells are applied together once")
    applying.deferred = DeferredLiveness()
    defer { applying.deferred = nil }
    return try settleTogether(try body())
  }

  /// Works out who lives by the cells applied since they were begun to count as one.
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
    }
    if !applying.unseen.isEmpty {
      for id in work.before.keys where try identity(id)?.isKnownDead == true {
        try noteDeath(of: id)
      }
    }
    return LifeChanges(net: changes)
  }

  /// Who lives after the lives or owners of entities changed: found now, or left for later.
  func liveness(after changed: [EntityID], byErasure: Bool = false) throws -> LifeChanges {
    guard applying.deferred == nil else {
      for id in changed { applying.deferred?.change(id, byErasure: byErasure) }
      return .none
    }
    return try updateLiveness(from: changed, byErasure: byErasure)
  }
}

extension Identity {
  /// Whether some commit created it, and it is dead.
  var isKnownDead: Bool { life.contains(.known) && life.contains(.dead) }
}
