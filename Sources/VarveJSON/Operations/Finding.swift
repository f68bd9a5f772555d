import Foundation
import VarveCore
import VarveReferences
import VarveStore

/// `find`: returns the identifiers of a type's entities whose key equals one of the values, in the
/// order of the values. Missing entities are created, unless `createIfMissing` is false.
struct FindOperation: ReadingOperation, WritingOperation, CreatingOperation {
  static let name = "find"
  private let type: EntityType
  private let key: PropertyKey
  private let values: [Value]
  let mayCreate: Bool

  init(_ fields: inout Fields) throws {
    type = EntityType(try fields.need("type").string())
    key = PropertyKey(try fields.need("key").string())
    values = try fields.need("in").elements().map { try $0.value() }
    mayCreate = try fields.flag("createIfMissing", default: true)
  }

  func read(_ state: any Reading) async throws -> JSON {
    try await state.find(type, key, in: values).map(\.id).json
  }

  func write(_ transaction: WriteTransaction, at time: Date?) async throws -> JSON {
    try await transaction.findOrCreate(type, key, in: values, at: time).map(\.id).json
  }
}

/// `count`: returns the number of live entities of each type.
struct CountOperation: ReadingOperation {
  static let name = "count"
  private let types: [EntityType]

  init(_ fields: inout Fields) throws {
    types = try fields.need("types").elements().map { EntityType(try $0.string()) }
  }

  func read(_ state: any Reading) async throws -> JSON {
    .array(try await state.count(types).map { .count($0) })
  }
}

/// `types`: returns the types of live entities, and the number of entities of each.
struct TypesOperation: ReadingOperation {
  static let name = "types"

  init(_ fields: inout Fields) throws {}

  func read(_ state: any Reading) async throws -> JSON {
    .array(
      try await state.types().map { ["type": .string($0.type.text), "count": .count($0.count)] }
    )
  }
}

/// `all`: returns the identifiers of the live entities, of a type or of all, in creation order.
struct AllOperation: ReadingOperation {
  static let name = "all"
  private let type: EntityType?

  init(_ fields: inout Fields) throws {
    type = try fields.take("type").map { EntityType(try $0.string()) }
  }

  func read(_ state: any Reading) async throws -> JSON {
    guard let type else { return try await state.allIDs().json }
    return try await state.ids(of: Query(type)).json
  }
}

extension [EntityID] {
  /// The identifiers as JSON.
  package var json: JSON { .array(map { .string($0.text) }) }
}
