public import VarveEntities

/// Saves of models that find their entity by unique values.
extension Writing {
  /// Saves a model as the entity that has its values of unique properties, or as a new one.
  ///
  /// ```swift
  /// let hat = try await tx.upsert(Hat(sku: "h-7", price: 39), on: \.sku)
  /// ```
  ///
  /// The model gets the identifier of the entity found, and every property of the model is written.
  /// If there is none, it is saved under its own identifier. If several entities have the values,
  /// as after a merge, the one created first is written.
  ///
  /// - Parameters:
  ///   - model: the model.
  ///   - keyPaths: a property declared `.unique`, or properties declared `uniqueTogether`.
  /// - Returns: the model as stored, with the identifier of its entity.
  /// - Throws: ``VarveError``: `invalidArgument` if the properties are not declared unique, or one
  ///   has no value; and as ``save(_:)-(Model)``.
  /// - Complexity: as ``save(_:)-(Model)``, and a look-up in the index.
  @discardableResult
  public func upsert<Model: Persistable>(
    _ model: Model,
    on keyPaths: PartialKeyPath<Model>...
  ) async throws -> Model {
    try await committingStore?.prepare(Model.schema)
    return try await perform(as: .save) { try await $0.upsert(model, on: keyPaths) }
  }

  /// Saves a new model unless a live entity has its values of unique properties. Such an entity
  /// stays unchanged.
  ///
  /// - Returns: the model as stored, or nil if there was one.
  /// - Throws: as ``upsert(_:on:)``; `duplicateIdentifier` if the model's own identifier is live.
  /// - Complexity: as ``upsert(_:on:)``.
  @discardableResult
  public func insert<Model: Persistable>(
    _ model: Model,
    ifAbsent keyPaths: PartialKeyPath<Model>...
  ) async throws -> Model? {
    try await committingStore?.prepare(Model.schema)
    return try await perform(as: .create) { try await $0.insert(model, ifAbsent: keyPaths) }
  }
}
