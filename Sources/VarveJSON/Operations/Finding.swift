import Foundation
import VarveCore
import VarveStore

/// `find`: the entities of a type whose key equals one of the values, in the order of these, each
/// missing one created unless told otherwise; their identifiers.
struct FindOperation: ReadingOperation, WritingOperation, CreatingOperation {
  static let name = "find"
  private let type: EntityType
  private let key: PropertyKey
  private let values: [Value]
  let mayCreate: Bool

  init(_ fields: inout Fields) throws {
    type = EntityType(try fields.need("type").string())
    key = PropertyKey(try fields.need("key").string())
    values = try fields.need("in").elements().map { try $0.convert { try Value(json: $0) } }
    mayCreate = try fields.flag("createIfMissing", default: true)
  }

  func read(_ state: any Reading) async throws -> JSON {
    try await state.find(type, key, in: values).map(\.id).json
  }

  func write(_ transaction: Transaction, at time: Date?) async throws -> JSON {
    try await transaction.get(type, key, in: values, at: time).map(\.id).json
  }
}

/// `count`: how many live entities each of the types has.
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

/// `types`: the types of live entities and how many there are of each.
struct TypesOperation: ReadingOperation {
  static let name = "types"

  init(_ fields: inout Fields) throws {}

  func read(_ state: any Reading) async throws -> JSON {
    .array(
      try await state.types().map { ["type": .string($0.type.text), "count": .count($0.count)] }
    )
  }
}

/// `all`: the identifiers of a type's live entities, or of all, in creation order.
struct AllOperation: ReadingOperation {
  static let name = "all"
  private let type: EntityType?

  init(_ fields: inout Fields) throws {
    type = try fields.take("type").map { EntityType(try $0.string()) }
  }

  func read(_ state: any Reading) async throws -> JSON {
    guard let type else { return try await state.allIDs().json }
    return try await state.fetch(Query(type)).map(\.id).json
  }
}

extension [EntityID] {
  /// The identifiers for programs.
  package var json: JSON { .array(map { .string($0.text) }) }
}
