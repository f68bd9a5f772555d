public import Foundation
public import VarveCore

extension Writing {
  /// Relates two entities. Does nothing if they are related already. With a time the relation is
  /// written anyway, so that a later write for an earlier time does not end it at that time.
  ///
  /// `a owns b` and `b ownedBy a` are one edge, seen from its two ends. Either end of an ownership,
  /// and the target of a free relation, may be unknown; the relation counts once the entity
  /// arrives.
  ///
  /// ```swift
  /// try await tx.relate(shop, .owns, hat)  // erasing the shop erases the hat
  /// ```
  ///
  /// - Parameters:
  ///   - from: the entity whose relation it is.
  ///   - kind: the kind of the relation.
  ///   - to: the other entity.
  ///   - name: the relation's name, if an entity has several of one kind.
  ///   - time: when the relation begins; it lasts until the next time for which its absence is
  ///     stored. Nil for the time of the transaction.
  /// - Throws: ``VarveError``: `notFound` if an end is erased or dead, or the source of a free
  ///   relation is unknown; `timeOutOfRange`; `invalidArgument` for a name over 64 KiB, or a
  ///   time before an end that the relation depends on was created anew.
  /// - Complexity: O(log edges); with a dead owner, additionally O(entities that the target owns,
  ///   directly or indirectly).
  public func relate(
    _ from: EntityID,
    _ kind: RelationKind,
    _ to: EntityID,
    named name: PropertyKey = "",
    at time: Date? = nil
  ) async throws {
    let time = try time.map { try HybridTime(instant: $0) }
    let edge = EdgeEnds(from, kind, to, named: name)
    try await perform(as: .relate) { try await $0.relate(edge, at: time, isStated: true) }
  }

  /// Removes a relation, if there is one. An ownership can be removed from either end. With a time
  /// its absence is stored, so that a relation written later for an earlier time ends at that time.
  ///
  /// No entity dies unless the policy erases it: if only dead owners remain, their ownership is
  /// removed too.
  ///
  /// - Parameters:
  ///   - from: the end from which the relation is removed.
  ///   - kind: the kind of the relation.
  ///   - to: the other entity.
  ///   - name: the relation's name.
  ///   - orphans: what happens to an entity that loses its last owner; nil for the policy of the
  ///     name in ``Store/Configuration/orphanPolicies``.
  ///   - time: when the relation ends; nil for the time of the transaction.
  /// - Throws: ``VarveError``: `notFound` if `from` is erased or dead, or the relation is free and
  ///   `from` unknown; `orphanRefused` if the policy refuses; the errors of hooks if the policy
  ///   erases; `timeOutOfRange`.
  /// - Complexity: O(log edges); with a dead owner, additionally O(entities that the target owns,
  ///   directly or indirectly).
  public func unrelate(
    _ from: EntityID,
    _ kind: RelationKind,
    _ to: EntityID,
    named name: PropertyKey = "",
    orphans: OrphanPolicy? = nil,
    at time: Date? = nil
  ) async throws {
    let time = try time.map { try HybridTime(instant: $0) }
    let edge = EdgeEnds(from, kind, to, named: name)
    try await perform(as: .unrelate) {
      try await $0.unrelate(edge, from: from, orphans: orphans, at: time, isStated: true)
    }
  }

  /// Erases entities and everything that they alone own, directly or indirectly. Their history
  /// stays.
  ///
  /// An entity that a live entity outside also owns stays alive. Free relations have no effect.
  ///
  /// - Parameters:
  ///   - ids: the entities, erased together.
  ///   - isStrict: whether to throw for an identifier that is not live; otherwise it is ignored.
  ///   - time: when they are erased; nil for the time of the transaction.
  /// - Returns: everything that died: depth first from the entities in the order given, and owned
  ///   entities in the order in which they were declared, each when first reached.
  /// - Throws: ``VarveError``: `notFound` if `isStrict`, before anything is erased;
  ///   `timeOutOfRange`.
  /// - Complexity: O(entities that die and their relations).
  @discardableResult
  public func erase(
    _ ids: [EntityID],
    strict isStrict: Bool = false,
    at time: Date? = nil
  ) async throws -> [EntityID] {
    let time = try time.map { try HybridTime(instant: $0) }
    return try await perform(as: .erase) { try await $0.erase(ids, isStrict: isStrict, at: time) }
  }

  /// Erases an entity and everything it alone owns. See ``erase(_:strict:at:)-([EntityID],_,_)``.
  ///
  /// - Returns: everything that died, depth first.
  /// - Throws: as for several.
  @discardableResult
  public func erase(
    _ id: EntityID,
    strict isStrict: Bool = false,
    at time: Date? = nil
  ) async throws -> [EntityID] {
    try await erase([id], strict: isStrict, at: time)
  }

  /// Restores an entity as it was, with what died with it. Does nothing to a live entity.
  ///
  /// - Parameters:
  ///   - id: the entity, which is erased or dead with its owners.
  ///   - mode: what to do if all its owners are dead.
  ///   - time: when it is restored; nil for the time of the transaction.
  /// - Returns: everything that came back to life, owners first.
  /// - Throws: ``VarveError``: `notFound` if the identifier is unknown; `ownersDead` if all its
  ///   owners are dead and `mode` does not resolve that; `timeOutOfRange`.
  /// - Complexity: O(entities that come back, those above them, and their relations).
  @discardableResult
  public func restore(
    _ id: EntityID,
    _ mode: RestoreMode = .ifOwned,
    at time: Date? = nil
  ) async throws -> [EntityID] {
    let time = try time.map { try HybridTime(instant: $0) }
    return try await perform(as: .restore) { try await $0.restore(id, mode, at: time) }
  }
}
