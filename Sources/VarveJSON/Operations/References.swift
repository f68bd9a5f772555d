import Foundation
import VarveCore
import VarveStore

/// `get`: the entities references name, created as they say; what cannot be found is left out.
struct GetOperation: ReadingOperation, WritingOperation, CreatingOperation {
  static let name = "get"
  private let references: [Reference]

  init(_ fields: inout Fields) throws {
    references = try fields.need("refs").elements().map { try Reference($0) }
  }

  var mayCreate: Bool { references.contains(where: \.mayCreate) }

  func read(_ state: any Reading) async throws -> JSON {
    var found: [JSON] = []
    for reference in references {
      if let entity = try await reference.find(in: state) { found.append(entity.nameJSON) }
    }
    return .array(found)
  }

  func write(_ transaction: Transaction, at time: Date?) async throws -> JSON {
    var found: [JSON] = []
    for reference in references {
      guard let id = try await reference.resolve(in: transaction, at: time) else { continue }
      found.append(try await transaction.require(id).nameJSON)
    }
    return .array(found)
  }
}

extension Entity {
  fileprivate var nameJSON: JSON {
    ["identifier": .string(id.text), "type": .string(type.text)]
  }
}

/// `add`: adds values to what references name, created as they say; the identifiers.
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

  func write(_ transaction: Transaction, at time: Date?) async throws -> JSON {
    var ids: [JSON] = []
    for addition in additions {
      let id = try await addition.reference.require(in: transaction, at: time)
      for value in addition.values { try await value.write(to: id, in: transaction, at: time) }
      ids.append(.string(id.text))
    }
    return .array(ids)
  }
}

/// `remove`: removes properties of what references name, and creates nothing; the identifiers.
struct RemoveOperation: WritingOperation {
  static let name = "remove"
  private let keys: [KeyInput]
  private let references: [Reference]

  init(_ fields: inout Fields) throws {
    keys = try fields.need("keys").elements().map { try KeyInput($0) }
    references = try fields.need("refs").elements().map { try Reference($0) }
  }

  func write(_ transaction: Transaction, at time: Date?) async throws -> JSON {
    var ids: [JSON] = []
    for reference in references {
      guard let id = try await reference.find(in: transaction)?.id else { continue }
      for key in keys {
        try await transaction.remove(
          id,
          try await key.key(in: transaction as any Reading),
          at: time
        )
      }
      ids.append(.string(id.text))
    }
    return .array(ids)
  }
}

/// `read`: properties of what references name, an object each, null for what is not there.
struct ReadOperation: ReadingOperation {
  static let name = "read"
  private let references: [Reference]
  /// Nil for all.
  private let keys: [KeyInput]?
  private let withTypes: Bool

  init(_ fields: inout Fields) throws {
    references = try fields.need("refs").elements().map { try Reference($0) }
    let wanted = try fields.need("keys")
    keys = wanted.json == "all" ? nil : try wanted.elements().map { try KeyInput($0) }
    withTypes = try fields.flag("withTypes")
  }

  func read(_ state: any Reading) async throws -> JSON {
    var objects: [JSON] = []
    for reference in references {
      guard let entity = try await reference.find(in: state) else {
        objects.append(.null)
        continue
      }
      var wanted = entity.keys
      if let keys {
        wanted = []
        for key in keys { wanted.append(try await key.key(in: state)) }
      }
      objects.append(object(entity, wanted))
    }
    return .array(objects)
  }

  private func object(_ entity: Entity, _ keys: [PropertyKey]) -> JSON {
    .object(
      keys.compactMap { key in
        guard let property = entity.property(key) ?? entity.ownProperty(key) else { return nil }
        let value = property.value.json
        let typed: JSON = ["value": value, "type": .string(property.semanticType)]
        return JSON.Member(name: key.text, value: withTypes ? typed : value)
      }
    )
  }
}

extension Entity {
  /// What every entity has, by name; a stored property of that name comes before.
  fileprivate func ownProperty(_ key: PropertyKey) -> Property? {
    switch key {
    case "identifier": Property(.string(id.text), semanticType: "identifier")
    case "type": Property(.string(type.text), semanticType: "entity")
    case "datestamp": Property(.date(datestamp.date))
    case "modified": Property(.date(modified.date))
    default: nil
    }
  }
}
