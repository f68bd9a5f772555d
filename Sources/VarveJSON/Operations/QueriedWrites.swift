package import Foundation
package import VarveCore
package import VarveStore

/// `updateAll`: writes values to all entities of a query. Returns the number of those that changed.
struct UpdateAllOperation: WritingOperation {
  static let name = "updateAll"
  private let query: Query
  private let properties: [PropertyInput]

  init(_ fields: inout Fields) throws {
    query = try fields.query()
    properties = try PropertyInput.list(fields.need("set"))
  }

  func write(_ transaction: WriteTransaction, at time: Date?) async throws -> JSON {
    let wanted = try await properties.resolved(in: transaction, at: time)
    let typed = Set(properties.filter(\.isTyped).compactMap(\.plainKey))
    let count = try await transaction.update(
      query,
      plain: wanted.filter { !typed.contains($0.key) }.mapValues { $0?.value },
      typed: wanted.filter { typed.contains($0.key) },
      at: time
    )
    return .count(count)
  }
}

/// `eraseAll`: erases all entities of a query. Returns what died.
struct EraseAllOperation: WritingOperation {
  static let name = "eraseAll"
  private let query: Query

  init(_ fields: inout Fields) throws { query = try fields.query() }

  func write(_ transaction: WriteTransaction, at time: Date?) async throws -> JSON {
    try await transaction.erase(query, at: time).json
  }
}

extension WriteTransaction {
  /// Writes values to all entities of a query. A plain value keeps the semantic type of an equal
  /// one; a value with a type replaces it.
  ///
  /// - Returns: the number of entities that changed.
  /// - Throws: as `update(_:_:at:)`.
  package func update(
    _ query: Query,
    plain: [PropertyKey: Value?],
    typed: [PropertyKey: StoredEntity.Property?],
    at time: Date?
  ) async throws -> Int {
    guard !typed.isEmpty else { return try await update(query, plain, at: time) }
    guard !plain.isEmpty else { return try await update(query, properties: typed, at: time) }
    var count = 0
    // The first write may change what the query selects.
    for id in try await fetch(query).map(\.id) {
      let hasRetyped = try await update(id, properties: typed, at: time)
      let hasWritten = try await update(id, plain, at: time)
      if hasRetyped || hasWritten { count += 1 }
    }
    return count
  }
}
