public import Foundation
public import VarveCore
public import VarveEntities

extension Store {
  /// Saves only those properties of a model that differ from the model that was read. See
  /// ``WriteTransaction/save(_:changedFrom:)``.
  @discardableResult
  public func save<Model: Persistable>(
    _ model: Model,
    changedFrom former: Model,
    author: String? = nil,
    message: String? = nil
  ) async throws -> Model {
    try await prepare(Model.schema)
    return try await writeShared(as: .save, author: author, message: message) {
      try await $0.save(model, changedFrom: former)
    }
  }

  /// Saves a model if no property has changed since it was read. See
  /// ``WriteTransaction/save(_:ifUnchangedSince:)``.
  @discardableResult
  public func save<Model: Persistable>(
    _ model: Model,
    ifUnchangedSince former: Model,
    author: String? = nil,
    message: String? = nil
  ) async throws -> Model {
    try await prepare(Model.schema)
    return try await writeShared(as: .save, author: author, message: message) {
      try await $0.save(model, ifUnchangedSince: former)
    }
  }

  /// Writes the differences to a live entity if it has the expected values. See
  /// ``WriteTransaction/update(_:_:expecting:at:)``.
  @discardableResult
  public func update(
    _ id: EntityID,
    _ properties: [PropertyKey: Value?],
    expecting expected: [PropertyKey: Value?],
    at time: Date? = nil,
    author: String? = nil,
    message: String? = nil
  ) async throws -> Bool {
    try await writeShared(as: .update, author: author, message: message) {
      try await $0.update(id, properties, expecting: expected, at: time)
    }
  }
}
