import Foundation
import VarveCore
import VarveStore

/// A property to write, as an operation says it: `key: value`, or with a key that carries a
/// reference, `{"key": {"name": "author", "ref": REF}, "value": …}`.
struct PropertyInput: Sendable {
  /// What is to be written.
  enum Content: Sendable {
    /// A value with its semantic type; nil removes.
    case property(Entity.Property?)
    /// A reference to an entity that is looked up, or created, when it is written.
    case reference(Reference, semanticType: String?)
  }

  private let name: PropertyKey
  private let reference: Reference?
  let content: Content

  /// The members of an object: a key and a value each.
  static func list(_ field: Part) throws -> [PropertyInput] {
    try field.members().map { name, field in
      PropertyInput(name: PropertyKey(name), reference: nil, content: try Content(field))
    }
  }

  /// An array of values with keys that carry references.
  static func keyed(_ field: Part) throws -> [PropertyInput] {
    try field.elements().map { element in
      var fields = try Fields(element, of: "a keyed value")
      let key = try KeyInput(fields.need("key"))
      let content = try Content(fields.need("value"))
      try fields.finish()
      return PropertyInput(name: key.name, reference: key.reference, content: content)
    }
  }

  /// The key; one that carries a reference is named after the entity referred to.
  func key(in transaction: Transaction, at time: Date?) async throws -> PropertyKey {
    try await KeyInput(name: name, reference: reference).key(in: transaction, at: time)
  }

  /// Adds the value to an entity.
  func write(to id: EntityID, in transaction: Transaction, at time: Date?) async throws {
    let key = try await key(in: transaction, at: time)
    let property = try await content.property(in: transaction, at: time)
    try await transaction.set(
      id,
      key,
      property?.value,
      semanticType: property?.semanticType,
      at: time
    )
  }
}

/// A key: a name, or a name that carries a reference.
struct KeyInput: Sendable {
  let name: PropertyKey
  let reference: Reference?

  init(name: PropertyKey, reference: Reference?) {
    self.name = name
    self.reference = reference
  }

  init(_ field: Part) throws {
    if case .string(let text) = field.json {
      self.init(name: PropertyKey(text), reference: nil)
      return
    }
    var fields = try Fields(field, of: "a key")
    let name = PropertyKey(try fields.need("name").string())
    let reference = try Reference(fields.need("ref"))
    try fields.finish()
    self.init(name: name, reference: reference)
  }

  /// The key; what it refers to is created where the reference says so.
  func key(in transaction: Transaction, at time: Date?) async throws -> PropertyKey {
    guard let reference else { return name }
    return try joined(try await reference.resolve(in: transaction, at: time))
  }

  /// The key, without creating anything.
  func key(in state: any Reading) async throws -> PropertyKey {
    guard let reference else { return name }
    return try joined(try await reference.find(in: state)?.id)
  }

  private func joined(_ id: EntityID?) throws -> PropertyKey {
    guard let id else {
      throw VarveError(
        .unresolvedKey,
        "what the key \"\(name)\" refers to does not exist",
        at: "key \"\(name)\"",
        remedy: "Add createAs to its reference to create it."
      )
    }
    return PropertyKey("\(name)-\(id)")
  }
}

extension PropertyInput.Content {
  init(_ field: Part) throws {
    if field.json == .null {
      self = .property(nil)
    } else if let reference = Self.reference(field) {
      self = .reference(try Reference(reference), semanticType: nil)
    } else if let value = field.json["value"], let type = field.json["type"],
      let reference = Self.reference(Part(json: value, path: field.path + [.name("value")]))
    {
      let semanticType = Part(json: type, path: field.path + [.name("type")])
      self = .reference(try Reference(reference), semanticType: try semanticType.string())
    } else {
      self = .property(try field.convert { try Entity.Property(json: $0) })
    }
  }

  /// What stands in `{"ref": …}`.
  private static func reference(_ field: Part) -> Part? {
    guard case .object(let members) = field.json, members.count == 1, let member = members.first,
      member.name == "ref"
    else { return nil }
    return Part(json: member.value, path: field.path + [.name("ref")])
  }

  /// The property to write; nil removes.
  func property(in transaction: Transaction, at time: Date?) async throws -> Entity.Property? {
    switch self {
    case .property(let property): return property
    case .reference(let reference, let semanticType):
      // A bare identifier may name what arrives later.
      let id =
        if case .id(let id)? = reference.matcher, reference.createAs == nil { id } else {
          try await reference.require(in: transaction, at: time)
        }
      return Entity.Property(.reference(id), semanticType: semanticType)
    }
  }
}

extension [PropertyInput] {
  /// All of them, by key.
  func properties(
    in transaction: Transaction,
    at time: Date?
  ) async throws -> [PropertyKey: Entity.Property?] {
    var properties: [PropertyKey: Entity.Property?] = [:]
    for input in self {
      let key = try await input.key(in: transaction, at: time)
      properties[key] = .some(try await input.content.property(in: transaction, at: time))
    }
    return properties
  }
}
