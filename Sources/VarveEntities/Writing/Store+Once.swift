import VarveCore

extension Store {
  /// Writes a commit once in the life of a store and of all its replicas.
  ///
  /// ```swift
  /// try await store.once("seed-1") { tx in
  ///   try await tx.create("Hat", id: "hat-fedora", ["color": "brown"])
  /// }
  /// ```
  ///
  /// The same commit creates an entity of type `varve.once` whose identifier is derived from the
  /// name. A store that has, or had, this entity does not run the closure again.
  ///
  /// Two replicas may both run the closure before they synchronise. Entities that it creates under
  /// given identifiers are the same on both, so a merge unites them. Entities with
  /// fresh identifiers become duplicates. So give each entity an identifier, models too.
  ///
  /// - Parameters:
  ///   - name: the name of the write.
  ///   - author: the author.
  ///   - message: the reason.
  ///   - body: writes through its transaction.
  /// - Returns: the result of the closure, or nil if it did not run.
  /// - Throws: as ``write(as:author:message:at:_:)``; `invalidIdentifier` if the name is too long
  ///   for an identifier.
  /// - Complexity: O(log entities) if it does not run.
  @discardableResult
  public func once<Result>(
    _ name: String,
    author: String? = nil,
    message: String? = nil,
    _ body: (WriteTransaction) async throws -> Result
  ) async throws -> Result? {
    try refuseInsideOwnWrite("once")
    guard try await status(of: Self.mark(of: name)) == .unknown else { return nil }
    return try await write(author: author, message: message) { try await $0.once(name, body) }
  }

  /// The identifier of the entity that records that a write has run.
  static func mark(of name: String) throws -> EntityID {
    try EntityID("varve.once/\(name)")
  }
}
