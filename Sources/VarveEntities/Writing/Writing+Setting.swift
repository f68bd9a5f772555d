public import Foundation
public import VarveCore

extension Writing {
  /// Adds a value to a property of a live entity, even if it equals the present value.
  ///
  /// Without a time, the value supersedes the present one, whatever its time. With a time, it takes
  /// its place in the history, and is not written again if the history has it already.
  ///
  /// - Parameters:
  ///   - id: the entity.
  ///   - key: the property.
  ///   - value: the value; nil removes the property, if there is one.
  ///   - semanticType: the semantic type; nil for the name of the value's kind.
  ///   - time: when the value begins to hold; nil for the time of the transaction.
  /// - Throws: ``VarveError``: `notFound` if the entity is not live, `valueTooLarge`,
  ///   `unsupportedValue`, `timeOutOfRange`, `invalidArgument` for an empty semantic type, a name
  ///   over 64 KiB, or a time before the entity was created anew.
  /// - Complexity: O(log entities).
  public func set(
    _ id: EntityID,
    _ key: PropertyKey,
    _ value: Value?,
    semanticType: String? = nil,
    at time: Date? = nil
  ) async throws {
    let time = try time.map { try HybridTime(instant: $0) }
    let property = value.map { StoredEntity.Property($0, semanticType: semanticType) }
    let change = PropertyChange(key: key, property: property)
    try await perform(as: .set) { try await $0.set(id, change, at: time) }
  }

  /// Adds a value to several properties of a live entity; nil removes one. See
  /// ``set(_:_:_:semanticType:at:)``.
  ///
  /// - Throws: as ``set(_:_:_:semanticType:at:)``, before anything is written.
  /// - Complexity: O(log entities); with a past time, additionally O(log history).
  public func set(
    _ id: EntityID,
    _ properties: [PropertyKey: Value?],
    at time: Date? = nil
  ) async throws {
    let time = try time.map { try HybridTime(instant: $0) }
    try await perform(as: .set) { try await $0.set(id, .sorted(properties), at: time) }
  }

  /// Sets a reference as ``setCollection(_:_:to:as:at:)`` sets several: for a date it is a
  /// statement (R4), without one it is written if it differs. Returns whether anything was written.
  ///
  /// - Throws: as ``set(_:_:_:semanticType:at:)``.
  package func setReference(
    _ id: EntityID,
    _ key: PropertyKey,
    to target: EntityID?,
    at time: Date? = nil
  ) async throws -> Bool {
    let time = try time.map { try HybridTime(instant: $0) }
    let property = target.map { StoredEntity.Property(.reference($0)) }
    return try await perform(as: .set) {
      var change = PropertyChange(key: key, property: property)
      change.isPlain = true
      return try await $0.state(id, change, at: time)
    }
  }

  /// Removes a property of a live entity, if there is one. Its history stays. With a time its
  /// absence is stored, so that a value written later for an earlier time ends at that time.
  ///
  /// - Throws: ``VarveError``: `notFound` if the entity is not live, `timeOutOfRange`.
  /// - Complexity: O(log entities).
  public func remove(_ id: EntityID, _ key: PropertyKey, at time: Date? = nil) async throws {
    try await writing(as: .remove, sharesTurn: true) { try await $0.set(id, key, nil, at: time) }
  }
}
