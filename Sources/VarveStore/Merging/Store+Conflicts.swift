public import VarveCore

extension Store {
  /// What replicas did apart, without having seen each other's work, and nobody has settled since:
  /// properties of live entities with several values, and entities that died unseen.
  ///
  /// The greatest value of a property holds meanwhile (R7); writing it settles the conflict. A
  /// death is listed where nobody who erased saw it coming, or not with all that had been written
  /// to the entity (R15, R16); restoring it settles that, or restoring and erasing it in one
  /// transaction.
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
  /// - Returns: in order of entity; its death first, then its properties by key.
  /// - Throws: ``VarveError`` with code `closed`.
  /// - Complexity: O(properties ever written apart × their versions), and O(entities ever suspected
  ///   to have died unseen, with all that ever owned them, × the erasures among these).
  public func conflicts() async throws -> [Conflict] {
    try refuseInsideOwnWrite("conflicts")
    return try await backend.conflicts()
  }
}

extension PastState {
  /// The properties that were in conflict in this state, and in the present one deaths as well. See
  /// ``Store/conflicts()``.
  ///
  /// - Throws: ``VarveError`` with code `closed`.
  /// - Complexity: O(properties ever written apart × their versions).
  public func conflicts() async throws -> [Conflict] {
    try await reading { try await $0.backend.conflicts() }
  }
}
