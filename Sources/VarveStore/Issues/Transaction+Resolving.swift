public import Foundation
public import VarveCore

extension Transaction {
  /// Merges doubles into one entity, which takes their place everywhere; then they are erased.
  ///
  /// It takes properties by the policy, and what to-many properties of theirs hold and its own do
  /// not. References in live entities, elements of to-many properties, and relations from either end
  /// that named a double name it from then on; relations between them end. What is dead is not
  /// touched. Being one commit, ``Store/undo(_:author:message:)`` takes all of it back.
  ///
  /// ```swift
  /// let merge = try await tx.mergeDuplicates(["hat-2", "hat-3"], into: "hat-1")
  /// print(merge.properties, "taken,", merge.referenceCount, "references moved")
  /// ```
  ///
  /// - Parameters:
  ///   - duplicates: the doubles; the one that stays among them is passed over.
  ///   - kept: the one that stays.
  ///   - policy: what it takes of their properties.
  ///   - time: when all that holds from, if not from the time of the transaction.
  /// - Throws: ``VarveError``: `notFound` where one is not live, `typeMismatch` where they are of
  ///   several types, what ``Store/willErase(_:)`` hooks throw, `timeOutOfRange`.
  /// - Complexity: O(entities of the store), as references may stand in any property.
  @discardableResult
  public func mergeDuplicates(
    _ duplicates: some Sequence<EntityID> & Sendable,
    into kept: EntityID,
    _ policy: DuplicatePolicy = .fill,
    at time: Date? = nil
  ) async throws -> DuplicateMerge {
    let time = try time.map { try HybridTime(instant: $0) }
    let duplicates = Array(duplicates)
    return try await perform {
      try await $0.mergeDuplicates(duplicates, into: kept, policy, at: time)
    }
  }

  /// Takes back every ownership of a live entity: it is nobody's from then on, and what it owns at
  /// any distance has an owner outside any cycle.
  ///
  /// - Returns: how many ownerships there were.
  /// - Throws: ``VarveError``: `notFound` where it is not live; `timeOutOfRange`.
  /// - Complexity: O(owners).
  @discardableResult
  public func makeRoot(_ id: EntityID, at time: Date? = nil) async throws -> Int {
    let time = try time.map { try HybridTime(instant: $0) }
    return try await perform { try await $0.makeRoot(id, at: time) }
  }

  /// Settles a conflict: no store lists it any more once it has this commit, unless somebody wrote
  /// apart from that again.
  ///
  /// - Parameters:
  ///   - conflict: one that ``Store/conflicts()`` lists.
  ///   - resolution: how.
  ///   - time: when that holds from, if not from the time of the transaction. A value backdated
  ///     below the present one settles the conflict too, and does not show.
  /// - Returns: whether anything had to be written.
  /// - Throws: ``VarveError``: `invalidArgument` where the resolution is not one of such a conflict,
  ///   `notFound` where the entity of a value is not live any more, and as
  ///   ``restore(_:_:at:)``.
  /// - Complexity: O(log entities); of deaths, O(what is restored).
  @discardableResult
  public func resolve(
    _ conflict: Conflict,
    by resolution: ConflictResolution,
    at time: Date? = nil
  ) async throws -> Bool {
    let time = try time.map { try HybridTime(instant: $0) }
    return try await perform { try await $0.resolve(conflict, by: resolution, at: time) }
  }
}

/// What settles issues and conflicts, each call a commit of its own.
extension Store {
  /// Merges doubles into one entity. See ``Transaction/mergeDuplicates(_:into:_:at:)``.
  @discardableResult
  public func mergeDuplicates(
    _ duplicates: some Sequence<EntityID> & Sendable,
    into kept: EntityID,
    _ policy: DuplicatePolicy = .fill,
    author: String = "",
    message: String = ""
  ) async throws -> DuplicateMerge {
    try await write(author: author, message: message) {
      try await $0.mergeDuplicates(duplicates, into: kept, policy)
    }
  }

  /// Takes back every ownership of a live entity. See ``Transaction/makeRoot(_:at:)``.
  @discardableResult
  public func makeRoot(
    _ id: EntityID,
    author: String = "",
    message: String = ""
  ) async throws -> Int {
    try await write(author: author, message: message) { try await $0.makeRoot(id) }
  }

  /// Settles a conflict. See ``Transaction/resolve(_:by:at:)``.
  ///
  /// ```swift
  /// for conflict in try await store.conflicts() {
  ///   try await store.resolve(conflict, by: conflict.kind == .value ? .version(0) : .death)
  /// }
  /// ```
  @discardableResult
  public func resolve(
    _ conflict: Conflict,
    by resolution: ConflictResolution,
    author: String = "",
    message: String = ""
  ) async throws -> Bool {
    try await write(author: author, message: message) {
      try await $0.resolve(conflict, by: resolution)
    }
  }
}
