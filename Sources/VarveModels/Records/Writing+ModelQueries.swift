public import Foundation
public import VarveCore
public import VarveEntities

/// Writes to all models of a query.
extension Writing {
  /// Sets properties of all models of a query. An equal value is not written again.
  ///
  /// ```swift
  /// let count = try await tx.update(Hat.where { $0.price > 500 }) { $0.set(\.price, 500) }
  /// ```
  ///
  /// The query selects the entities before anything is written. The rules of the properties that
  /// are set are checked, and the model's own `validate`; the first model that breaks one fails the
  /// update. A declared `updatedAt` is set where something changed. Relations move their edges. An
  /// entity that cannot be read as the model is changed without a check.
  ///
  /// Models are changed together, without being read, if the properties that are set are not
  /// relations, not unique and not renamed, and the model has no `validate` of its own.
  ///
  /// - Parameters:
  ///   - query: the query; its order and its limit count.
  ///   - assign: sets the properties.
  /// - Returns: the number of models that changed.
  /// - Throws: ``VarveError``: `validationFailed`, `unknownProperty`, `invalidQuery`.
  /// - Complexity: O(models of the query × properties); O(log entities) for each if they are
  ///   changed one by one.
  @discardableResult
  public func update<Model: Persistable>(
    _ query: TypedQuery<Model>,
    _ assign: (inout Assignments<Model>) -> Void
  ) async throws -> Int {
    try await committingStore?.prepare(Model.schema)
    var assignments = Assignments<Model>()
    assign(&assignments)
    return try await perform(as: .update, sharesTurn: false) {
      try await $0.update(query, assignments)
    }
  }

  /// Erases all models of a query and what they alone own. See ``erase(_:at:)-(Query,_)``.
  @discardableResult
  public func erase<Model: Persistable>(_ query: TypedQuery<Model>) async throws -> [EntityID] {
    try await committingStore?.prepare(Model.schema)
    return try await erase(query.untyped)
  }

  /// Sets properties of one model, without its other properties.
  ///
  /// ```swift
  /// try await tx.update(hat.id) { $0.set(\.price, 500) }
  /// ```
  ///
  /// What other writers changed in other properties stays. The rules of the properties that are set
  /// are checked, and the model's own `validate`; see ``update(_:_:)-(TypedQuery<Model>,_)``.
  ///
  /// - Returns: whether anything changed.
  /// - Throws: ``VarveError``: `notFound` if the entity is not live; `typeMismatch`;
  ///   `validationFailed`, `unknownProperty`.
  /// - Complexity: O(properties that are set × log entities).
  @discardableResult
  public func update<Model: Persistable>(
    _ id: Identifier<Model>,
    _ assign: (inout Assignments<Model>) -> Void
  ) async throws -> Bool {
    try await committingStore?.prepare(Model.schema)
    var assignments = Assignments<Model>()
    assign(&assignments)
    return try await perform(as: .update) { try await $0.update(id, assignments) }
  }

  /// Restores a model, with what died with it. See ``restore(_:_:at:)-(EntityID,_,_)``.
  ///
  /// ```swift
  /// try await tx.erase(hat)
  /// try await tx.restore(hat.id)
  /// ```
  ///
  /// - Returns: everything that came back to life, owners first.
  /// - Throws: as there; ``VarveError`` with code `typeMismatch` for an entity of another type.
  @discardableResult
  public func restore<Model: Persistable>(
    _ id: Identifier<Model>,
    _ mode: RestoreMode = .ifOwned,
    at time: Date? = nil
  ) async throws -> [EntityID] {
    let time = try time.map { try HybridTime(instant: $0) }
    return try await perform(as: .restore) { try await $0.restore(id, mode, at: time) }
  }
}
