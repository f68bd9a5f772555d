public import VarveCore

/// A named set of initial properties for a type, kept in the store.
///
/// A prototype is an entity of type ``Prototype/entityType`` itself: it has a history, is merged
/// key by key, and can be read at past times. Changing it changes nothing that was created from it.
/// So it is among ``Reading/types()``, ``Reading/all(_:)`` and ``Reading/allIDs()``, and in documents
/// of every form, which would lose it otherwise. A reference that searches for a value in entities of
/// any type does not find it.
///
/// ```swift
/// try await store.define(Prototype("fedora", for: "Hat", ["brim_size": .init(9)]))
/// let hat = try await store.create("Hat", prototype: "fedora", ["color": "red"])
/// ```
public struct Prototype: Sendable, Hashable {
  /// The type of the entities that hold prototypes.
  public static let entityType: EntityType = "VarvePrototype"

  /// The name, unique among the prototypes of its type.
  public let name: String
  /// The type it is for.
  public let type: EntityType
  /// The initial properties.
  public let properties: [PropertyKey: Entity.Property]

  /// A prototype to be defined.
  public init(
    _ name: String,
    for type: EntityType,
    _ properties: [PropertyKey: Entity.Property]
  ) {
    self.name = name
    self.type = type
    self.properties = properties
  }

  /// What stands before the keys of initial properties, apart from the prototype's own.
  private static let prefix = "initial."

  /// Reads the entity that holds one.
  init?(_ entity: Entity) {
    guard entity.type == Self.entityType, let name = entity["name"]?.stringValue,
      let type = entity["for"]?.stringValue
    else { return nil }
    var properties: [PropertyKey: Entity.Property] = [:]
    for (key, property) in entity.properties where key.text.utf8.starts(with: Self.prefix.utf8) {
      // By bytes: a key may begin with what would combine with the prefix.
      let own = key.text.utf8.dropFirst(Self.prefix.utf8.count)
      properties[PropertyKey(String(decoding: own, as: UTF8.self))] = property
    }
    self.init(name, for: EntityType(type), properties)
  }

  /// The identifier of the entity that holds it: the same on every replica.
  static func id(_ name: String, for type: EntityType) throws -> EntityID {
    try EntityID("varve.prototype/\(type.text.utf8.count)/\(type)/\(name)")
  }

  /// What the entity that holds it has.
  var stored: [PropertyKey: Entity.Property] {
    var stored: [PropertyKey: Entity.Property] = [
      "name": Entity.Property(.string(name)), "for": Entity.Property(.string(type.text)),
    ]
    for (key, property) in properties { stored[PropertyKey(Self.prefix + key.text)] = property }
    return stored
  }

  var changes: [PropertyChange] { .sorted(properties) }

  /// Equality, names by their UTF-8 bytes.
  public static func == (left: Prototype, right: Prototype) -> Bool {
    left.name.isSame(as: right.name) && left.type == right.type
      && left.properties == right.properties
  }

  /// Hashes what equality compares.
  public func hash(into hasher: inout Hasher) {
    name.utf8.hashBytes(into: &hasher)
    hasher.combine(type)
    hasher.combine(properties)
  }
}

extension BackendReader {
  /// A prototype that must be there.
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
  /// A prototype of a type.
  ///
  /// - Throws: ``VarveError``: `notFound` where there is none of that name, `invalidIdentifier`
  ///   where type and name are longer than 1,000 bytes.
  public func prototype(_ name: String, for type: EntityType) async throws -> Prototype {
    try await reading { try await $0.backend.prototype(name, for: type) }
  }

  /// The prototypes of a type, or of all types, in the order they were defined.
  public func prototypes(for type: EntityType? = nil) async throws -> [Prototype] {
    try await fetch(Query(Prototype.entityType)).compactMap { Prototype($0) }
      .filter { type == nil || $0.type == type }
  }
}

extension Transaction {
  /// Defines a prototype, or changes the one of its name: what it had and has no more is removed.
  ///
  /// - Returns: the identifier of the entity that holds it; erasing that ends the prototype.
  /// - Throws: as ``create(_:id:_:at:)``; `invalidIdentifier` where type and name are longer than
  ///   1,000 bytes, `typeMismatch` where an entity of another type has the identifier.
  @discardableResult
  public func define(_ prototype: Prototype) async throws -> EntityID {
    let id = try Prototype.id(prototype.name, for: prototype.type)
    guard let present = try await entity(id) else {
      return try await create(Prototype.entityType, id: id, properties: prototype.stored)
    }
    guard present.type == Prototype.entityType else {
      throw VarveError(
        .typeMismatch,
        "the entity \"\(id)\" is a \"\(present.type)\", not a prototype",
        at: "entity \(id)",
        remedy: "Give the prototype another name, or erase that entity."
      )
    }
    var changes: [PropertyKey: Entity.Property?] = present.properties.mapValues { _ in nil }
    for (key, property) in prototype.stored { changes[key] = .some(property) }
    try await update(id, properties: changes)
    return id
  }
}
