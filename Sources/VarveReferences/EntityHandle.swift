public import VarveCore

/// The result of a lookup: the identifier and the type of an entity that was found.
///
/// A result is a ``FoundEntity``, or an instance of the class registered for the entity's type.
public protocol EntityHandle: Sendable {
  /// The entity's identifier.
  var id: EntityID { get }
  /// The entity's type when it was found.
  var type: EntityType { get }
}

extension EntityHandle {
  /// A reference to the entity, for later use.
  public var reference: EntityReference { EntityReference(self) }
}

/// An entity that was found. Two are equal if they are the same entity.
public struct FoundEntity: EntityHandle, Hashable {
  /// The entity's identifier.
  public let id: EntityID
  /// The entity's type when it was found.
  public let type: EntityType

  package init(id: EntityID, type: EntityType) {
    self.id = id
    self.type = type
  }

  /// Returns whether the identifiers are equal.
  public static func == (left: FoundEntity, right: FoundEntity) -> Bool { left.id == right.id }

  /// Hashes the identifier.
  public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

/// A custom class for entities of one type.
///
/// ```swift
/// struct Person: CustomReference {
///   static let entityType: EntityType = "person"
///   let found: FoundEntity
///   init(_ found: FoundEntity) { self.found = found }
/// }
/// store.register(Person.self)
/// let ann = try await store.findOrCreate([Person.named("name", equals: "Ann")], as: Person.self)
/// ```
public protocol CustomReference: EntityHandle {
  /// The type of the entities.
  static var entityType: EntityType { get }
  /// The entity.
  var found: FoundEntity { get }
  /// Creates an instance for an entity of that type.
  init(_ found: FoundEntity)
}

extension CustomReference {
  /// The entity's identifier.
  public var id: EntityID { found.id }
  /// The entity's type.
  public var type: EntityType { found.type }

  /// Returns a reference to the entity with an identifier, which is created with this class's type
  /// if it is missing. An entity of another type causes `typeMismatch`.
  public static func named(_ id: EntityID, _ properties: NewProperties = [:]) -> EntityReference {
    EntityReference(id).creating(entityType, properties).expecting(entityType)
  }

  /// Returns a reference to the entity with this value, which is created with this class's type if
  /// it is missing.
  public static func named(
    _ key: PropertyKey,
    equals value: Value,
    _ properties: NewProperties = [:]
  ) -> EntityReference {
    EntityReference(key, equals: value).creating(entityType, properties).expecting(entityType)
  }
}
