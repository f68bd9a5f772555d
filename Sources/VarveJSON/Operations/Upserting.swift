import Foundation
import VarveCore
import VarveStore

/// `upsert`: writes the differences to the entity with the values under some keys, or creates it;
/// returns its identifier and the outcome.
struct UpsertOperation: WritingOperation {
  static let name = "upsert"
  private let type: EntityType
  private let keys: [PropertyKey]
  private let id: EntityID?
  private let properties: [PropertyInput]

  init(_ fields: inout Fields) throws {
    type = EntityType(try fields.need("type").name())
    keys = try fields.need("on").elements().map { PropertyKey(try $0.name()) }
    id = try fields.take("id")?.id()
    properties = try PropertyInput.list(fields.need("set"))
  }

  func write(_ transaction: WriteTransaction, at time: Date?) async throws -> JSON {
    let values = try await properties.resolved(in: transaction, at: time)
    let (id, outcome) = try await transaction.upsert(
      type,
      on: keys,
      id: id,
      properties: values,
      at: time
    )
    return ["id": .string(id.text), "outcome": .string(outcome.rawValue)]
  }
}

/// `insert`: creates an entity unless one has the values under some keys; returns its identifier,
/// or null if there was one.
struct InsertOperation: WritingOperation {
  static let name = "insert"
  private let type: EntityType
  private let keys: [PropertyKey]
  private let id: EntityID?
  private let properties: [PropertyInput]

  init(_ fields: inout Fields) throws {
    type = EntityType(try fields.need("type").name())
    keys = try fields.need("ifAbsent").elements().map { PropertyKey(try $0.name()) }
    id = try fields.take("id")?.id()
    properties = try PropertyInput.list(fields.need("set"))
  }

  func write(_ transaction: WriteTransaction, at time: Date?) async throws -> JSON {
    let values = try await properties.resolved(in: transaction, at: time)
    let created = try await transaction.insert(
      type,
      ifAbsent: keys,
      id: id,
      properties: values.compactMapValues { $0 },
      at: time
    )
    return created.map { .string($0.text) } ?? .null
  }
}
