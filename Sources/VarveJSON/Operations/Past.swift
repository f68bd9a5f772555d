import Foundation
import VarveCore
import VarveStore

/// `history`: returns everything written to an entity or one of its properties, newest first.
struct HistoryOperation: ReadingOperation {
  static let name = "history"
  private let place: Place
  private let key: PropertyKey?
  private let limit: Int?

  init(_ fields: inout Fields) throws {
    place = try Place(fields.need("id"))
    key = try fields.take("key").map { PropertyKey(try $0.string()) }
    limit = try fields.take("limit")?.count()
  }

  func read(_ state: any Reading) async throws -> JSON {
    let id = try await place.id(in: state)
    let versions = try await state.history(of: id, key, limit: limit)
    if versions.isEmpty, try await state.status(of: id) == .unknown {
      _ = try await state.require(id)
    }
    return .array(versions.map(\.json))
  }
}

/// `log`: returns the commits, newest arrival first.
struct LogOperation: ReadingOperation {
  static let name = "log"
  private let limit: Int?
  private let offset: Int

  init(_ fields: inout Fields) throws {
    limit = try fields.take("limit")?.count()
    offset = try fields.take("offset")?.count() ?? 0
  }

  func read(_ state: any Reading) async throws -> JSON {
    .array(try await state.log(limit: limit, offset: offset).map(\.json))
  }
}

/// `frontier`: returns the newest commit of every chain, which names a state that can be read
/// again.
struct FrontierOperation: StoreOperation {
  static let name = "frontier"

  init(_ fields: inout Fields) throws {}

  func run(_ store: Store, _ signature: Signature) async throws -> JSON {
    try await store.frontier().json
  }
}
