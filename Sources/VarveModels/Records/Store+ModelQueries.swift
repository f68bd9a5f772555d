public import Foundation
public import VarveCore
public import VarveEntities

extension Store {
  /// Sets properties of all models of a query, in a commit of its own. See
  /// ``WriteTransaction/update(_:_:)``.
  @discardableResult
  public func update<Model: Persistable>(
    _ query: TypedQuery<Model>,
    author: String? = nil,
    message: String? = nil,
    _ assign: (inout Assignments<Model>) -> Void
  ) async throws -> Int {
    try await prepare(Model.schema)
    return try await write(as: .update, author: author, message: message) {
      try await $0.update(query, assign)
    }
  }

  /// Erases all models of a query and what they alone own, in a commit of its own. See
  /// ``WriteTransaction/erase(_:at:)-(Query,_)``.
  @discardableResult
  public func erase<Model: Persistable>(
    _ query: TypedQuery<Model>,
    author: String? = nil,
    message: String? = nil
  ) async throws -> [EntityID] {
    try await prepare(Model.schema)
    return try await erase(query.untyped, author: author, message: message)
  }

  /// Sets properties of one model, in a commit of its own. See
  /// ``WriteTransaction/update(_:_:)-(Identifier<Model>,_)``.
  @discardableResult
  public func update<Model: Persistable>(
    _ id: Identifier<Model>,
    author: String? = nil,
    message: String? = nil,
    _ assign: (inout Assignments<Model>) -> Void
  ) async throws -> Bool {
    try await prepare(Model.schema)
    var assignments = Assignments<Model>()
    assign(&assignments)
    return try await writeShared(as: .update, author: author, message: message) { tx in
      try await tx.perform { try await $0.update(id, assignments) }
    }
  }

  /// Restores a model, in a commit of its own. See
  /// ``WriteTransaction/restore(_:_:at:)-(Identifier<Model>,_,_)``.
  @discardableResult
  public func restore<Model: Persistable>(
    _ id: Identifier<Model>,
    _ mode: RestoreMode = .ifOwned,
    at time: Date? = nil,
    author: String? = nil,
    message: String? = nil
  ) async throws -> [EntityID] {
    try await writeShared(as: .restore, author: author, message: message) {
      try await $0.restore(id, mode, at: time)
    }
  }
}
