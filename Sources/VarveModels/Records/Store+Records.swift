public import VarveCore
public import VarveEntities

extension Store {
  /// Saves a model in a commit of its own. See ``WriteTransaction/save(_:)-(Model)``.
  @discardableResult
  public func save<Model: Persistable>(
    _ model: Model,
    author: String? = nil,
    message: String? = nil
  ) async throws -> Model {
    try await prepare(Model.schema)
    return try await writeShared(as: .save, author: author, message: message) {
      try await $0.save(model)
    }
  }

  /// Saves many models in one commit. See ``WriteTransaction/save(_:)-([Model])``.
  @discardableResult
  public func save<Model: Persistable>(
    _ models: [Model],
    author: String? = nil,
    message: String? = nil
  ) async throws -> [Model] {
    try await prepare(Model.schema)
    return try await writeShared(as: .save, author: author, message: message) {
      try await $0.save(models)
    }
  }

  /// Erases a model's entity and what it alone owns, in a commit of its own. See
  /// ``WriteTransaction/erase(_:)-(Model)``.
  @discardableResult
  public func erase<Model: Persistable>(
    _ model: Model,
    author: String? = nil,
    message: String? = nil
  ) async throws -> [EntityID] {
    try await writeShared(as: .erase, author: author, message: message) {
      try await $0.erase(model)
    }
  }

  /// Erases the entities of several models in one commit.
  @discardableResult
  public func erase<Model: Persistable>(
    _ models: [Model],
    author: String? = nil,
    message: String? = nil
  ) async throws -> [EntityID] {
    try await writeShared(as: .erase, author: author, message: message) {
      try await $0.erase(models)
    }
  }
}
