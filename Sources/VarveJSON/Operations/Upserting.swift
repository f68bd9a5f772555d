import Foundation
import VarveCore
import VarveStore

/// `upsert`: writes the differences to the entity with the values under some keys, or creates it;
/// returns its identifier and the outcome.
struct UpsertOperation: WritingOperation {
  static let name = "upsert"
  private let input: KeyedInput

  init(_ fields: inout Fields) throws { input = try KeyedInput(&fields, keysIn: "on") }

  func write(_ transaction: WriteTransaction, at time: Date?) async throws -> JSON {
    let values = try await input.properties.resolved(in: transaction, at: time)
    let (id, outcome) = try await transaction.upsert(
      input.type,
      on: input.keys,
      id: input.id,
      properties: values,
      plain: Set(input.properties.filter { !$0.isTyped }.compactMap(\.plainKey)),
      at: time
    )
    return ["id": .string(id.text), "outcome": .string(outcome.rawValue)]
  }
}

/// `insert`: creates an entity unless one has the values under some keys; returns its identifier,
/// or null if there was one.
struct InsertOperation: WritingOperation {
  static let name = "insert"
  private let input: KeyedInput

  init(_ fields: inout Fields) throws { input = try KeyedInput(&fields, keysIn: "ifAbsent") }

  func write(_ transaction: WriteTransaction, at time: Date?) async throws -> JSON {
    let values = try await input.properties.resolved(in: transaction, at: time)
    let created = try await transaction.insert(
      input.type,
      ifAbsent: input.keys,
      id: input.id,
      properties: values.compactMapValues { $0 },
      at: time
    )
    return created.map { .string($0.text) } ?? .null
  }
}

/// The properties of an entity, and the keys by which it is looked up.
private struct KeyedInput {
  let type: EntityType
  let keys: [PropertyKey]
  let id: EntityID?
  let properties: [PropertyInput]

  init(_ fields: inout Fields, keysIn name: String) throws {
    type = EntityType(try fields.need("type").name())
    keys = try fields.need(name).elements().map { PropertyKey(try $0.name()) }
    id = try fields.take("id")?.id()
    properties = try PropertyInput.list(fields.need("set"))
  }
}
