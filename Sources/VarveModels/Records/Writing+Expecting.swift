public import Foundation
public import VarveCore
public import VarveEntities

/// Writes that lose no update of another writer.
extension Writing {
  /// Saves only those properties of a model that differ from the model that was read. What other
  /// writers changed meanwhile in other properties stays.
  ///
  /// ```swift
  /// var hat = original
  /// hat.price = 500
  /// try await tx.save(hat, changedFrom: original)  // writes the price, and nothing else
  /// ```
  ///
  /// The rules of the model are checked with the present values of the other properties.
  ///
  /// - Parameters:
  ///   - model: the model.
  ///   - former: the same entity as it was read.
  /// - Returns: the model as stored, including what others changed.
  /// - Throws: ``VarveError``: `notFound` if the entity is not live any more; `invalidArgument` if
  ///   the models are of two entities; and as ``save(_:)-(Model)``.
  /// - Complexity: as ``save(_:)-(Model)``.
  @discardableResult
  public func save<Model: Persistable>(_ model: Model, changedFrom former: Model) async throws
    -> Model
  {
    try await committingStore?.prepare(Model.schema)
    return try await perform(as: .save) { try await $0.save(model, changedFrom: former) }
  }

  /// Saves a model if no property has changed since it was read. To-many properties are not
  /// compared.
  ///
  /// - Parameters:
  ///   - model: the model.
  ///   - former: the same entity as it was read.
  /// - Returns: the model as stored.
  /// - Throws: ``VarveError``: `changedMeanwhile`, whose `change` names the first such property
  ///   with both values; `notFound` if the entity is not live any more; and as
  ///   ``save(_:)-(Model)``.
  /// - Complexity: as ``save(_:)-(Model)``.
  @discardableResult
  public func save<Model: Persistable>(_ model: Model, ifUnchangedSince former: Model)
    async throws -> Model
  {
    try await committingStore?.prepare(Model.schema)
    return try await perform(as: .save) { try await $0.save(model, ifUnchangedSince: former) }
  }

  /// Writes the differences to a live entity if some of its properties have the expected values.
  ///
  /// ```swift
  /// try await tx.update("hat-1", ["price": 41], expecting: ["price": 39])
  /// ```
  ///
  /// Values are compared as ``Condition`` compares them: numbers as numbers, `39.0` as `39`; texts
  /// by their bytes; and a value of another kind, such as a text beside a date, is never the
  /// expected one. Semantic types are not compared. A `Decimal` is stored as its text, so pass its
  /// `propertyValue`, or save the model by ``save(_:ifUnchangedSince:)``.
  ///
  /// - Parameters:
  ///   - id: the entity.
  ///   - properties: the values; nil removes a property.
  ///   - expected: the values that the entity must have; nil for a missing one.
  ///   - time: when the values begin to hold; nil for the time of the transaction. The expected
  ///     values are the present ones in any case.
  /// - Returns: whether there were differences.
  /// - Throws: ``VarveError``: `changedMeanwhile`, whose `change` names the first property in byte
  ///   order that differs; and as `update(_:_:at:)`.
  /// - Complexity: as `update(_:_:at:)`.
  @discardableResult
  public func update(
    _ id: EntityID,
    _ properties: [PropertyKey: Value?],
    expecting expected: [PropertyKey: Value?],
    at time: Date? = nil
  ) async throws -> Bool {
    let time = try time.map { try HybridTime(instant: $0) }
    return try await perform(as: .update) { writer in
      try await writer.expect(expected, of: id)
      return try await writer.update(
        id,
        .sorted(properties),
        comparesSemanticTypes: false,
        at: time
      )
    }
  }

  /// Throws `changedMeanwhile` unless a live entity has the expected values and semantic types.
  package func expect(
    _ values: [PropertyKey: Value?],
    semanticTypes: [PropertyKey: String],
    of id: EntityID
  ) async throws {
    try await perform(as: .write) {
      try await $0.expect(values, semanticTypes: semanticTypes, of: id)
    }
  }
}
