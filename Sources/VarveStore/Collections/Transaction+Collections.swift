public import Foundation
public import VarveCore

extension Transaction {
  /// Makes a property a to-many one that holds these targets, in this order.
  ///
  /// Only the difference is written: what stays keeps its place, so replicas that change other
  /// parts of the same property apart do not undo each other. Setting what is there writes nothing.
  ///
  /// A target may be unknown yet. Nothing is owned by it and nothing dies with it.
  ///
  /// - Parameters:
  ///   - id: the live entity whose property it is.
  ///   - key: the property.
  ///   - targets: what it shall hold; an empty list is a value too.
  ///   - kind: how it is taken. Sets drop repetitions; a ``CollectionKind/set`` leaves what it
  ///     holds in its order.
  ///   - time: when it holds from, if not from the time of the transaction.
  /// - Returns: whether anything was written.
  /// - Throws: ``VarveError``: `notFound` where the entity is not live or a target is erased or
  ///   dead; `timeOutOfRange`; `invalidArgument` for a key over 64 KiB.
  /// - Complexity: O((elements + targets) · differences).
  @discardableResult
  public func setCollection(
    _ id: EntityID,
    _ key: PropertyKey,
    to targets: [EntityID],
    as kind: CollectionKind = .list,
    at time: Date? = nil
  ) async throws -> Bool {
    let time = try time.map { try HybridTime(instant: $0) }
    return try await perform {
      try await $0.setCollection(id, key, to: targets, as: kind, at: time)
    }
  }

  /// Adds targets to a to-many property, at its end; a set gets only those it does not hold.
  ///
  /// - Returns: whether anything was written.
  /// - Throws: as ``setCollection(_:_:to:as:at:)``.
  /// - Complexity: O(elements + targets).
  @discardableResult
  public func addToCollection(
    _ id: EntityID,
    _ key: PropertyKey,
    _ targets: [EntityID],
    as kind: CollectionKind = .list,
    at time: Date? = nil
  ) async throws -> Bool {
    let time = try time.map { try HybridTime(instant: $0) }
    return try await perform {
      try await $0.addToCollection(id, key, targets, as: kind, at: time)
    }
  }

  /// Takes targets out of a to-many property, however often they stand in it. What another replica
  /// adds without knowing of this stays.
  ///
  /// - Returns: whether anything was written.
  /// - Throws: ``VarveError``: `notFound` where the entity is not live; `timeOutOfRange`.
  /// - Complexity: O(elements).
  @discardableResult
  public func removeFromCollection(
    _ id: EntityID,
    _ key: PropertyKey,
    _ targets: [EntityID],
    at time: Date? = nil
  ) async throws -> Bool {
    let time = try time.map { try HybridTime(instant: $0) }
    return try await perform {
      try await $0.removeFromCollection(id, key, targets, at: time)
    }
  }
}
