public import Foundation
public import VarveCore

/// Writing through references: lists in, lists out, in the order asked.
extension Transaction {
  /// The entities references name, created as they say; nil for each that is not there.
  ///
  /// They are looked up one after another, in the order given: what one creates, a later one finds
  /// and an earlier one does not. Of the same missing reference twice in a call, one entity is made.
  ///
  /// ```swift
  /// let ann = EntityReference("name", equals: "Ann").creating("person", ["age": 30])
  /// let found = try await tx.get([ann, ann])  // the same entity twice, whoever made it
  /// ```
  ///
  /// - Parameters:
  ///   - references: what to look up.
  ///   - time: when what is created holds from, if not from the time of the transaction.
  /// - Returns: an object for each reference, of the class registered for its type.
  /// - Throws: ``VarveError``: `typeMismatch` where one expects another type than it finds or would
  ///   create, `duplicateIdentifier` where an identifier among the initial properties is live,
  ///   `invalidArgument` where `identifier`, `datestamp` or `type` among them cannot be the entity's
  ///   own, or references are nested too deep; `unresolvedKey`, `notFound` for a prototype, or a reference as a value, that is not there;
  ///   and as ``create(_:id:_:at:)``.
  /// - Complexity: as ``Reading/find(_:)``, and O(properties × log entities) for what is created.
  public func get(
    _ references: [EntityReference],
    at time: Date? = nil
  ) async throws -> [(any EntityHandle)?] {
    let time = try time.map { try HybridTime(instant: $0) }
    return try await perform { try await $0.get(references, at: time) }
      .map { $0.map(classes.handle) }
  }

  /// The entities references name, as objects of one class, created as they say.
  ///
  /// - Throws: as ``get(_:at:)``.
  public func get<Class: CustomReference>(
    _ references: [EntityReference],
    as class: Class.Type,
    at time: Date? = nil
  ) async throws -> [Class?] {
    let references = references.map { $0.expecting(Class.entityType) }
    return try await get(references, at: time).map { $0.map { Class($0.asFound) } }
  }

  /// The entities of a type whose property has one of these very values, in the order of the
  /// values; one with the value and nothing else is created for each that is missing.
  ///
  /// - Throws: as ``create(_:id:_:at:)``.
  /// - Complexity: as ``Reading/find(_:)``.
  public func get(
    _ type: EntityType,
    _ key: PropertyKey,
    in values: [Value],
    at time: Date? = nil
  ) async throws -> [any EntityHandle] {
    let time = try time.map { try HybridTime(instant: $0) }
    return try await perform { try await $0.get(type, key, in: values, at: time) }
      .map(classes.handle)
  }

  /// Adds the updates of references to what they name, equal values too; creates as they say.
  ///
  /// All references are looked up before any value is written, one after another, in the order
  /// given, then those in values and names: what one creates, a later one finds and an earlier one
  /// does not. Of `[EntityReference("f").updating(…), EntityReference("f").creating("T")]` the first
  /// is `notFound`; the other way round both are `f`.
  ///
  /// - Returns: what they name.
  /// - Throws: ``VarveError``: `notFound` where one names nothing, and as ``get(_:at:)`` and
  ///   ``set(_:_:at:)``.
  @discardableResult
  public func add(
    _ references: [EntityReference],
    at time: Date? = nil
  ) async throws -> [any EntityHandle] {
    let time = try time.map { try HybridTime(instant: $0) }
    return try await perform { try await $0.add(references, at: time) }.map(classes.handle)
  }

  /// Writes what differs of the updates of references; creates as they say, in the order given, as
  /// ``add(_:at:)``. A value without a semantic type differs only if the value does.
  ///
  /// - Returns: for each, whether anything differed.
  /// - Throws: as ``add(_:at:)``.
  @discardableResult
  public func update(_ references: [EntityReference], at time: Date? = nil) async throws -> [Bool] {
    let time = try time.map { try HybridTime(instant: $0) }
    return try await perform { try await $0.update(references, at: time) }
  }

  /// Removes properties of what references name. Creates nothing, and passes over what is not
  /// there.
  ///
  /// - Returns: what they name; nil for each that is not there.
  /// - Throws: ``VarveError``: `unresolvedKey`, `typeMismatch`.
  @discardableResult
  public func remove(
    _ names: [PropertyName],
    of references: [EntityReference],
    at time: Date? = nil
  ) async throws -> [(any EntityHandle)?] {
    let time = try time.map { try HybridTime(instant: $0) }
    return try await perform { try await $0.remove(names, of: references, at: time) }
      .map { $0.map(classes.handle) }
  }

  /// Erases what references name, and what it alone owns. Creates nothing, and passes over what is
  /// not there.
  ///
  /// - Returns: everything that died, as ``erase(_:strict:at:)-([EntityID],_,_)``.
  /// - Throws: ``VarveError``: `typeMismatch`; what a hook throws.
  @discardableResult
  public func erase(
    references: [EntityReference],
    at time: Date? = nil
  ) async throws -> [EntityID] {
    let time = try time.map { try HybridTime(instant: $0) }
    return try await perform { try await $0.erase(references, at: time) }
  }

  /// What properties come to when what they refer to is looked up, or created where it says so.
  package func resolve(
    _ properties: NewProperties,
    at time: Date? = nil
  ) async throws -> [PropertyKey: Entity.Property?] {
    let time = try time.map { try HybridTime(instant: $0) }
    let changes = try await perform { writer in
      let resolver = ReferenceWriter(writer, at: time)
      try await resolver.finder.prepare(properties.references)
      return try await resolver.changes(properties)
    }
    return Dictionary(changes.map { ($0.key, $0.property) }, uniquingKeysWith: { $1 })
  }

  /// Adds an entity with the values of a prototype, and others that come before them.
  ///
  /// - Throws: ``VarveError``: `notFound` where the type has no such prototype; as
  ///   ``create(_:id:_:at:)``.
  @discardableResult
  public func create(
    _ type: EntityType,
    id: EntityID? = nil,
    prototype: String,
    _ properties: [PropertyKey: Value] = [:],
    at time: Date? = nil
  ) async throws -> EntityID {
    let prototype = try await self.prototype(prototype, for: type)
    let own = properties.mapValues { Entity.Property($0) }
    let all = prototype.properties.merging(own) { $1 }
    return try await create(type, id: id, properties: all, at: time)
  }
}
