public import Foundation
public import VarveCore
public import VarveEntities

/// Writes through references. Results are in the order of the references.
extension Writing {
  /// Returns the entities that references find or create; nil for each that is missing.
  ///
  /// The references are looked up one by one in order: an entity created by one is found by later
  /// ones, not by earlier ones. A missing reference that is repeated in a call creates one entity.
  ///
  /// ```swift
  /// let ann = EntityReference("name", equals: "Ann").creating("person", ["age": 30])
  /// let found = try await tx.findOrCreate([ann, ann])  // the same entity twice, whether or not it existed
  /// ```
  ///
  /// - Parameters:
  ///   - references: the references to look up.
  ///   - time: when created values begin to hold; nil for the time of the transaction.
  /// - Returns: an object for each reference, of the class registered for its type.
  /// - Throws: `VarveError`: `typeMismatch` if a reference expects another type than it finds or
  ///   would create, `duplicateIdentifier` if an identifier among the initial properties is live,
  ///   `invalidArgument` if `identifier`, `datestamp` or `type` among them cannot be the entity's
  ///   own, or references are nested too deep; `unresolvedKey`, `notFound` for a missing prototype
  ///   or a missing entity of a reference value; and as `create(_:id:_:at:)`.
  /// - Complexity: as `Reading.find(_:)`, and O(properties × log entities) for created entities. If
  ///   all exist, a store does not wait for writers.
  public func findOrCreate(
    _ references: [EntityReference],
    at time: Date? = nil
  ) async throws -> [(any EntityHandle)?] {
    let found = try await find(references)
    guard zip(references, found).contains(where: { $0.mayCreate && $1 == nil }) else {
      return found
    }
    let time = try time.map { try HybridTime(instant: $0) }
    return try await writing(as: .findOrCreate, sharesTurn: true) { tx in
      try await tx.perform { try await $0.findOrCreate(references, at: time) }
        .map { $0.map(tx.classes.handle) }
    }
  }

  /// Returns the entities that references find or create, as objects of one class.
  ///
  /// - Throws: as ``findOrCreate(_:at:)``.
  public func findOrCreate<Class: CustomReference>(
    _ references: [EntityReference],
    as class: Class.Type,
    at time: Date? = nil
  ) async throws -> [Class?] {
    let references = references.map { $0.expecting(Class.entityType) }
    return try await findOrCreate(references, at: time).map { $0.map { Class($0.asFound) } }
  }

  /// Returns the entities of a type whose property has exactly one of these values, in the order of
  /// the values. For each missing value, creates an entity with only that property.
  ///
  /// - Throws: as `create(_:id:_:at:)`.
  /// - Complexity: as `Reading.find(_:)`.
  public func findOrCreate(
    _ type: EntityType,
    _ key: PropertyKey,
    in values: [Value],
    at time: Date? = nil
  ) async throws -> [any EntityHandle] {
    let (known, classes) = try await reading { state in
      (try await state.reader.matches(of: values, at: key, in: type), state.classes)
    }
    guard values.contains(where: { known[$0] == nil }) else {
      return values.flatMap { known[$0] ?? [] }.map(classes.handle)
    }
    let time = try time.map { try HybridTime(instant: $0) }
    return try await writing(as: .findOrCreate, sharesTurn: true) { tx in
      try await tx.perform { try await $0.findOrCreate(type, key, in: values, at: time) }
        .map(tx.classes.handle)
    }
  }

  /// Adds the updates of references to their entities, even values that equal the present ones, and
  /// creates missing entities.
  ///
  /// All references are looked up in order before any value is written, then those in values and
  /// names: an entity created by one is found by later ones, not by earlier ones. For example, the
  /// first of `[EntityReference("f").updating(…), EntityReference("f").creating("T")]` is
  /// `notFound`; in the opposite order both find `f`.
  ///
  /// - Returns: the entities.
  /// - Throws: `VarveError`: `notFound` if a reference finds nothing, and as
  ///   ``findOrCreate(_:at:)`` and `set(_:_:at:)`.
  @discardableResult
  public func set(
    _ references: [EntityReference],
    at time: Date? = nil
  ) async throws -> [any EntityHandle] {
    let time = try time.map { try HybridTime(instant: $0) }
    return try await writing(as: .set, sharesTurn: true) { tx in
      try await tx.perform { try await $0.set(references, at: time) }.map(tx.classes.handle)
    }
  }

  /// Writes the differences of the updates of references, and creates missing entities in order, as
  /// ``set(_:at:)``. A value without a semantic type differs only if the value does.
  ///
  /// - Returns: for each reference, whether there were differences.
  /// - Throws: as ``set(_:at:)``.
  @discardableResult
  public func update(_ references: [EntityReference], at time: Date? = nil) async throws -> [Bool] {
    let time = try time.map { try HybridTime(instant: $0) }
    return try await perform(as: .update) { try await $0.update(references, at: time) }
  }

  /// Removes properties of the references' entities. Creates nothing, and ignores missing entities.
  ///
  /// - Returns: the entities; nil for each that is missing.
  /// - Throws: `VarveError`: `unresolvedKey`, `typeMismatch`.
  @discardableResult
  public func remove(
    _ names: [PropertyName],
    of references: [EntityReference],
    at time: Date? = nil
  ) async throws -> [(any EntityHandle)?] {
    let time = try time.map { try HybridTime(instant: $0) }
    return try await writing(as: .remove, sharesTurn: true) { tx in
      try await tx.perform { try await $0.remove(names, of: references, at: time) }
        .map { $0.map(tx.classes.handle) }
    }
  }

  /// Erases the references' entities and what they alone own. Creates nothing, and ignores missing
  /// entities.
  ///
  /// - Returns: everything that died, as `erase(_:strict:at:)`.
  /// - Throws: `VarveError`: `typeMismatch`; the errors of hooks.
  @discardableResult
  public func erase(
    references: [EntityReference],
    at time: Date? = nil
  ) async throws -> [EntityID] {
    let time = try time.map { try HybridTime(instant: $0) }
    return try await perform(as: .erase) { try await $0.erase(references, at: time) }
  }

  /// Resolves the references in properties, and creates the entities they describe.
  package func resolve(
    _ properties: NewProperties,
    at time: Date? = nil
  ) async throws -> [PropertyKey: StoredEntity.Property?] {
    let time = try time.map { try HybridTime(instant: $0) }
    let changes = try await perform(as: .write, sharesTurn: false) { writer in
      let resolver = ReferenceWriter(writer, at: time)
      try await resolver.finder.prepare(properties.references)
      return try await resolver.changes(properties)
    }
    return Dictionary(changes.map { ($0.key, $0.property) }, uniquingKeysWith: { $1 })
  }

  /// Creates an entity with the values of a prototype, overridden by other properties.
  ///
  /// - Throws: `VarveError`: `notFound` if the type has no such prototype; as
  ///   `create(_:id:_:at:)`.
  @discardableResult
  public func create(
    _ type: EntityType,
    id: EntityID? = nil,
    prototype: String,
    _ properties: [PropertyKey: Value] = [:],
    at time: Date? = nil
  ) async throws -> EntityID {
    try await writing(as: .create, sharesTurn: true) { tx in
      let prototype = try await tx.prototype(prototype, for: type)
      let own = properties.mapValues { StoredEntity.Property($0) }
      let all = prototype.properties.merging(own) { $1 }
      return try await tx.create(type, id: id, properties: all, at: time)
    }
  }
}
