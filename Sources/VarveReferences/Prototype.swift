public import VarveCore
public import VarveEntities

/// A named set of initial properties for a type, kept in the store.
///
/// A prototype is itself an entity, of type ``Prototype/entityType``: it has a history, is merged
/// key by key, and can be read at past times. Changing it does not change the entities created from
/// it. It is included in `Reading.types()`, `Reading.handles(of:)` and `Reading.allIDs()`,
/// and in documents of every form, which would lose it otherwise. A reference that searches
/// entities of all types for a value does not find it.
///
/// ```swift
/// try await store.define(Prototype("fedora", for: "Hat", ["brim_size": .init(9)]))
/// let hat = try await store.create("Hat", prototype: "fedora", ["color": "red"])
/// ```
public struct Prototype: Sendable, Hashable {
  /// The type of the entities that represent prototypes.
  public static let entityType: EntityType = "VarvePrototype"

  /// The name, unique among the prototypes of its type.
  public let name: String
  /// The type that it is for.
  public let type: EntityType
  /// The initial properties.
  public let properties: [PropertyKey: StoredEntity.Property]

  /// Creates a prototype to define.
  public init(
    _ name: String,
    for type: EntityType,
    _ properties: [PropertyKey: StoredEntity.Property]
  ) {
    self.name = name
    self.type = type
    self.properties = properties
  }

  /// The prefix of the keys of initial properties, which separates them from the prototype's own.
  private static let prefix = "initial."

  /// Creates a prototype from the entity that represents it.
  init?(_ entity: StoredEntity) {
    guard entity.type == Self.entityType, let name = entity["name"]?.stringValue,
      let type = entity["for"]?.stringValue
    else { return nil }
    var properties: [PropertyKey: StoredEntity.Property] = [:]
    for (key, property) in entity.properties where key.text.utf8.starts(with: Self.prefix.utf8) {
      // By bytes, because the key may begin with a character that combines with the prefix.
      let own = key.text.utf8.dropFirst(Self.prefix.utf8.count)
      properties[PropertyKey(String(decoding: own, as: UTF8.self))] = property
    }
    self.init(name, for: EntityType(type), properties)
  }

  /// Returns the identifier of the entity that represents it, which is the same on every replica.
  static func id(_ name: String, for type: EntityType) throws -> EntityID {
    try EntityID("varve.prototype/\(type.text.utf8.count)/\(type)/\(name)")
  }

  /// The properties of the entity that represents it.
  var stored: [PropertyKey: StoredEntity.Property] {
    var stored: [PropertyKey: StoredEntity.Property] = [
      "name": StoredEntity.Property(.string(name)),
      "for": StoredEntity.Property(.string(type.text)),
    ]
    for (key, property) in properties { stored[PropertyKey(Self.prefix + key.text)] = property }
    return stored
  }

  var changes: [PropertyChange] { .sorted(properties) }

  /// Returns whether names, by UTF-8 bytes, types and properties are equal.
  public static func == (left: Prototype, right: Prototype) -> Bool {
    left.name.isSame(as: right.name) && left.type == right.type
      && left.properties == right.properties
  }

  /// Hashes the name, the type and the properties.
  public func hash(into hasher: inout Hasher) {
    name.utf8.hashBytes(into: &hasher)
    hasher.combine(type)
    hasher.combine(properties)
  }
}

extension BackendReader {
  /// Returns a prototype, or throws if it does not exist.
  func prototype(_ name: String, for type: EntityType) async throws -> Prototype {
    if let entity = try await entity(Prototype.id(name, for: type)),
      let prototype = Prototype(entity)
    {
      return prototype
    }
    throw VarveError(
      .notFound,
      "the type \"\(type)\" has no prototype \"\(name)\"",
      at: "prototype \"\(name)\"",
      remedy: "Define it first."
    )
  }
}

extension Reading {
  /// Returns a prototype of a type.
  ///
  /// - Throws: `VarveError`: `notFound` if there is none with the name, `invalidIdentifier` if
  ///   type and name are longer than 1,000 bytes.
  public func prototype(_ name: String, for type: EntityType) async throws -> Prototype {
    try await reading { try await $0.reader.prototype(name, for: type) }
  }

  /// Returns the prototypes of a type, or of all types, in the order they were defined.
  public func prototypes(for type: EntityType? = nil) async throws -> [Prototype] {
    try await fetch(Query(Prototype.entityType)).compactMap { Prototype($0) }
      .filter { type == nil || $0.type == type }
  }
}

extension Writing {
  /// Defines a prototype, or changes the one with its name. Properties that it no longer has are
  /// removed.
  ///
  /// - Returns: the identifier of the entity that represents it; erasing that entity deletes the
  ///   prototype.
  /// - Throws: as `create(_:id:_:at:)`; `invalidIdentifier` if type and name are longer than
  ///   1,000 bytes, `typeMismatch` if an entity of another type has the identifier.
  @discardableResult
  public func define(_ prototype: Prototype) async throws -> EntityID {
    try await writing(as: .write, sharesTurn: false) { try await $0.defining(prototype) }
  }
}

extension WriteTransaction {
  fileprivate func defining(_ prototype: Prototype) async throws -> EntityID {
    let id = try Prototype.id(prototype.name, for: prototype.type)
    guard let present = try await entity(id) else {
      return try await create(Prototype.entityType, id: id, properties: prototype.stored)
    }
    guard present.type == Prototype.entityType else {
      throw VarveError(
        .typeMismatch,
        "the entity \"\(id)\" is a \"\(present.type)\", not a prototype",
        at: "entity \(id)",
        remedy: "Give the prototype another name, or erase that entity.",
        entity: id
      )
    }
    var changes: [PropertyKey: StoredEntity.Property?] = present.properties.mapValues { _ in nil }
    for (key, property) in prototype.stored { changes[key] = .some(property) }
    try await update(id, properties: changes)
    return id
  }
}
