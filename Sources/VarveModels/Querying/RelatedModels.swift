public import VarveCore

/// The models of a relation in a condition or an order: `$0.hats.where { $0.price > 9 }.count > 3`.
public struct RelatedModels<Model: Persistable, Target: Persistable> {
  /// The models without their types; nil if the property is not a relation of the schema.
  private var related: RelatedEntities?
  private let property: Field

  init(_ link: RelatedEntities.Link?, _ property: Field) {
    related = link.map { RelatedEntities(Target.schema.query, $0) }
    self.property = property
  }

  /// Returns those models that also satisfy a condition on their properties.
  public func `where`(_ condition: (ModelColumns<Target>) -> Condition) -> RelatedModels {
    var models = self
    models.related = related?.where(condition(ModelColumns()))
    return models
  }

  /// There is such a model.
  public var exist: Condition { related.map { .exists($0) } ?? .isMissing(property) }

  /// The number of models.
  public var count: ModelColumn<Model, Int> { column(.count, nil) }

  /// Returns the sum of a number of the models; missing if there are none.
  public func sum<V: SummableValue>(_ keyPath: KeyPath<Target, V>) -> ModelColumn<Model, V.Sum?> {
    column(.sum, keyPath)
  }

  /// Returns the sum of a number of the models; missing if there are none.
  public func sum<V: SummableValue>(_ keyPath: KeyPath<Target, V?>) -> ModelColumn<Model, V.Sum?> {
    column(.sum, keyPath)
  }

  /// Returns the mean of a number of the models; missing if there are none.
  public func average<V: SummableValue>(
    _ keyPath: KeyPath<Target, V>
  ) -> ModelColumn<Model, V.Mean?> {
    column(.average, keyPath)
  }

  /// Returns the mean of a number of the models; missing if there are none.
  public func average<V: SummableValue>(
    _ keyPath: KeyPath<Target, V?>
  ) -> ModelColumn<Model, V.Mean?> {
    column(.average, keyPath)
  }

  /// Returns the least value of a property of the models; missing if there is none.
  public func minimum<V: OrderedValue>(_ keyPath: KeyPath<Target, V>) -> ModelColumn<Model, V?> {
    column(.minimum, keyPath)
  }

  /// Returns the least value of a property of the models; missing if there is none.
  public func minimum<V: OrderedValue>(_ keyPath: KeyPath<Target, V?>) -> ModelColumn<Model, V?> {
    column(.minimum, keyPath)
  }

  /// Returns the greatest value of a property of the models; missing if there is none.
  public func maximum<V: OrderedValue>(_ keyPath: KeyPath<Target, V>) -> ModelColumn<Model, V?> {
    column(.maximum, keyPath)
  }

  /// Returns the greatest value of a property of the models; missing if there is none.
  public func maximum<V: OrderedValue>(_ keyPath: KeyPath<Target, V?>) -> ModelColumn<Model, V?> {
    column(.maximum, keyPath)
  }

  private func column<V: PropertyValue>(
    _ function: Aggregation.Function,
    _ keyPath: PartialKeyPath<Target>?
  ) -> ModelColumn<Model, V> {
    guard let related else { return ModelColumn(field: property, stored: StoredForm()) }
    let aggregation = Aggregation(function, of: keyPath.map(Target.schema.queried))
    return ModelColumn(field: .aggregate(aggregation, related), stored: StoredForm())
  }
}

/// Conditions on the models of a to-many relation.
///
/// ```swift
/// let large = Shop.where { $0.hats.count > 3 && $0.hats.exist { $0.price > 9 } }
/// ```
extension ModelColumn {
  /// Returns the models that satisfy a condition on their properties.
  public func `where`<Target>(
    _ condition: (ModelColumns<Target>) -> Condition
  ) -> RelatedModels<Model, Target> where V == Many<Target> {
    RelatedModels(link, field).where(condition)
  }

  /// There is a model that satisfies a condition.
  public func exist<Target>(
    _ condition: (ModelColumns<Target>) -> Condition = { _ in .always }
  ) -> Condition where V == Many<Target> {
    RelatedModels<Model, Target>(link, field).where(condition).exist
  }

  /// Returns the number of models.
  public func count<Target>(_ type: Target.Type = Target.self) -> ModelColumn<Model, Int>
  where V == Many<Target> {
    RelatedModels<Model, Target>(link, field).count
  }

  /// Returns all models, to compute a value of them.
  public func models<Target>(_ type: Target.Type = Target.self) -> RelatedModels<Model, Target>
  where V == Many<Target> {
    RelatedModels(link, field)
  }
}

/// Properties of a referenced model.
extension ModelColumn {
  /// Returns a property of the model that the reference names; missing if there is none.
  public subscript<Target, W>(
    dynamicMember keyPath: KeyPath<Target, W>
  ) -> ModelColumn<Model, W?> where V == Ref<Target> {
    ModelColumn<Model, W?>(
      field: target(Target.self, keyPath),
      stored: Target.schema.stored(keyPath).map(StoredForm.init(wrapping:))
    )
  }

  /// Returns a property of the model that the reference names; missing if there is none.
  public subscript<Target, W>(
    dynamicMember keyPath: KeyPath<Target, W?>
  ) -> ModelColumn<Model, W?> where V == Ref<Target> {
    ModelColumn<Model, W?>(
      field: target(Target.self, keyPath),
      stored: Target.schema.stored(keyPath)
    )
  }

  /// Returns a property of the model that the reference names; missing if there is none.
  public subscript<Target, W>(
    dynamicMember keyPath: KeyPath<Target, W>
  ) -> ModelColumn<Model, W?> where V == Ref<Target>? {
    ModelColumn<Model, W?>(
      field: target(Target.self, keyPath),
      stored: Target.schema.stored(keyPath).map(StoredForm.init(wrapping:))
    )
  }

  /// Returns a property of the model that the reference names; missing if there is none.
  public subscript<Target, W>(
    dynamicMember keyPath: KeyPath<Target, W?>
  ) -> ModelColumn<Model, W?> where V == Ref<Target>? {
    ModelColumn<Model, W?>(
      field: target(Target.self, keyPath),
      stored: Target.schema.stored(keyPath)
    )
  }

  private func target<Target: Persistable>(
    _ type: Target.Type,
    _ keyPath: PartialKeyPath<Target>
  ) -> Field {
    let related = RelatedEntities(Target.schema.query, .equal(.identifier, field))
    return .ofRelated(Target.schema.queried(keyPath), related)
  }
}

extension Schema {
  /// Returns how a to-many relation finds its models, or nil if the property is none.
  func link(_ keyPath: AnyKeyPath, in joinedType: EntityType?) -> RelatedEntities.Link? {
    guard let relation = field(keyPath)?.relation, relation.isToMany else { return nil }
    let own: Field = joinedType.map { .of($0, .identifier) } ?? .identifier
    if let inverse = relation.inverseColumn { return .equal(inverse.field, own) }
    return .elements(of: own, relation.names)
  }
}

extension TypedQuery {
  /// Returns the query with a further sort criterion: a property of the model that a reference
  /// names. Models without one come first.
  ///
  /// ```swift
  /// let hats = Hat.all.order(by: \.shop, \.name)
  /// ```
  public func order<Target, W>(
    by reference: KeyPath<Model, Ref<Target>?>,
    _ keyPath: KeyPath<Target, W>,
    descending isDescending: Bool = false
  ) -> TypedQuery {
    ordered(by: Model.schema.queried(reference), Target.self, keyPath, isDescending)
  }

  /// Returns the query with a further sort criterion: a property of the model that a reference
  /// names.
  public func order<Target, W>(
    by reference: KeyPath<Model, Ref<Target>>,
    _ keyPath: KeyPath<Target, W>,
    descending isDescending: Bool = false
  ) -> TypedQuery {
    ordered(by: Model.schema.queried(reference), Target.self, keyPath, isDescending)
  }

  private func ordered<Target: Persistable>(
    by reference: Field,
    _ type: Target.Type,
    _ keyPath: PartialKeyPath<Target>,
    _ isDescending: Bool
  ) -> TypedQuery {
    let related = RelatedEntities(Target.schema.query, .equal(.identifier, reference))
    let field = Field.ofRelated(Target.schema.queried(keyPath), related)
    return with(untyped.order(by: field, descending: isDescending))
  }
}
