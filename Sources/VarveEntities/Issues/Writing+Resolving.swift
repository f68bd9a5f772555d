public import Foundation
public import VarveCore

extension Writing {
  /// Merges duplicates into one entity, which replaces them everywhere, and erases them.
  ///
  /// The kept entity takes over properties by the policy, and the elements that its to-many
  /// properties lack. References in live entities, elements of to-many properties, and relations
  /// from either end that named a duplicate are redirected to it; relations among the merged
  /// entities are removed. Dead entities are not changed. All of it is one commit, which
  /// ``Store/undo(_:author:message:)`` undoes.
  ///
  /// The commit also states that the kept entity lives. If two replicas merge the same duplicates
  /// and each keeps another one, the one that the later commit kept survives everywhere, and
  /// ``Store/conflicts()`` lists the death of the other.
  ///
  /// ```swift
  /// let merge = try await tx.mergeDuplicates(["hat-2", "hat-3"], into: "hat-1")
  /// print(merge.properties, "taken,", merge.referenceCount, "references moved")
  /// ```
  ///
  /// - Parameters:
  ///   - duplicates: the duplicates; the kept entity among them is ignored.
  ///   - kept: the entity to keep.
  ///   - policy: the policy for the properties that it takes over.
  ///   - time: when the changes begin to hold; nil for the time of the transaction. A reference or a
  ///     relation that begins later is redirected from its beginning on. References that no longer
  ///     count at present stay.
  /// - Throws: ``VarveError``: `notFound` if one is not live, `typeMismatch` if they are of several
  ///   types, the errors of ``Store/willErase(_:)`` hooks, `timeOutOfRange`.
  /// - Complexity: O(entities of the store), because any property may contain references.
  @discardableResult
  public func mergeDuplicates(
    _ duplicates: some Sequence<EntityID> & Sendable,
    into kept: EntityID,
    _ policy: DuplicatePolicy = .fill,
    at time: Date? = nil
  ) async throws -> DuplicateMerge {
    let time = try time.map { try HybridTime(instant: $0) }
    let duplicates = Array(duplicates)
    return try await perform(as: .write, sharesTurn: false) {
      try await $0.mergeDuplicates(duplicates, into: kept, policy, at: time)
    }
  }

  /// Removes every ownership of a live entity. It and everything it owns then have a path from
  /// outside any cycle.
  ///
  /// - Returns: the number of ownerships removed.
  /// - Throws: ``VarveError``: `notFound` if the entity is not live; `timeOutOfRange`.
  /// - Complexity: O(owners).
  @discardableResult
  public func makeRoot(_ id: EntityID, at time: Date? = nil) async throws -> Int {
    let time = try time.map { try HybridTime(instant: $0) }
    return try await perform(as: .write, sharesTurn: false) { try await $0.makeRoot(id, at: time) }
  }

  /// Resolves a conflict. No store that has this commit lists the conflict, unless a concurrent
  /// write causes it again. ``Store/undo(_:author:message:)`` restores the earlier state, and
  /// leaves the conflict settled.
  ///
  /// - Parameters:
  ///   - conflict: a conflict listed by ``Store/conflicts()``.
  ///   - resolution: how to resolve it.
  ///   - time: when the resolution begins to hold; nil for the time of the transaction. A value
  ///     backdated below the present one resolves the conflict too, but does not become the present
  ///     one.
  /// - Returns: whether anything was written.
  /// - Throws: ``VarveError``: `invalidArgument` if the resolution does not fit the kind of
  ///   conflict, or the clock was set back to before a commit of the conflict; `notFound` if the
  ///   entity of a value is no longer live, and as `restore(_:_:at:)`.
  /// - Complexity: O(log entities); for deaths, O(what is restored).
  @discardableResult
  public func resolve(
    _ conflict: Conflict,
    by resolution: ConflictResolution,
    at time: Date? = nil
  ) async throws -> Bool {
    let time = try time.map { try HybridTime(instant: $0) }
    return try await perform(as: .write, sharesTurn: false) {
      try await $0.resolve(conflict, by: resolution, at: time)
    }
  }
}
