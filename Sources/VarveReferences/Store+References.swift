public import Foundation
public import VarveCore
public import VarveEntities

/// Writes through references: each call is a commit of its own, or none if nothing is written.
extension Store {
  /// Returns the entities that references find or create. See
  /// ``WriteTransaction/findOrCreate(_:at:)``.
  ///
  /// Concurrent callers that create the same missing entity, even in several processes, get one
  /// entity. If all entities exist, the call does not wait for writers.
  public func findOrCreate(
    _ references: [EntityReference],
    at time: Date? = nil,
    author: String? = nil,
    message: String? = nil
  ) async throws -> [(any EntityHandle)?] {
    let found = try await find(references)
    guard zip(references, found).contains(where: { $0.mayCreate && $1 == nil }) else {
      return found
    }
    return try await writeShared(as: .findOrCreate, author: author, message: message) {
      try await $0.findOrCreate(references, at: time)
    }
  }

  /// Returns the entities that references find or create, as objects of one class. See
  /// ``WriteTransaction/findOrCreate(_:as:at:)``.
  public func findOrCreate<Class: CustomReference>(
    _ references: [EntityReference],
    as class: Class.Type,
    at time: Date? = nil,
    author: String? = nil,
    message: String? = nil
  ) async throws -> [Class?] {
    let references = references.map { $0.expecting(Class.entityType) }
    return try await findOrCreate(references, at: time, author: author, message: message)
      .map { $0.map { Class($0.asFound) } }
  }

  /// Returns the entities of a type with these values, and creates missing ones. See
  /// ``WriteTransaction/findOrCreate(_:_:in:at:)``. If all entities exist, the call does not wait
  /// for writers.
  public func findOrCreate(
    _ type: EntityType,
    _ key: PropertyKey,
    in values: [Value],
    at time: Date? = nil,
    author: String? = nil,
    message: String? = nil
  ) async throws -> [any EntityHandle] {
    let known = try await reading { try await $0.reader.matches(of: values, at: key, in: type) }
    guard values.contains(where: { known[$0] == nil }) else {
      return values.flatMap { known[$0] ?? [] }.map(classes.handle)
    }
    return try await writeShared(as: .findOrCreate, author: author, message: message) {
      try await $0.findOrCreate(type, key, in: values, at: time)
    }
  }

  /// Adds the updates of references to their entities. See ``WriteTransaction/set(_:at:)``.
  @discardableResult
  public func set(
    _ references: [EntityReference],
    at time: Date? = nil,
    author: String? = nil,
    message: String? = nil
  ) async throws -> [any EntityHandle] {
    try await writeShared(as: .set, author: author, message: message) {
      try await $0.set(references, at: time)
    }
  }

  /// Writes the differences of the updates of references. See ``WriteTransaction/update(_:at:)``.
  @discardableResult
  public func update(
    _ references: [EntityReference],
    at time: Date? = nil,
    author: String? = nil,
    message: String? = nil
  ) async throws -> [Bool] {
    try await writeShared(as: .update, author: author, message: message) {
      try await $0.update(references, at: time)
    }
  }

  /// Removes properties of the references' entities. See ``WriteTransaction/remove(_:of:at:)``.
  @discardableResult
  public func remove(
    _ names: [PropertyName],
    of references: [EntityReference],
    at time: Date? = nil,
    author: String? = nil,
    message: String? = nil
  ) async throws -> [(any EntityHandle)?] {
    try await writeShared(as: .remove, author: author, message: message) {
      try await $0.remove(names, of: references, at: time)
    }
  }

  /// Erases the references' entities. See ``WriteTransaction/erase(references:at:)``.
  @discardableResult
  public func erase(
    references: [EntityReference],
    at time: Date? = nil,
    author: String? = nil,
    message: String? = nil
  ) async throws -> [EntityID] {
    try await writeShared(as: .erase, author: author, message: message) {
      try await $0.erase(references: references, at: time)
    }
  }

  /// Creates an entity with the values of a prototype. See
  /// ``WriteTransaction/create(_:id:prototype:_:at:)``.
  @discardableResult
  public func create(
    _ type: EntityType,
    id: EntityID? = nil,
    prototype: String,
    _ properties: [PropertyKey: Value] = [:],
    at time: Date? = nil,
    author: String? = nil,
    message: String? = nil
  ) async throws -> EntityID {
    try await writeShared(as: .create, author: author, message: message) {
      try await $0.create(type, id: id, prototype: prototype, properties, at: time)
    }
  }

  /// Defines a prototype. See ``WriteTransaction/define(_:)``.
  @discardableResult
  public func define(
    _ prototype: Prototype,
    author: String? = nil,
    message: String? = nil
  ) async throws -> EntityID {
    try await write(author: author, message: message) { try await $0.define(prototype) }
  }
}
