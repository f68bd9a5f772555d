public import Foundation
public import VarveCore

/// Writes of one call, each in a commit of its own. Inside ``write(as:author:message:at:_:)`` they
/// throw `nestedTransaction`; use the transaction there.
extension Store {
  /// Creates an entity. See ``WriteTransaction/create(_:id:_:at:)``.
  @discardableResult
  public func create(
    _ type: EntityType,
    id: EntityID? = nil,
    _ properties: [PropertyKey: Value] = [:],
    at time: Date? = nil,
    author: String? = nil,
    message: String? = nil
  ) async throws -> EntityID {
    try await writeShared(as: .create, author: author, message: message) {
      try await $0.create(type, id: id, properties, at: time)
    }
  }

  /// Creates many entities of one type. See ``WriteTransaction/create(_:keys:rows:at:)``.
  @inlinable
  public func create(
    _ type: EntityType,
    keys: [PropertyKey],
    rows: some Sequence<(EntityID, [Value?])>,
    at time: Date? = nil,
    author: String? = nil,
    message: String? = nil
  ) async throws {
    var rows = rows.makeIterator()
    try await create(type, keys: keys, at: time, author: author, message: message) {
      $0.take(from: &rows)
    }
  }

  /// Creates many entities of one type. See ``WriteTransaction/create(_:keys:rows:at:)``.
  ///
  /// - Parameter next: adds the next rows; none at the end.
  @usableFromInline
  func create(
    _ type: EntityType,
    keys: [PropertyKey],
    at time: Date?,
    author: String?,
    message: String?,
    next: (inout [(EntityID, [Value?])]) -> Void
  ) async throws {
    try await writeShared(as: .create, author: author, message: message) {
      try await $0.create(type, keys: keys, at: time, next: next)
    }
  }

  /// Creates an entity, or writes the differences to a live one. See
  /// ``WriteTransaction/save(_:id:_:at:)``.
  @discardableResult
  public func save(
    _ type: EntityType,
    id: EntityID,
    _ properties: [PropertyKey: Value],
    at time: Date? = nil,
    author: String? = nil,
    message: String? = nil
  ) async throws -> SaveOutcome {
    try await writeShared(as: .save, author: author, message: message) {
      try await $0.save(type, id: id, properties, at: time)
    }
  }

  /// Sets a property; nil removes it. See ``WriteTransaction/set(_:_:_:semanticType:at:)``.
  public func set(
    _ id: EntityID,
    _ key: PropertyKey,
    _ value: Value?,
    semanticType: String? = nil,
    at time: Date? = nil,
    author: String? = nil,
    message: String? = nil
  ) async throws {
    try await writeShared(as: .set, author: author, message: message) {
      try await $0.set(id, key, value, semanticType: semanticType, at: time)
    }
  }

  /// Sets several properties; nil removes one. See ``WriteTransaction/set(_:_:at:)``.
  public func set(
    _ id: EntityID,
    _ properties: [PropertyKey: Value?],
    at time: Date? = nil,
    author: String? = nil,
    message: String? = nil
  ) async throws {
    try await writeShared(as: .set, author: author, message: message) {
      try await $0.set(id, properties, at: time)
    }
  }

  /// Writes the differences to a live entity. See ``WriteTransaction/update(_:_:at:)``.
  @discardableResult
  public func update(
    _ id: EntityID,
    _ properties: [PropertyKey: Value?],
    at time: Date? = nil,
    author: String? = nil,
    message: String? = nil
  ) async throws -> Bool {
    try await writeShared(as: .update, author: author, message: message) {
      try await $0.update(id, properties, at: time)
    }
  }

  /// Removes a property. See ``WriteTransaction/remove(_:_:at:)``.
  public func remove(
    _ id: EntityID,
    _ key: PropertyKey,
    at time: Date? = nil,
    author: String? = nil,
    message: String? = nil
  ) async throws {
    try await writeShared(as: .remove, author: author, message: message) {
      try await $0.remove(id, key, at: time)
    }
  }
}
