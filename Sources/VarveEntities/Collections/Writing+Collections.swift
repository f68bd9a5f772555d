public import Foundation
public import VarveCore

extension Writing {
  /// Sets the targets of a to-many property, in order. A property of another kind becomes a to-many
  /// one.
  ///
  /// Only the difference is written. Elements that stay keep their positions, so concurrent changes
  /// to other parts of the same property do not undo each other. Setting the present targets writes
  /// nothing. With a time it is written anyway, so that a later write for an earlier time does not
  /// change the targets at that time. What is written for an earlier time ends where the targets
  /// were set later, with or without a time.
  ///
  /// A target may be unknown. A to-many property does not own its targets.
  ///
  /// - Parameters:
  ///   - id: the live entity whose property it is.
  ///   - key: the property.
  ///   - targets: the new targets; an empty list is a value too.
  ///   - kind: the kind of collection. Sets drop repetitions; a ``CollectionKind/set`` leaves
  ///     elements that stay in their order.
  ///   - time: when the value begins to hold; nil for the time of the transaction.
  /// - Returns: whether anything was written.
  /// - Throws: ``VarveError``: `notFound` if the entity is not live or a target is erased or dead;
  ///   `timeOutOfRange`; `invalidArgument` for a key over 64 KiB, or a time before the entity was
  ///   created anew.
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
    return try await perform(as: .update) {
      try await $0.setCollection(id, key, to: targets, as: kind, at: time, isStated: true)
    }
  }

  /// Adds targets at the end of a to-many property; with a set, only those it does not have.
  ///
  /// A target that is added for a date stays until the next date for which its removal, or the
  /// whole property without it, is stored.
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
    return try await perform(as: .update) {
      try await $0.addToCollection(id, key, targets, as: kind, at: time, isStated: true)
    }
  }

  /// Removes targets from a to-many property, with all repetitions. Elements that another replica
  /// adds concurrently stay.
  ///
  /// - Returns: whether anything was written.
  /// - Throws: ``VarveError``: `notFound` if the entity is not live; `timeOutOfRange`.
  /// - Complexity: O(elements).
  @discardableResult
  public func removeFromCollection(
    _ id: EntityID,
    _ key: PropertyKey,
    _ targets: [EntityID],
    at time: Date? = nil
  ) async throws -> Bool {
    let time = try time.map { try HybridTime(instant: $0) }
    return try await perform(as: .update) {
      try await $0.removeFromCollection(id, key, targets, at: time, isStated: true)
    }
  }
}
