public import Foundation
public import VarveCore

/// Upserts and inserts, each in a commit of its own.
extension Store {
  /// Writes the differences to the live entity that has the values under some keys, or creates one.
  /// See ``WriteTransaction/upsert(_:on:id:_:at:)``.
  @discardableResult
  public func upsert(
    _ type: EntityType,
    on keys: [PropertyKey],
    id: EntityID? = nil,
    _ properties: [PropertyKey: Value?],
    at time: Date? = nil,
    author: String? = nil,
    message: String? = nil
  ) async throws -> (id: EntityID, outcome: SaveOutcome) {
    try await writeShared(as: .save, author: author, message: message) {
      try await $0.upsert(type, on: keys, id: id, properties, at: time)
    }
  }

  /// Creates an entity unless a live one has the values under some keys. See
  /// ``WriteTransaction/insert(_:ifAbsent:id:_:at:)``.
  @discardableResult
  public func insert(
    _ type: EntityType,
    ifAbsent keys: [PropertyKey],
    id: EntityID? = nil,
    _ properties: [PropertyKey: Value],
    at time: Date? = nil,
    author: String? = nil,
    message: String? = nil
  ) async throws -> EntityID? {
    try await writeShared(as: .create, author: author, message: message) {
      try await $0.insert(type, ifAbsent: keys, id: id, properties, at: time)
    }
  }
}
