import VarveCore
public import VarveEntities

extension Writing {
  /// Adds targets to a to-many relation of a model, without loading the others.
  ///
  /// ```swift
  /// try await tx.add([red.id, blue.id], to: \Shelf.hats, of: shelf.id)
  /// ```
  ///
  /// They come last. Those that the relation has stay where they are, unless it is a list, which
  /// repeats them. With an inverse, the targets then refer to the model. The model is not read, so
  /// its rules are not checked.
  ///
  /// - Returns: whether anything was written.
  /// - Throws: ``VarveError``: `notFound` if the model is not live, or with an inverse a target;
  ///   `typeMismatch` for an entity of another type; `unknownProperty` for a property that is not
  ///   in the schema.
  /// - Complexity: O(present targets + targets × log entities).
  @discardableResult
  public func add<Model: Persistable, Target: Persistable>(
    _ targets: [Identifier<Target>],
    to keyPath: KeyPath<Model, Many<Target>>,
    of id: Identifier<Model>
  ) async throws -> Bool {
    try await perform(as: .update, sharesTurn: false) {
      try await $0.add(targets, to: keyPath, of: id)
    }
  }

  /// Adds models to a to-many relation of a model. See
  /// ``add(_:to:of:)-([Identifier<Target>],_,Identifier<Model>)``.
  @discardableResult
  public func add<Model: Persistable, Target: Persistable>(
    _ targets: [Target],
    to keyPath: KeyPath<Model, Many<Target>>,
    of model: Model
  ) async throws -> Bool {
    try await add(targets.map(\.id), to: keyPath, of: model.id)
  }

  /// Removes targets from a to-many relation of a model, without loading the others. A list loses
  /// all repetitions. With an inverse, the targets refer to no model then.
  ///
  /// - Returns: whether anything was written.
  /// - Throws: as ``add(_:to:of:)-([Identifier<Target>],_,Identifier<Model>)``; `invalidArgument`
  ///   if the inverse must be set.
  /// - Complexity: O(present targets + targets × log entities).
  @discardableResult
  public func remove<Model: Persistable, Target: Persistable>(
    _ targets: [Identifier<Target>],
    from keyPath: KeyPath<Model, Many<Target>>,
    of id: Identifier<Model>
  ) async throws -> Bool {
    try await perform(as: .update, sharesTurn: false) {
      try await $0.remove(targets, from: keyPath, of: id)
    }
  }

  /// Removes models from a to-many relation of a model. See
  /// ``remove(_:from:of:)-([Identifier<Target>],_,Identifier<Model>)``.
  @discardableResult
  public func remove<Model: Persistable, Target: Persistable>(
    _ targets: [Target],
    from keyPath: KeyPath<Model, Many<Target>>,
    of model: Model
  ) async throws -> Bool {
    try await remove(targets.map(\.id), from: keyPath, of: model.id)
  }
}
