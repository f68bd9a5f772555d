import Foundation
import VarveCore
import VarveReferences
import VarveStore

/// `create`: adds an entity; returns its identifier.
struct CreateOperation: WritingOperation {
  static let name = "create"
  private let type: EntityType
  private let id: EntityID?
  private let prototype: String?
  private let properties: [PropertyInput]

  init(_ fields: inout Fields) throws {
    type = EntityType(try fields.need("type").name())
    id = try fields.take("id")?.id()
    prototype = try fields.take("prototype")?.string()
    properties = try fields.take("set").map { try PropertyInput.list($0) } ?? []
  }

  func write(_ transaction: WriteTransaction, at time: Date?) async throws -> JSON {
    var values = try await properties.resolved(in: transaction, at: time)
    if let prototype {
      let initial = try await transaction.prototype(prototype, for: type).properties
      values.merge(initial) { own, _ in own }
    }
    let created = try await transaction.create(
      type,
      id: id,
      properties: values.compactMapValues { $0 },
      at: time
    )
    return .string(created.text)
  }
}

/// `set`: adds a value to each key, even an equal one; null removes a property. Returns the
/// identifier.
struct SetOperation: WritingOperation {
  static let name = "set"
  private let place: Place
  private let properties: [PropertyInput]

  init(_ fields: inout Fields) throws {
    place = try Place(fields.need("id"))
    properties = try PropertyInput.list(fields.need("set"))
  }

  func write(_ transaction: WriteTransaction, at time: Date?) async throws -> JSON {
    let id = try await place.id(in: transaction)
    _ = try await transaction.require(id)
    for (key, property) in try await properties.resolved(in: transaction, at: time)
      .sorted(by: { $0.key < $1.key })
    {
      try await transaction.set(
        id,
        key,
        property?.value,
        semanticType: property?.semanticType,
        at: time
      )
    }
    return .string(id.text)
  }
}

/// `update`: writes the keys whose value differs; null removes a property. Returns whether any
/// differed.
struct UpdateOperation: WritingOperation {
  static let name = "update"
  private let place: Place
  private let properties: [PropertyInput]
  private let expected: [PropertyInput]?

  init(_ fields: inout Fields) throws {
    place = try Place(fields.need("id"))
    properties = try PropertyInput.list(fields.need("set"))
    expected = try fields.take("expecting").map { try PropertyInput.list($0) }
  }

  func write(_ transaction: WriteTransaction, at time: Date?) async throws -> JSON {
    let id = try await place.id(in: transaction)
    if let expected {
      let values = try await expected.resolved(in: transaction, at: time)
      let typed = Set(expected.filter(\.isTyped).compactMap(\.plainKey))
      try await transaction.expect(
        values.mapValues { $0?.value },
        semanticTypes: values.filter { typed.contains($0.key) }.compactMapValues {
          $0?.semanticType
        },
        of: id
      )
    }
    let wanted = try await properties.resolved(in: transaction, at: time)
    // A plain value keeps the semantic type of a property; a value with a type replaces it.
    let typed = Set(properties.filter(\.isTyped).compactMap(\.plainKey))
    let named = wanted.filter { typed.contains($0.key) }
    let plain = wanted.filter { !typed.contains($0.key) }.mapValues { $0?.value }
    let hasRetyped = try await transaction.update(id, properties: named, at: time)
    let hasWritten = try await transaction.update(id, plain, at: time)
    return .bool(hasRetyped || hasWritten)
  }
}

/// `status`: returns the state of an identifier.
struct StatusOperation: ReadingOperation {
  static let name = "status"
  private let id: EntityID

  init(_ fields: inout Fields) throws { id = try fields.need("id").id() }

  func read(_ state: any Reading) async throws -> JSON {
    switch try await state.status(of: id) {
    case .unknown: ["status": "unknown"]
    case .live(let type): ["status": "live", "type": .string(type.text)]
    case .erased: ["status": "erased"]
    case .dead: ["status": "dead"]
    }
  }
}
