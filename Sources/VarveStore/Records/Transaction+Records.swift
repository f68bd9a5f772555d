public import VarveCore

extension Transaction {
  /// Saves a model: creates it under an unknown identifier, or writes what differs to a live one.
  ///
  /// What the schema and the model demand is checked first, uniqueness among what this transaction
  /// sees. Nothing the model holds is written twice: a property equal to the present one is not
  /// written, a property that is nil is removed, a declared `createdAt` is set once and `updatedAt`
  /// each time. Properties the model does not know stay.
  ///
  /// ```swift
  /// let hat = try await tx.save(Hat(color: "red", brimSize: 12))
  /// ```
  ///
  /// - Returns: the model as it is stored, dates included.
  /// - Throws: ``VarveError``: `validationFailed` with what is broken; `notFound` where the entity is
  ///   erased or dead with its owners; `typeMismatch` where it is of another type;
  ///   `unsupportedValue`, `valueTooLarge`.
  /// - Complexity: O(properties × log entities).
  @discardableResult
  public func save<Model: Persistable>(_ model: Model) async throws -> Model {
    try await perform { try await $0.save(model) }
  }

  /// Saves many models, in their order: the fast way. See ``save(_:)-(Model)``.
  ///
  /// Those that are new are written in batches. An invalid one fails the call before it is written;
  /// where some were written already, the whole transaction fails.
  ///
  /// - Returns: the models as they are stored.
  /// - Complexity: O(models × log entities).
  @discardableResult
  public func save<Model: Persistable>(_ models: [Model]) async throws -> [Model] {
    try await perform { try await $0.save(models) }
  }

  /// Erases a model's entity and what it alone owns. One that was never saved: nothing.
  ///
  /// - Returns: what died by it.
  @discardableResult
  public func destroy<Model: Persistable>(_ model: Model) async throws -> [EntityID] {
    try await destroy([model])
  }

  /// Erases models' entities, at once. See ``destroy(_:)-(Model)``.
  ///
  /// - Complexity: O(what dies, with its edges).
  @discardableResult
  public func destroy<Model: Persistable>(_ models: [Model]) async throws -> [EntityID] {
    try await erase(models.map(\.id.entityID))
  }
}

extension Store {
  /// Saves a model, as a commit of its own. See ``Transaction/save(_:)-(Model)``.
  @discardableResult
  public func save<Model: Persistable>(
    _ model: Model,
    author: String = "",
    message: String = ""
  ) async throws -> Model {
    try await prepare(Model.schema)
    return try await write(as: .save, author: author, message: message) {
      try await $0.save(model)
    }
  }

  /// Saves many models, as one commit. See ``Transaction/save(_:)-([Model])``.
  @discardableResult
  public func save<Model: Persistable>(
    _ models: [Model],
    author: String = "",
    message: String = ""
  ) async throws -> [Model] {
    try await prepare(Model.schema)
    return try await write(as: .save, author: author, message: message) {
      try await $0.save(models)
    }
  }

  /// Erases a model's entity and what it alone owns, as a commit of its own. See
  /// ``Transaction/destroy(_:)-(Model)``.
  @discardableResult
  public func destroy<Model: Persistable>(
    _ model: Model,
    author: String = "",
    message: String = ""
  ) async throws -> [EntityID] {
    try await write(as: .delete, author: author, message: message) {
      try await $0.destroy(model)
    }
  }

  /// Erases models' entities, as one commit.
  @discardableResult
  public func destroy<Model: Persistable>(
    _ models: [Model],
    author: String = "",
    message: String = ""
  ) async throws -> [EntityID] {
    try await write(as: .delete, author: author, message: message) {
      try await $0.destroy(models)
    }
  }
}
