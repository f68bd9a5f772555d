public import Foundation
public import VarveCore

extension Writing {
  /// Creates an entity under an unknown identifier, or writes the differences to a live one.
  ///
  /// Properties that are not passed stay unchanged. A value equal to the present one is not
  /// written.
  ///
  /// ```swift
  /// let outcome = try await tx.save("Hat", id: "hat-1", ["color": "red"])  // .created, then .unchanged
  /// ```
  ///
  /// - Parameters:
  ///   - type: the type label.
  ///   - id: the identifier.
  ///   - properties: the values.
  ///   - time: when the values begin to hold; nil for the time of the transaction.
  /// - Returns: the outcome.
  /// - Throws: ``VarveError``: `notFound` if the entity is erased, or dead with its owners;
  ///   `typeMismatch` if it is of another type; and as ``create(_:id:_:at:)``.
  /// - Complexity: O(properties × log entities).
  @discardableResult
  public func save(
    _ type: EntityType,
    id: EntityID,
    _ properties: [PropertyKey: Value],
    at time: Date? = nil
  ) async throws -> SaveOutcome {
    let time = try time.map { try HybridTime(instant: $0) }
    return try await perform(as: .save) {
      try await $0.save(
        type,
        id: id,
        .sorted(properties),
        comparesSemanticTypes: false,
        at: time
      )
    }
  }

  /// Saves an entity whose properties have semantic types; another semantic type is a difference.
  ///
  /// - Throws: as ``save(_:id:_:at:)``; `invalidArgument` also for an empty semantic type.
  /// - Complexity: O(properties × log entities).
  @discardableResult
  public func save(
    _ type: EntityType,
    id: EntityID,
    properties: [PropertyKey: StoredEntity.Property],
    at time: Date? = nil
  ) async throws -> SaveOutcome {
    let time = try time.map { try HybridTime(instant: $0) }
    return try await perform(as: .save) {
      try await $0.save(
        type,
        id: id,
        .sorted(properties),
        comparesSemanticTypes: true,
        at: time
      )
    }
  }

  /// Writes the differences to a live entity; nil removes a property.
  ///
  /// - Returns: whether there were differences.
  /// - Throws: ``VarveError``: `notFound` if the entity is not live, `valueTooLarge`,
  ///   `unsupportedValue`, `timeOutOfRange`, `invalidArgument` for a name over 64 KiB.
  /// - Complexity: O(properties × log entities).
  @discardableResult
  public func update(
    _ id: EntityID,
    _ properties: [PropertyKey: Value?],
    at time: Date? = nil
  ) async throws -> Bool {
    let time = try time.map { try HybridTime(instant: $0) }
    return try await perform(as: .update) {
      try await $0.update(id, .sorted(properties), comparesSemanticTypes: false, at: time)
    }
  }

  /// Updates properties with semantic types; another semantic type is a difference.
  ///
  /// - Throws: as `update(_:_:at:)`; `invalidArgument` also for an empty semantic type.
  /// - Complexity: O(properties × log entities).
  @discardableResult
  public func update(
    _ id: EntityID,
    properties: [PropertyKey: StoredEntity.Property?],
    at time: Date? = nil
  ) async throws -> Bool {
    let time = try time.map { try HybridTime(instant: $0) }
    return try await perform(as: .update) {
      try await $0.update(id, .sorted(properties), comparesSemanticTypes: true, at: time)
    }
  }
}
