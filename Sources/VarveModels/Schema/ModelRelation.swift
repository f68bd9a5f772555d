import VarveCore
import VarveEntities

/// The relation of a model's property: how its targets are found, loaded and written.
struct ModelRelation<Model: Persistable>: Sendable {
  let name: String
  /// The names of the property in older versions of the model, newest first.
  var older: [PropertyKey] = []
  let option: RelationOption
  let isToMany: Bool
  /// Whether it is a reference that must be set.
  var isRequired = false
  /// Copies an edited to-many relation to another model; nil for a reference.
  var copy: (@Sendable (Model, inout Model) -> Void)?
  /// Returns the model of the targets. It is a closure because that schema may refer back to this
  /// one.
  let target: @Sendable () -> RelationTarget
  /// Returns the targets of a model, or nil if its to-many relation was not edited.
  let ids: @Sendable (Model) -> [EntityID]?
  /// Returns whether two models have the same targets, loaded or not.
  let holdsSame: @Sendable (Model, Model) -> Bool
  /// Loads the targets of all models.
  let load: @Sendable (inout [Model], StateReader, AlongQuery) async throws -> Void

  /// The column of the targets' property that refers back.
  var inverseColumn: RowShape.Column? { option.inverse.flatMap { target().column($0) } }

  /// The stored name of that property.
  var inverseName: PropertyKey? { inverseColumn?.key }

  /// All names under which the relation may be stored, the present one first.
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
      holdsSame: { path.value(in: $0).holdsSame(path.value(in: $1)) },
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

/// A reference that may be nil.
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
    // Only a `Ref` is such a reference.
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
      holdsSame: { one, other in
        guard let one = path.value(in: one) as? Ref<Target>,
          let other = path.value(in: other) as? Ref<Target>
        else { return id(one) == nil && id(other) == nil }
        return one.holdsSame(other)
      },
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
      copy: { path.set(path.value(in: $0), in: &$1) },
      target: { RelationTarget(Target.self) },
      ids: { path.value(in: $0).assignedIDs?.map(\.entityID) },
      holdsSame: { path.value(in: $0).holdsSame(path.value(in: $1)) },
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
  /// The type of the model, and former types of entities.
  let types: Set<EntityType>
  let column: (AnyKeyPath) -> RowShape.Column?
  /// Returns whether a reference must be set.
  let isRequired: (AnyKeyPath) -> Bool
  /// Returns the names and kinds of that model's to-many relations whose inverse is the given
  /// property.
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
