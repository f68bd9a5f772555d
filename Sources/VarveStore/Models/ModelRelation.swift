import VarveCore

/// What a property of a model relates: how its targets are found, loaded and written.
struct ModelRelation<Model: Persistable>: Sendable {
  let name: String
  let option: RelationOption
  let isToMany: Bool
  /// The model of the targets, whose schema may refer back here: asked for when it is needed.
  let target: @Sendable () -> RelationTarget
  /// The targets a model names; nil where a relation to many was not touched.
  let ids: @Sendable (Model) -> [EntityID]?
  /// Loads the targets of all models.
  let load: @Sendable (inout [Model], StateReader, AlongQuery) async throws -> Void

  /// The property of the targets that refers back, by its stored name.
  var inverseName: PropertyKey? {
    guard let inverse = option.inverse, let name = target().storedName(inverse) else { return nil }
    return PropertyKey(name)
  }

  static func toOne<Target>(
    _ name: String,
    _ keyPath: any WritableKeyPath<Model, Ref<Target>?> & Sendable,
    _ option: RelationOption
  ) -> ModelRelation {
    ModelRelation(
      name: name,
      option: option,
      isToMany: false,
      target: { RelationTarget(Target.self) },
      ids: { model in model[keyPath: keyPath].map { [$0.id.entityID] } ?? [] },
      load: { models, state, along in
        let ids = models.compactMap { $0[keyPath: keyPath]?.id.entityID }
        let targets: [EntityID: Target] = try await state.models(ids, along)
        for index in models.indices {
          guard let id = models[index][keyPath: keyPath]?.id.entityID else { continue }
          if let target = targets[id] { models[index][keyPath: keyPath] = Ref(target) }
        }
      }
    )
  }

  static func toOne<Target>(
    _ name: String,
    _ keyPath: any WritableKeyPath<Model, Ref<Target>> & Sendable,
    _ option: RelationOption
  ) -> ModelRelation {
    ModelRelation(
      name: name,
      option: option,
      isToMany: false,
      target: { RelationTarget(Target.self) },
      ids: { [$0[keyPath: keyPath].id.entityID] },
      load: { models, state, along in
        let ids = models.map { $0[keyPath: keyPath].id.entityID }
        let targets: [EntityID: Target] = try await state.models(ids, along)
        for index in models.indices {
          guard let target = targets[models[index][keyPath: keyPath].id.entityID] else { continue }
          models[index][keyPath: keyPath] = Ref(target)
        }
      }
    )
  }

  static func toMany<Target>(
    _ name: String,
    _ keyPath: any WritableKeyPath<Model, Many<Target>> & Sendable,
    _ option: RelationOption
  ) -> ModelRelation {
    ModelRelation(
      name: name,
      option: option,
      isToMany: true,
      target: { RelationTarget(Target.self) },
      ids: { $0[keyPath: keyPath].ids?.map(\.entityID) },
      load: { models, state, along in
        let targets: [EntityID: [Target]]
        if let inverse = option.inverse {
          targets = try await state.models(
            referringTo: models.map(\.id.entityID),
            by: inverse,
            along
          )
        } else {
          targets = try await state.models(
            in: PropertyKey(name),
            of: models.map(\.id.entityID),
            along
          )
        }
        for index in models.indices {
          models[index][keyPath: keyPath] = Many(targets[models[index].id.entityID] ?? [])
        }
      }
    )
  }
}

/// The model at the other end of a relation.
struct RelationTarget {
  let type: EntityType
  let storedName: (AnyKeyPath) -> String?
  /// How relations to many of that model, with a given property as their inverse, relate entities.
  let inverses: (AnyKeyPath) -> [(name: PropertyKey, kind: RelationKind)]

  init<Target: Persistable>(_ model: Target.Type) {
    type = Target.schema.type
    storedName = { Target.schema.field($0)?.name }
    inverses = { keyPath in
      Target.schema.fields.compactMap { field in
        guard let relation = field.relation, relation.isToMany, let kind = relation.option.kind,
          let inverse = relation.option.inverse, inverse == keyPath
        else { return nil }
        return (PropertyKey(field.name), kind)
      }
    }
  }
}

/// A relation that is loaded along with a query's models.
struct Inclusion<Model: Persistable>: Sendable {
  let load: @Sendable (inout [Model], StateReader) async throws -> Void
}
