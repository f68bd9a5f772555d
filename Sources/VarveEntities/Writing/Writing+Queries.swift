public import Foundation
public import VarveCore

/// Writes to all entities of a query.
extension Writing {
  /// Writes values to all entities of a query. An equal value is not written again.
  ///
  /// ```swift
  /// let query = Query("Hat").where(Field("price") > 500)
  /// let count = try await tx.update(query, ["price": 500])
  /// ```
  ///
  /// The query selects the entities before anything is written. Each changed value has a history,
  /// as if the entities were updated one by one.
  ///
  /// - Parameters:
  ///   - query: the query; its order and its limit count.
  ///   - properties: the values; nil removes a property.
  ///   - time: when the values begin to hold; nil for the time of the transaction.
  /// - Returns: the number of entities that had other values.
  /// - Throws: ``VarveError``: `invalidQuery`; and as ``update(_:_:at:)-(EntityID,_,_)``.
  /// - Complexity: O(entities of the query × properties). With a time, for properties that are
  ///   references with a relation, and for properties with values of several kinds, each entity is
  ///   updated by itself, in O(log entities).
  @discardableResult
  public func update(
    _ query: Query,
    _ properties: [PropertyKey: Value?],
    at time: Date? = nil
  ) async throws -> Int {
    let time = try time.map { try HybridTime(instant: $0) }
    return try await perform(as: .update, sharesTurn: false) {
      try await $0.update(query, .sorted(properties), comparesSemanticTypes: false, at: time)
    }
  }

  /// Writes properties with semantic types to all entities of a query; another semantic type is a
  /// difference. See ``update(_:_:at:)-(Query,_,_)``.
  @discardableResult
  public func update(
    _ query: Query,
    properties: [PropertyKey: StoredEntity.Property?],
    at time: Date? = nil
  ) async throws -> Int {
    let time = try time.map { try HybridTime(instant: $0) }
    return try await perform(as: .update, sharesTurn: false) {
      try await $0.update(query, .sorted(properties), comparesSemanticTypes: true, at: time)
    }
  }

  /// Erases all entities of a query and what they alone own. Hooks run as for every erasure.
  ///
  /// - Parameters:
  ///   - query: the query; its order and its limit count.
  ///   - time: the time of the erasure; nil for the time of the transaction.
  /// - Returns: the identifiers of all entities that died.
  /// - Throws: ``VarveError``: `invalidQuery`, `hookRefused`.
  /// - Complexity: O(entities that die and their edges).
  @discardableResult
  public func erase(_ query: Query, at time: Date? = nil) async throws -> [EntityID] {
    let time = try time.map { try HybridTime(instant: $0) }
    return try await perform(as: .erase, sharesTurn: false) { try await $0.erase(query, at: time) }
  }
}
