import Foundation
import VarveCore
import VarveReferences
import VarveStore

/// `get`: returns the entities that references name, creating them if the references say so; those
/// not found are omitted.
struct GetOperation: ReadingOperation, WritingOperation, CreatingOperation {
  static let name = "get"
  private let references: [Reference]

  init(_ fields: inout Fields) throws {
    references = try fields.need("refs").elements().map { try Reference($0) }
  }

  var mayCreate: Bool { references.contains(where: \.mayCreate) }

  func read(_ state: any Reading) async throws -> JSON {
    let classes = try await state.classes
    return try await state.find(references.references(classes)).json(classes)
  }

  func write(_ transaction: WriteTransaction, at time: Date?) async throws -> JSON {
    let classes = transaction.classes
    return try await transaction.findOrCreate(references.references(classes), at: time).json(
      classes
    )
  }
}

extension [(any EntityHandle)?] {
  /// Returns the identifier, the type and, if registered, the class of those that exist.
  fileprivate func json(_ classes: ReferenceClasses) -> JSON {
    .array(
      compactMap { handle in
        guard let handle else { return nil }
        var members: [JSON.Member] = [
          JSON.Member(name: "identifier", value: .string(handle.id.text)),
          JSON.Member(name: "type", value: .string(handle.type.text)),
        ]
        if let name = classes.name(of: handle.type) {
          members.append(JSON.Member(name: "class", value: .string(name)))
        }
        return .object(members)
      }
    )
  }
}

/// `add`: adds values to the entities that references name, creating them if the references say so;
/// returns the identifiers.
struct AddOperation: WritingOperation {
  static let name = "add"

  private struct Addition: Sendable {
    let reference: Reference
    let values: [PropertyInput]
  }

  private let additions: [Addition]

  init(_ fields: inout Fields) throws {
    additions = try fields.need("refs").elements().map { element in
      var fields = try Fields(element, of: "a reference to add to")
      let values = try fields.take("set").map { try PropertyInput.list($0) } ?? []
      let keyed = try fields.take("setKeyed").map { try PropertyInput.keyed($0) } ?? []
      let addition = Addition(reference: try Reference(&fields), values: values + keyed)
      try fields.finish()
      return addition
    }
  }

  func write(_ transaction: WriteTransaction, at time: Date?) async throws -> JSON {
    let classes = transaction.classes
    let references = try additions.map { addition in
      try addition.reference.reference(classes).updating(addition.values.properties(classes))
    }
    return try await transaction.set(references, at: time).map(\.id).json
  }
}

/// `remove`: removes properties of the entities that references name, without creating any; returns
/// the identifiers.
struct RemoveOperation: WritingOperation {
  static let name = "remove"
  private let keys: [KeyInput]
  private let references: [Reference]

  init(_ fields: inout Fields) throws {
    keys = try fields.need("keys").elements().map { try KeyInput($0) }
    references = try fields.need("refs").elements().map { try Reference($0) }
  }

  func write(_ transaction: WriteTransaction, at time: Date?) async throws -> JSON {
    let classes = transaction.classes
    let names = try keys.map { try $0.name(classes) }
    let references = try references.references(classes)
    return try await transaction.remove(names, of: references, at: time).compactMap { $0?.id }.json
  }
}

/// `read`: returns properties of the entities that references name, an object each; null if there
/// is no entity.
struct ReadOperation: ReadingOperation {
  static let name = "read"
  private let references: [Reference]
  /// The keys; nil for all.
  private let keys: [KeyInput]?
  private let withTypes: Bool

  init(_ fields: inout Fields) throws {
    references = try fields.need("refs").elements().map { try Reference($0) }
    let wanted = try fields.need("keys")
    keys = wanted.json == "all" ? nil : try wanted.elements().map { try KeyInput($0) }
    withTypes = try fields.flag("withTypes")
  }

  func read(_ state: any Reading) async throws -> JSON {
    let classes = try await state.classes
    let names = try keys?.map { try $0.name(classes) }
    let found = try await state.properties(names, of: references.references(classes))
    let plain = names?.filter { $0.reference == nil }.map(\.key) ?? []
    let order = (keys: plain, all: Set(plain))
    return .array(
      try found.map { properties in
        // There may be very many keys for each of very many references.
        try Task.checkCancellation()
        return properties.map { object($0, first: order) } ?? .null
      }
    )
  }

  /// Returns the properties requested by plain keys in that order, then others in order of key.
  private func object(
    _ properties: [PropertyKey: StoredEntity.Property],
    first: (keys: [PropertyKey], all: Set<PropertyKey>)
  ) -> JSON {
    let rest = properties.keys.filter { !first.all.contains($0) }.sorted()
    return .object(
      (first.keys + rest).compactMap { key in
        guard let property = properties[key] else { return nil }
        let value = property.value.json
        let typed: JSON = ["value": value, "type": .string(property.semanticType)]
        return JSON.Member(name: key.text, value: withTypes ? typed : value)
      }
    )
  }
}

/// `registerClass`: registers a class for the entities of a type, by name, while the store is open.
struct RegisterClassOperation: StoreOperation {
  static let name = "registerClass"
  private let type: EntityType
  private let className: String

  init(_ fields: inout Fields) throws {
    type = EntityType(try fields.need("type").name())
    className = try fields.need("class").string()
  }

  func run(_ store: Store, _ signature: Signature) async throws -> JSON {
    store.register(type, as: className) { $0 }
    return .null
  }
}

/// `define`: defines a prototype: named initial properties for a type.
struct DefineOperation: WritingOperation {
  static let name = "define"
  static let isDatedAlone = false
  private let prototype: String
  private let type: EntityType
  private let properties: [PropertyInput]

  init(_ fields: inout Fields) throws {
    prototype = try fields.need("prototype").string()
    type = EntityType(try fields.need("type").name())
    properties = try PropertyInput.list(fields.need("set"))
  }

  func write(_ transaction: WriteTransaction, at time: Date?) async throws -> JSON {
    let values = try await properties.resolved(in: transaction, at: time)
    let prototype = Prototype(prototype, for: type, values.compactMapValues { $0 })
    return .string(try await transaction.define(prototype).text)
  }
}
