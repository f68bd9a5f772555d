public import VarveCore
public import VarveEntities

extension Writing {
  /// Saves a model: creates the entity if its identifier is unknown, or writes the differences to a
  /// live one.
  ///
  /// The rules of the schema and the model are checked first. Uniqueness is checked when the
  /// transaction or the enclosing `attempt(_:)` ends, so that two models may exchange values:
  /// then the write or the attempt throws, not this call. If another rule is broken too, this call
  /// reports both. A property equal to the present value is not written; a property that is nil
  /// is removed. A declared `createdAt` is set once, `updatedAt` with each save. Properties that
  /// the model does not declare stay.
  ///
  /// ```swift
  /// let hat = try await tx.save(Hat(color: "red", brimSize: 12))
  /// ```
  ///
  /// - Returns: the model as stored, dates included.
  /// - Throws: ``VarveError``: `validationFailed` with the violations; `notFound` if the entity is
  ///   erased or dead with its owners; `typeMismatch` if it is of another type; `unsupportedValue`,
  ///   `valueTooLarge`.
  /// - Complexity: O(properties × log entities).
  @discardableResult
  public func save<Model: Persistable>(_ model: Model) async throws -> Model {
    try await committingStore?.prepare(Model.schema)
    return try await perform(as: .save) { try await $0.save(model) }
  }

  /// Saves many models in their order, faster than one by one. See ``save(_:)-(Model)``.
  ///
  /// New entities are written in batches. The call throws at the first invalid model; if models
  /// before it were written, the whole transaction fails.
  ///
  /// - Returns: the models as stored.
  /// - Complexity: O(models × log entities).
  @discardableResult
  public func save<Model: Persistable>(_ models: [Model]) async throws -> [Model] {
    try await committingStore?.prepare(Model.schema)
    return try await perform(as: .save) { try await $0.save(models) }
  }

  /// Erases a model's entity and what it alone owns. Does nothing if it was never saved.
  ///
  /// - Returns: the identifiers of all entities that died.
  @discardableResult
  public func erase<Model: Persistable>(_ model: Model) async throws -> [EntityID] {
    try await erase([model])
  }

  /// Erases the entities of several models at once. See ``erase(_:)-(Model)``.
  ///
  /// - Complexity: O(entities that die and their edges).
  @discardableResult
  public func erase<Model: Persistable>(_ models: [Model]) async throws -> [EntityID] {
    try await erase(models.map(\.id.entityID))
  }
}
