public import Foundation
public import VarveCore

extension Store {
  /// Writes values to all entities of a query, in a commit of its own. See
  /// ``WriteTransaction/update(_:_:at:)-(Query,_,_)``.
  @discardableResult
  public func update(
    _ query: Query,
    _ properties: [PropertyKey: Value?],
    at time: Date? = nil,
    author: String? = nil,
    message: String? = nil
  ) async throws -> Int {
    try await write(as: .update, author: author, message: message) {
      try await $0.update(query, properties, at: time)
    }
  }

  /// Erases all entities of a query and what they alone own, in a commit of its own. See
  /// ``WriteTransaction/erase(_:at:)-(Query,_)``.
  @discardableResult
  public func erase(
    _ query: Query,
    at time: Date? = nil,
    author: String? = nil,
    message: String? = nil
  ) async throws -> [EntityID] {
    try await write(as: .erase, author: author, message: message) {
      try await $0.erase(query, at: time)
    }
  }
}
