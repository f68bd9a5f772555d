public import VarveEntities

extension Store {
  /// Saves a model as the entity that has its values of unique properties, or as a new one. See
  /// ``WriteTransaction/upsert(_:on:)``.
  @discardableResult
  public func upsert<Model: Persistable>(
    _ model: Model,
    on keyPaths: PartialKeyPath<Model>...,
    author: String? = nil,
    message: String? = nil
  ) async throws -> Model {
    try await prepare(Model.schema)
    return try await writeShared(as: .save, author: author, message: message) { tx in
      try await tx.perform { try await $0.upsert(model, on: keyPaths) }
    }
  }

  /// Saves a new model unless a live entity has its values of unique properties. See
  /// ``WriteTransaction/insert(_:ifAbsent:)``.
  @discardableResult
  public func insert<Model: Persistable>(
    _ model: Model,
    ifAbsent keyPaths: PartialKeyPath<Model>...,
    author: String? = nil,
    message: String? = nil
  ) async throws -> Model? {
    try await prepare(Model.schema)
    return try await writeShared(as: .create, author: author, message: message) { tx in
      try await tx.perform { try await $0.insert(model, ifAbsent: keyPaths) }
    }
  }
}
