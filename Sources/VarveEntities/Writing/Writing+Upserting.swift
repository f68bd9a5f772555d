public import Foundation
public import VarveCore

extension Writing {
  /// Writes the differences to the live entity that has the values under some keys, or creates one
  /// if there is none. Other properties stay unchanged.
  ///
  /// ```swift
  /// let (id, outcome) = try await tx.upsert("Hat", on: ["sku"], ["sku": "h-7", "price": 39])
  /// ```
  ///
  /// No other writer can create the entity meanwhile. Replicas that are apart can: after a merge,
  /// ``Reading/duplicates(of:keys:)`` finds both. If several entities have the values, the one
  /// created first is written.
  ///
  /// - Parameters:
  ///   - type: the type label.
  ///   - keys: the properties by which the entity is found; each needs a value.
  ///   - id: the identifier of a new entity; a fresh one if nil.
  ///   - properties: the values; nil removes a property.
  ///   - time: when the values begin to hold; nil for the time of the transaction.
  /// - Returns: the identifier of the entity, and the outcome.
  /// - Throws: ``VarveError``: `invalidArgument` if there are no keys, or no value for one; and as
  ///   ``create(_:id:_:at:)``.
  /// - Complexity: O(entities of the type); O(log entities) if a key is indexed.
  @discardableResult
  public func upsert(
    _ type: EntityType,
    on keys: [PropertyKey],
    id: EntityID? = nil,
    _ properties: [PropertyKey: Value?],
    at time: Date? = nil
  ) async throws -> (id: EntityID, outcome: SaveOutcome) {
    let time = try time.map { try HybridTime(instant: $0) }
    return try await perform(as: .save) {
      try await $0.upsert(
        type,
        on: keys,
        id: id,
        .sorted(properties),
        comparesSemanticTypes: false,
        at: time
      )
    }
  }

  /// Upserts an entity whose properties have semantic types; another semantic type is a difference.
  /// See ``upsert(_:on:id:_:at:)``.
  @discardableResult
  public func upsert(
    _ type: EntityType,
    on keys: [PropertyKey],
    id: EntityID? = nil,
    properties: [PropertyKey: StoredEntity.Property?],
    at time: Date? = nil
  ) async throws -> (id: EntityID, outcome: SaveOutcome) {
    let time = try time.map { try HybridTime(instant: $0) }
    return try await perform(as: .save) {
      try await $0.upsert(
        type,
        on: keys,
        id: id,
        .sorted(properties),
        comparesSemanticTypes: true,
        at: time
      )
    }
  }

  /// Upserts an entity. Under the plain keys, an equal value of another semantic type is no
  /// difference.
  package func upsert(
    _ type: EntityType,
    on keys: [PropertyKey],
    id: EntityID? = nil,
    properties: [PropertyKey: StoredEntity.Property?],
    plain: Set<PropertyKey>,
    at time: Date? = nil
  ) async throws -> (id: EntityID, outcome: SaveOutcome) {
    let time = try time.map { try HybridTime(instant: $0) }
    var changes = [PropertyChange].sorted(properties)
    for index in changes.indices where plain.contains(changes[index].key) {
      changes[index].isPlain = true
    }
    return try await perform(as: .save) { [changes] in
      try await $0.upsert(
        type,
        on: keys,
        id: id,
        changes,
        comparesSemanticTypes: true,
        at: time
      )
    }
  }

  /// Creates an entity unless a live one has the values under some keys. Such an entity stays
  /// unchanged.
  ///
  /// - Parameters:
  ///   - type: the type label.
  ///   - keys: the properties by which the entity is found; each needs a value.
  ///   - id: the identifier; a fresh one if nil.
  ///   - properties: the values.
  ///   - time: when the values begin to hold; nil for the time of the transaction.
  /// - Returns: the identifier of the new entity, or nil if there was one.
  /// - Throws: as ``upsert(_:on:id:_:at:)``.
  /// - Complexity: as ``upsert(_:on:id:_:at:)``.
  @discardableResult
  public func insert(
    _ type: EntityType,
    ifAbsent keys: [PropertyKey],
    id: EntityID? = nil,
    _ properties: [PropertyKey: Value],
    at time: Date? = nil
  ) async throws -> EntityID? {
    let time = try time.map { try HybridTime(instant: $0) }
    return try await perform(as: .create) {
      try await $0.insert(type, ifAbsent: keys, id: id, .sorted(properties), at: time)
    }
  }

  /// Inserts an entity whose properties have semantic types. See ``insert(_:ifAbsent:id:_:at:)``.
  @discardableResult
  public func insert(
    _ type: EntityType,
    ifAbsent keys: [PropertyKey],
    id: EntityID? = nil,
    properties: [PropertyKey: StoredEntity.Property],
    at time: Date? = nil
  ) async throws -> EntityID? {
    let time = try time.map { try HybridTime(instant: $0) }
    return try await perform(as: .create) {
      try await $0.insert(type, ifAbsent: keys, id: id, .sorted(properties), at: time)
    }
  }
}
