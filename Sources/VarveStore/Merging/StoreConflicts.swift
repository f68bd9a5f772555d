public import VarveCore

extension Store {
  /// The properties of live entities that replicas wrote apart, without having seen each other's
  /// value, and that nobody has written since.
  ///
  /// The greatest value holds meanwhile (R7). Writing the property settles the conflict.
  ///
  /// ```swift
  /// for conflict in try await store.conflicts() {
  ///   print(conflict.entity, conflict.key, conflict.versions.map { $0.value ?? "removed" })
  /// }
  /// ```
  ///
  /// - Throws: ``VarveError`` with code `closed`.
  /// - Complexity: O(properties ever written apart × their versions).
  public func conflicts() async throws -> [Conflict] {
    try refuseInsideOwnWrite("conflicts")
    return try await backend.conflicts()
  }
}

extension View {
  /// The properties that were in conflict in this state. See ``Store/conflicts()``.
  ///
  /// - Throws: ``VarveError`` with code `closed`.
  /// - Complexity: O(properties ever written apart × their versions).
  public func conflicts() async throws -> [Conflict] {
    try await reading { try await $0.backend.conflicts() }
  }
}
