public import VarveCore

extension Writing {
  /// Destroys the content of entities: every value, removal and element of their properties in all
  /// of history, here and on every store this one synchronises with. Live entities are erased
  /// first, with what they alone own. Dead ones stay erased if their owners are restored, and on
  /// stores that had restored them meanwhile, unless they did later. A purge cannot be undone.
  ///
  /// In a sealed space the home of the membership orders a purge. Elsewhere the entities are erased at once,
  /// and their values stay readable in history until this store has synchronised with the home
  /// (``PurgeReport/isPending``).
  ///
  /// Identifiers, types, times and relations stay, and so do the authors and messages of commits,
  /// which should not contain such data. Values of *other* entities stay too, even if they mention
  /// the purged ones. The names of properties, and the semantic types of their first values, stay in the
  /// tables of this copy until ``Store/rebuild(_:)``.
  ///
  /// ```swift
  /// try await store.write(author: "sam", message: "asked to be forgotten") { tx in
  ///   try await tx.purge(["customer-7"])
  /// }
  /// ```
  ///
  /// - Parameter ids: the entities, live, dead or erased.
  /// - Returns: the entities that died, and the number of redacted places: 0 if all were purged
  ///   before.
  /// - Throws: ``VarveError``: `forbidden` if the store synchronises with a space in which its owner
  ///   is no admin; `notFound` for an unknown identifier; `invalidArgument` for an
  ///   entity of which this transaction wrote properties or elements. An entity that it created
  ///   without any is only erased.
  /// - Complexity: O(cells of the entities and of the blocks that contain them).
  @discardableResult
  public func purge(_ ids: [EntityID]) async throws -> PurgeReport {
    try await perform(as: .erase, sharesTurn: false) { try await $0.purge(ids) }
  }
}
