public import VarveCore

extension Store {
  /// Returns the conflicts between replicas that no later commit has settled: properties of live
  /// entities with several concurrent values, and entities that died unseen.
  ///
  /// Until then the greatest value of a property holds (R7); writing the property settles the
  /// conflict. A death is listed if no erasing commit had seen that the entity would die, or
  /// everything that was written to it (R15, R16). Restoring the entity settles it, as does
  /// restoring and erasing it in one transaction.
  ///
  /// ```swift
  /// for conflict in try await store.conflicts() {
  ///   if let key = conflict.key {
  ///     print(conflict.entity, key, conflict.versions.map { $0.description })
  ///   } else {
  ///     print(conflict.entity, "died with", conflict.erased)
  ///   }
  /// }
  /// ```
  ///
  /// - Returns: the conflicts in order of entity; its death first, then its properties by key.
  /// - Throws: ``VarveError`` with code `closed`.
  /// - Complexity: O(properties ever written concurrently × their versions), and O(entities ever
  ///   suspected to have died unseen, and everything that ever owned them × the erasures among
  ///   these).
  public func conflicts() async throws -> [Conflict] {
    try refuseInsideOwnWrite("conflicts")
    return try await backend.conflicts()
  }
}

extension PastState {
  /// Returns the properties that were in conflict in this state, and deaths in the present one. See
  /// ``Store/conflicts()``.
  ///
  /// - Throws: ``VarveError`` with code `closed`.
  /// - Complexity: O(properties ever written concurrently × their versions).
  public func conflicts() async throws -> [Conflict] {
    try await reading { try await $0.reader.conflicts() }
  }
}
