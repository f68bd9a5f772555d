import VarveCore
import VarveEntities

extension TypedQuery {
  /// Returns the query that also loads the target of a reference. This takes one more query for all
  /// models together.
  ///
  /// ```swift
  /// let hats = try await store.fetch(Hat.all.with(\.shop))
  /// ```
  public func with<Target>(
    _ keyPath: KeyPath<Model, Ref<Target>?>,
    _ narrow: (TypedQuery<Target>) -> TypedQuery<Target> = { $0 }
  ) -> TypedQuery {
    including(keyPath, narrow(Target.all))
  }

  /// Returns the query that also loads the target of a reference.
  public func with<Target>(
    _ keyPath: KeyPath<Model, Ref<Target>>,
    _ narrow: (TypedQuery<Target>) -> TypedQuery<Target> = { $0 }
  ) -> TypedQuery {
    including(keyPath, narrow(Target.all))
  }

  /// Returns the query that also loads a to-many relation. This takes one more query for all models
  /// together, or two if the relation has no inverse.
  ///
  /// ```swift
  /// let shops = try await store.fetch(Shop.all.with(\.hats) { $0.where { $0.color == "red" } })
  /// ```
  ///
  /// The query of the relation cannot have a limit, because it would apply to all models together.
  public func with<Target>(
    _ keyPath: KeyPath<Model, Many<Target>>,
    _ narrow: (TypedQuery<Target>) -> TypedQuery<Target> = { $0 }
  ) -> TypedQuery {
    including(keyPath, narrow(Target.all))
  }

  private func including<Target: Persistable>(
    _ keyPath: PartialKeyPath<Model>,
    _ targets: TypedQuery<Target>
  ) -> TypedQuery {
    let relation = Model.schema.field(keyPath)?.relation
    let name = "\(keyPath)"
    var query = self
    if let key = relation?.inverseName {
      query.untyped.wantedIndexes.append(WantedIndex(type: Target.schema.type, key: key))
    }
    query.untyped.wantedIndexes += targets.untyped.wantedIndexes
    if let types = query.includedTypes, let targets = targets.types {
      query.includedTypes = types.union(targets)
    } else {
      query.includedTypes = nil
    }
    query.inclusions.append(
      Inclusion(content: LoadedContent(of: name, targets)) { models, state in
        guard let relation else {
          throw VarveError(
            .invalidQuery,
            "\(name) is not a relation of \(Model.self)'s schema",
            at: "query of \"\(Model.schema.type)\"",
            remedy: "Name it in the schema, with its key path."
          )
        }
        guard targets.untyped.limit == nil, targets.untyped.offset == 0 else {
          throw VarveError(
            .invalidQuery,
            "a relation loaded with a query cannot have a limit or an offset",
            at: "query of \"\(Model.schema.type)\", \"\(relation.name)\"",
            remedy: "Fetch the relation of one model at a time."
          )
        }
        try await relation.load(&models, state, AlongQuery(targets))
      }
    )
    return query
  }
}

/// The query of a loaded relation, with the relations that it loads in turn.
struct AlongQuery: Sendable {
  let query: Query
  /// Loads the relations of the targets, an array of the target's model.
  let load: @Sendable (Any, StateReader) async throws -> Any

  init<Target: Persistable>(_ targets: TypedQuery<Target>) {
    query = targets.untyped
    load = { models, state in
      guard var models = models as? [Target] else { return models }
      for inclusion in targets.inclusions { try await inclusion.load(&models, state) }
      return models
    }
  }
}
