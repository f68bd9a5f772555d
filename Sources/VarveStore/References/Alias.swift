public import VarveCore

/// A reference that is stored as an identifier and looked up when it is needed.
///
/// An alias keeps nothing alive, and nothing follows from it. What it names may be unknown, erased
/// or not yet there; it resolves as soon as the entity lives.
///
/// ```swift
/// let shop = Alias("shop-1", as: "Shop")
/// let entity = try await shop.resolve(in: store)            // or an error that says why not
/// let perhaps = try await shop.resolveIfPossible(in: store)  // or nil
/// ```
public struct Alias: Hashable, Sendable {
  /// The identifier; nil where the alias is unset.
  public let id: EntityID?
  /// The type the entity must have; nil for any.
  public let type: EntityType?

  /// Names an entity, or nothing.
  public init(_ id: EntityID?, as type: EntityType? = nil) {
    self.id = id
    self.type = type
  }

  /// The entity it names.
  ///
  /// - Parameter container: where to look; nil for an alias that belongs to no store.
  /// - Throws: ``VarveError``: `noContainer` without a place to look, `notFound` where the alias is
  ///   unset or the entity is unknown, erased or dead, `typeMismatch` where it is of another type.
  /// - Complexity: O(log entities).
  public func resolve(in container: (any Reading)?) async throws -> Entity {
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
      at: "entity \(id)"
    )
  }

  private static let unsetRemedy =
    "Give it an identifier, or use `resolveIfPossible`, which answers nil."

  /// The entity it names, or nil where that is not possible for any reason.
  ///
  /// - Throws: ``VarveError`` where the store cannot be read.
  public func resolveIfPossible(in container: (any Reading)?) async throws -> Entity? {
    guard let container, let id, let entity = try await container.entity(id) else { return nil }
    return type == nil || entity.type == type ? entity : nil
  }
}

extension Alias {
  /// The live entities that what it names is related to. See
  /// ``Reading/related(_:anyOf:named:type:where:)``.
  ///
  /// - Throws: ``VarveError`` as ``resolve(in:)``.
  public func related(
    anyOf kinds: Set<RelationKind>,
    named name: PropertyKey? = nil,
    type: EntityType? = nil,
    where condition: Condition = .always,
    in container: (any Reading)?
  ) async throws -> [Entity] {
    let entity = try await resolve(in: container)
    return try await container?
      .related(entity.id, anyOf: kinds, named: name, type: type, where: condition) ?? []
  }
}

extension Reading {
  /// The entities that aliases name, in order, repeated ones too.
  ///
  /// - Throws: ``VarveError`` as ``Alias/resolve(in:)``, for the first that cannot be resolved.
  public func resolve(_ aliases: [Alias]) async throws -> [Entity] {
    var entities: [Entity] = []
    for alias in aliases { entities.append(try await alias.resolve(in: self)) }
    return entities
  }

  /// The entities of those aliases that can be resolved, in order.
  ///
  /// - Throws: ``VarveError`` where the store cannot be read.
  public func resolveIfPossible(_ aliases: [Alias]) async throws -> [Entity] {
    var entities: [Entity] = []
    for alias in aliases {
      if let entity = try await alias.resolveIfPossible(in: self) { entities.append(entity) }
    }
    return entities
  }
}
