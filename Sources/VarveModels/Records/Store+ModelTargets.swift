import VarveCore
public import VarveEntities

extension Store {
  /// Adds targets to a to-many relation of a model, in a commit of its own. See
  /// ``WriteTransaction/add(_:to:of:)-([Identifier<Target>],_,Identifier<Model>)``.
  @discardableResult
  public func add<Model: Persistable, Target: Persistable>(
    _ targets: [Identifier<Target>],
    to keyPath: KeyPath<Model, Many<Target>>,
    of id: Identifier<Model>,
    author: String? = nil,
    message: String? = nil
  ) async throws -> Bool {
    try await write(as: .update, author: author, message: message) {
      try await $0.add(targets, to: keyPath, of: id)
    }
  }

  /// Adds targets to a to-many relation of a model, in a commit of its own. See
  /// ``WriteTransaction/add(_:to:of:)-([Target],_,Model)``.
  @discardableResult
  public func add<Model: Persistable, Target: Persistable>(
    _ targets: [Target],
    to keyPath: KeyPath<Model, Many<Target>>,
    of model: Model,
    author: String? = nil,
    message: String? = nil
  ) async throws -> Bool {
    try await write(as: .update, author: author, message: message) {
      try await $0.add(targets, to: keyPath, of: model)
    }
  }

  /// Removes targets from a to-many relation of a model, in a commit of its own. See
  /// ``WriteTransaction/remove(_:from:of:)-([Identifier<Target>],_,Identifier<Model>)``.
  @discardableResult
  public func remove<Model: Persistable, Target: Persistable>(
    _ targets: [Identifier<Target>],
    from keyPath: KeyPath<Model, Many<Target>>,
    of id: Identifier<Model>,
    author: String? = nil,
    message: String? = nil
  ) async throws -> Bool {
    try await write(as: .update, author: author, message: message) {
      try await $0.remove(targets, from: keyPath, of: id)
    }
  }

  /// Removes targets from a to-many relation of a model, in a commit of its own. See
  /// ``WriteTransaction/remove(_:from:of:)-([Target],_,Model)``.
  @discardableResult
  public func remove<Model: Persistable, Target: Persistable>(
    _ targets: [Target],
    from keyPath: KeyPath<Model, Many<Target>>,
    of model: Model,
    author: String? = nil,
    message: String? = nil
  ) async throws -> Bool {
    try await write(as: .update, author: author, message: message) {
      try await $0.remove(targets, from: keyPath, of: model)
    }
  }
}
