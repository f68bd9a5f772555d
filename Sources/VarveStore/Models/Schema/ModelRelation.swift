import VarveCore

/// What a property of a model relates: how its targets are found, loaded and written.
struct ModelRelation<Model: Persistable>: Sendable {
  let name: String
  /// What it was called in older versions of the model, newest first.
  var older: [PropertyKey] = []
  let option: RelationOption
  let isToMany: Bool
  /// Whether it is a reference that must name something.
  var isRequired = false
  /// The model of the targets, whose schema may refer back here: asked for when it is needed.
  let target: @Sendable () -> RelationTarget
  /// The targets a model names; nil where a relation to many was not touched.
  let ids: @Sendable (Model) -> [EntityID]?
  /// Loads the targets of all models.
  let load: @Sendable (inout [Model], StateReader, AlongQuery) async throws -> Void

  /// The property of the targets that refers back.
  var inverseColumn: RowShape.Column? { option.inverse.flatMap { target().column($0) } }

  /// Its stored name.
  var inverseName: PropertyKey? { inverseColumn?.key }

  /// All the names it may be stored under, the present one first.
  var names: [PropertyKey] { [PropertyKey(name)] + older }
}

/// A type of property that is a relation.
protocol RelationProperty {
  static var isToMany: Bool { get }

  static func relation<Model: Persistable>(
    _ name: String,
    _ path: PropertyPath<Model, Self>,
    _ option: RelationOption,
    older: [PropertyKey]
  ) -> ModelRelation<Model>
}

extension Ref: RelationProperty {
  static var isToMany: Bool { false }

  static func relation<Model: Persistable>(
    _ name: String,
    _ path: PropertyPath<Model, Ref>,
    _ option: RelationOption,
    older: [PropertyKey]
  ) -> ModelRelation<Model> {
    ModelRelation(
      name: name,
      older: older,
      option: option,
      isToMany: false,
      isRequired: true,
      target: { RelationTarget(Target.self) },
      ids: { [path.value(in: $0).id.entityID] },
      load: { models, state, along in
        let ids = models.map { path.value(in: $0).id.entityID }
        let targets: [EntityID: Target] = try await state.models(ids, along)
        for (index, id) in ids.enumerated() {
          if let target = targets[id] { path.set(Ref(target), in: &models[index]) }
        }
      }
    )
  }
}

/// A reference that may be nothing.
protocol OptionalReference: Sendable { associatedtype Target: Persistable }

extension Ref: OptionalReference {}

extension Optional: RelationProperty where Wrapped: OptionalReference {
  static var isToMany: Bool { false }

  static func relation<Model: Persistable>(
    _ name: String,
    _ path: PropertyPath<Model, Wrapped?>,
    _ option: RelationOption,
    older: [PropertyKey]
  ) -> ModelRelation<Model> {
    typealias Target = Wrapped.Target
    // `Ref` alone is such a reference.
    let id = { @Sendable (model: Model) in
      (path.value(in: model) as? Ref<Target>)?.id.entityID
    }
    return ModelRelation(
      name: name,
      older: older,
      option: option,
      isToMany: false,
      target: { RelationTarget(Target.self) },
      ids: { model in id(model).map { [$0] } ?? [] },
      load: { models, state, along in
        let ids = models.compactMap(id)
        let targets: [EntityID: Target] = try await state.models(ids, along)
        for index in models.indices {
          guard let id = id(models[index]), let target = targets[id] else { continue }
          path.set(Ref(target) as? Wrapped, in: &models[index])
        }
      }
    )
  }
}

extension Many: RelationProperty {
  static var isToMany: Bool { true }

  static func relation<Model: Persistable>(
    _ name: String,
    _ path: PropertyPath<Model, Many>,
    _ option: RelationOption,
    older: [PropertyKey]
  ) -> ModelRelation<Model> {
    ModelRelation(
      name: name,
      older: older,
      option: option,
      isToMany: true,
      target: { RelationTarget(Target.self) },
      ids: { path.value(in: $0).assignedIDs?.map(\.entityID) },
      load: { models, state, along in
        let sources = models.map(\.id.entityID)
        let targets: [EntityID: [Target]] =
          if let inverse = option.inverse {
            try await state.models(referringTo: sources, by: inverse, along)
          } else {
            try await state.models(in: [PropertyKey(name)] + older, of: sources, along)
          }
        for (index, source) in sources.enumerated() {
          path.set(Many(loaded: targets[source] ?? []), in: &models[index])
        }
      }
    )
  }
}

/// The model at the other end of a relation.
struct RelationTarget {
  let type: EntityType
  /// The type, and those of before under which entities stand still.
  let types: Set<EntityType>
  let column: (AnyKeyPath) -> RowShape.Column?
  /// Whether a reference must name something.
  let isRequired: (AnyKeyPath) -> Bool
  /// How relations to many of that model, with a given property as their inverse, relate entities.
  let inverses: (AnyKeyPath) -> [(names: [PropertyKey], kind: RelationKind)]

  init<Target: Persistable>(_ model: Target.Type) {
    type = Target.schema.type
    types = Set(Target.schema.types)
    column = { Target.schema.field($0)?.column }
    isRequired = { Target.schema.field($0)?.relation?.isRequired == true }
    inverses = { keyPath in
      Target.schema.fields.compactMap { field in
        guard let relation = field.relation, relation.isToMany, let kind = relation.option.kind,
          let inverse = relation.option.inverse, inverse == keyPath
        else { return nil }
        return (relation.names, kind)
      }
    }
  }
}

/// A relation that is loaded along with a query's models.
struct Inclusion<Model: Persistable>: Sendable {
  let load: @Sendable (inout [Model], StateReader) async throws -> Void
}
