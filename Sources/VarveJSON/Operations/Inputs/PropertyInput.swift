import Foundation
import VarveCore
import VarveReferences
import VarveStore

/// A property to write: `key: value`, or with a key that carries a reference,
/// `{"key": {"name": "author", "ref": REF}, "value": …}`.
struct PropertyInput: Sendable {
  /// The content to write.
  enum Content: Sendable {
    /// A value with its semantic type; nil removes the property.
    case property(StoredEntity.Property?)
    /// A reference to an entity that is found, or created, when the property is written.
    case reference(Reference, semanticType: String?)
  }

  private let key: KeyInput
  private let content: Content
  /// Whether the semantic type is explicit.
  let isTyped: Bool

  /// Reads the members of an object, each a key and a value.
  static func list(_ field: Part) throws -> [PropertyInput] {
    let path = field.path
    return try field.members().map { name, field in
      try Part.checkLength(name, at: path)
      let key = KeyInput(name: PropertyKey(name), reference: nil)
      return try PropertyInput(key, field)
    }
  }

  /// Reads an array of values whose keys carry references.
  static func keyed(_ field: Part) throws -> [PropertyInput] {
    try field.elements().map { element in
      var fields = try Fields(element, of: "a keyed value")
      let key = try KeyInput(fields.need("key"))
      let property = try PropertyInput(key, fields.need("value"))
      try fields.finish()
      return property
    }
  }

  private init(_ key: KeyInput, _ field: Part) throws {
    self.key = key
    content = try Content(field)
    isTyped = StoredEntity.Property.isTyped(field.json)
  }

  /// The stored key, if it carries no reference.
  var plainKey: PropertyKey? { key.plain }

  fileprivate func property(
    _ classes: ReferenceClasses
  ) throws -> (name: PropertyName, value: NewValue) {
    let value: NewValue =
      switch content {
      case .property(nil): .removal
      case .property(let property?):
        .value(property.value, semanticType: property.semanticType)
      case .reference(let reference, let semanticType):
        .to(try reference.reference(classes), semanticType: semanticType)
      }
    return (try key.name(classes), value)
  }
}

/// A key: a name, optionally with a reference.
struct KeyInput: Sendable {
  private let name: PropertyKey
  private let reference: Reference?

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
    let name = PropertyKey(try fields.need("name").name())
    let reference = try Reference(fields.need("ref"))
    try fields.finish()
    self.init(name: name, reference: reference)
  }

  /// The key, if it carries no reference.
  fileprivate var plain: PropertyKey? { reference == nil ? name : nil }

  /// Returns the property's name for a store with these classes.
  func name(_ classes: ReferenceClasses) throws -> PropertyName {
    guard let reference else { return PropertyName(name) }
    return .keyed(name, by: try reference.reference(classes))
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
      self = .reference(try Reference(reference), semanticType: try semanticType.name())
    } else {
      self = .property(try field.property())
    }
  }

  /// Returns the content of `{"ref": …}`.
  private static func reference(_ field: Part) -> Part? {
    guard case .object(let members) = field.json, members.count == 1, let member = members.first,
      member.name == "ref"
    else { return nil }
    return Part(json: member.value, path: field.path + [.name("ref")])
  }
}

extension [PropertyInput] {
  /// Returns the properties by name, for a store with these classes.
  func properties(_ classes: ReferenceClasses) throws -> NewProperties {
    Dictionary(
      try map { input in
        let (name, value) = try input.property(classes)
        return (name, value)
      },
      uniquingKeysWith: { $1 }
    )
  }

  /// Returns the properties by key, with references found or created.
  func resolved(
    in transaction: WriteTransaction,
    at time: Date?
  ) async throws -> [PropertyKey: StoredEntity.Property?] {
    try await transaction.resolve(try properties(transaction.classes), at: time)
  }
}
