public import Foundation
public import VarveCore

extension Transaction {
  /// Relates two entities, once: relating them again changes nothing.
  ///
  /// `a owns b` and `b ownedBy a` are one edge, seen from both ends. Either end of an ownership,
  /// and what a free relation names, may be unknown yet; it counts from when it arrives.
  ///
  /// ```swift
  /// try await tx.relate(shop, .owns, hat)  // erasing the shop erases the hat
  /// ```
  ///
  /// - Parameters:
  ///   - from: the entity whose relation it is.
  ///   - kind: how it is related.
  ///   - to: the other entity.
  ///   - name: the relation's name, where an entity has several of one kind.
  ///   - time: when it holds from, if not from the time of the transaction.
  /// - Throws: ``VarveError``: `notFound` where an end is erased or dead, or a free relation's
  ///   source is unknown; `timeOutOfRange`; `invalidArgument` for a name over 64 KiB.
  /// - Complexity: O(log edges); where a dead owner is involved, O(what the target owns, at any distance)
  ///   besides.
  public func relate(
    _ from: EntityID,
    _ kind: RelationKind,
    _ to: EntityID,
    named name: PropertyKey = "",
    at time: Date? = nil
  ) async throws {
    let time = try time.map { try HybridTime(instant: $0) }
    let edge = EdgeEnds(from, kind, to, named: name)
    try await perform { try await $0.relate(edge, at: time) }
  }

  /// Takes a relation back, if there is one; from either end of an ownership.
  ///
  /// Nothing dies of it, unless the policy says so: an entity that would only be left with dead
  /// owners is freed from them.
  ///
  /// - Parameters:
  ///   - from: the end it is taken back from.
  ///   - kind: how it is related.
  ///   - to: the other entity.
  ///   - name: the relation's name.
  ///   - orphans: what becomes of an entity whose last owner this was; nil for what
  ///     ``Store/Configuration/orphanPolicies`` says of the name.
  ///   - time: when it ends, if not at the time of the transaction.
  /// - Throws: ``VarveError``: `notFound` where `from` is erased or dead, or is unknown and the
  ///   relation free; `orphanRefused` where the policy refuses; what a hook throws where it erases;
  ///   `timeOutOfRange`.
  /// - Complexity: O(log edges); where a dead owner is involved, O(what the target owns, at any distance)
  ///   besides.
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
    try await perform { try await $0.unrelate(edge, from: from, orphans: orphans, at: time) }
  }

  /// Erases entities and everything they alone own, directly or through others. Their history
  /// stays.
  ///
  /// What a live entity outside owns too stays alive. Free relations never matter.
  ///
  /// - Parameters:
  ///   - ids: what to erase, at once.
  ///   - isStrict: whether an identifier that is not live is an error; otherwise it is passed over.
  ///   - time: when they are erased, if not at the time of the transaction.
  /// - Returns: everything that died by it: depth first from the entities in the order given, what
  ///   they own in the order it was declared, each when first reached.
  /// - Throws: ``VarveError``: `notFound` where `isStrict`, before anything is erased;
  ///   `timeOutOfRange`.
  /// - Complexity: O(entities that die and their relations).
  @discardableResult
  public func erase(
    _ ids: [EntityID],
    strict isStrict: Bool = false,
    at time: Date? = nil
  ) async throws -> [EntityID] {
    let time = try time.map { try HybridTime(instant: $0) }
    return try await perform { try await $0.erase(ids, isStrict: isStrict, at: time) }
  }

  /// Erases an entity and everything it alone owns. See ``erase(_:strict:at:)-([EntityID],_,_)``.
  ///
  /// - Returns: everything that died by it, in the order owners reach it.
  /// - Throws: as for several.
  @discardableResult
  public func erase(
    _ id: EntityID,
    strict isStrict: Bool = false,
    at time: Date? = nil
  ) async throws -> [EntityID] {
    try await erase([id], strict: isStrict, at: time)
  }

  /// Brings an entity back to life as it was, with what depended on it. Does nothing to a live one.
  ///
  /// - Parameters:
  ///   - id: the entity, erased or dead with its owners.
  ///   - mode: what to do where all its owners are dead.
  ///   - time: when it is restored, if not at the time of the transaction.
  /// - Returns: everything that came back to life, owners first.
  /// - Throws: ``VarveError``: `notFound` where the identifier is unknown; `ownersDead` where all
  ///   its owners are and `mode` does not say what to do about it; `timeOutOfRange`.
  /// - Complexity: O(entities that come back, those above them, and their relations).
  @discardableResult
  public func restore(
    _ id: EntityID,
    _ mode: RestoreMode = .ifOwned,
    at time: Date? = nil
  ) async throws -> [EntityID] {
    let time = try time.map { try HybridTime(instant: $0) }
    return try await perform { try await $0.restore(id, mode, at: time) }
  }
}
