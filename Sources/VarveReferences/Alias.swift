public import VarveCore
public import VarveEntities

/// A reference that is stored as an identifier and resolved when needed.
///
/// An alias is one identifier, and creates nothing; an ``EntityReference`` may search for an
/// entity, and say what to create. An alias neither retains nor owns its target. The target may be
/// unknown, erased or not created yet; the alias resolves once the entity is live.
///
/// ```swift
/// let shop = Alias("shop-1", as: "Shop")
/// let entity = try await shop.require(in: store)            // or an error that says why not
/// let perhaps = try await shop.find(in: store)  // or nil
/// ```
public struct Alias: Hashable, Sendable {
  /// The identifier; nil if the alias is unset.
  public let id: EntityID?
  /// The required type of the entity; nil for any.
  public let type: EntityType?

  /// Creates an alias for an entity, or an unset one.
  public init(_ id: EntityID?, as type: EntityType? = nil) {
    self.id = id
    self.type = type
  }

  /// Returns the entity.
  ///
  /// - Parameter container: the state to search; nil for an alias that belongs to no store.
  /// - Throws: `VarveError`: `noContainer` without a state to search, `notFound` if the alias is
  ///   unset or the entity is unknown, erased or dead, `typeMismatch` if it is of another type.
  /// - Complexity: O(log entities).
  public func require(in container: (any Reading)?) async throws -> StoredEntity {
    guard let container else {
      throw VarveError(
        .noContainer,
        "an alias cannot be resolved outside a store",
        at: id.map { "entity \($0)" },
        remedy: "Give the store, snapshot or transaction to look in."
      )
    }
    guard let id else {
      throw VarveError(.notFound, "the alias is unset", remedy: Self.unsetRemedy)
    }
    let entity = try await container.require(id)
    guard let type, entity.type != type else { return entity }
    throw VarveError(
      .typeMismatch,
      "the entity \"\(id)\" is a \"\(entity.type)\", not a \"\(type)\"",
      at: "entity \(id)",
      entity: id
    )
  }

  private static let unsetRemedy =
    "Give it an identifier, or use `find(in:)`, which returns nil."

  /// Returns the entity, or nil if the alias cannot be resolved for any reason.
  ///
  /// - Throws: `VarveError` if the store cannot be read.
  public func find(in container: (any Reading)?) async throws -> StoredEntity? {
    guard let container, let id, let entity = try await container.entity(id) else { return nil }
    return type == nil || entity.type == type ? entity : nil
  }
}

extension Alias {
  /// Returns the live entities that the alias's entity is related to. See
  /// `Reading.related(_:anyOf:named:type:where:)`.
  ///
  /// - Throws: `VarveError` as ``require(in:)``.
  public func related(
    anyOf kinds: Set<RelationKind>,
    named name: PropertyKey? = nil,
    type: EntityType? = nil,
    where condition: Condition = .always,
    in container: (any Reading)?
  ) async throws -> [StoredEntity] {
    let entity = try await require(in: container)
    return try await container?
      .related(entity.id, anyOf: kinds, named: name, type: type, where: condition) ?? []
  }
}

extension Reading {
  /// Returns the entities of aliases in order, with repetitions.
  ///
  /// - Throws: `VarveError` as ``Alias/require(in:)``, for the first that cannot be resolved.
  public func require(_ aliases: [Alias]) async throws -> [StoredEntity] {
    var entities: [StoredEntity] = []
    for alias in aliases { entities.append(try await alias.require(in: self)) }
    return entities
  }

  /// Returns the entities of aliases in order; nil for each that cannot be resolved.
  ///
  /// - Throws: `VarveError` if the store cannot be read.
  public func find(_ aliases: [Alias]) async throws -> [StoredEntity?] {
    var entities: [StoredEntity?] = []
    for alias in aliases { entities.append(try await alias.find(in: self)) }
    return entities
  }
}
