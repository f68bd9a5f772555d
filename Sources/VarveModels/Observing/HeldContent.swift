import VarveCore

/// Compares the content of models, independently of their `==`.
enum HeldContent {
  /// Returns whether two values are equal; models are compared by their stored properties.
  static func isSame<V: Equatable>(_ one: V, _ other: V) -> Bool {
    if let model = one as? any Persistable { return model.holdsSame(as: other) }
    guard let models = one as? [any Persistable], let others = other as? [any Persistable] else {
      return one == other
    }
    return models.count == others.count
      && zip(models, others).allSatisfy { $0.holdsSame(as: $1) }
  }
}

extension Persistable {
  /// Returns whether another value is the same model with the same content.
  fileprivate func holdsSame(as other: Any) -> Bool {
    (other as? Self).map { Self.schema.holdsSame(self, $0) } ?? false
  }
}

extension Schema {
  /// Returns whether two models have the same identifier, the same stored properties and the same
  /// loaded relations.
  func holdsSame(_ one: Model, _ other: Model) -> Bool {
    one.id == other.id
      && fields.allSatisfy { field in
        if let relation = field.relation { return relation.holdsSame(one, other) }
        return (try? field.value(one)) == (try? field.value(other))
      }
  }
}

extension Schema {
  /// Returns whether two lists have the same models with the same content, in the same order.
  @Sendable
  func holdSame(_ some: [Model], _ others: [Model]) -> Bool {
    some.count == others.count && zip(some, others).allSatisfy { holdsSame($0, $1) }
  }
}

extension Ref {
  /// Returns whether both have the same identifier and the same loaded target.
  func holdsSame(_ other: Ref) -> Bool {
    guard id == other.id else { return false }
    switch (loaded, other.loaded) {
    case (nil, nil): return true
    case (let one?, let other?): return Target.schema.holdsSame(one, other)
    default: return false
    }
  }
}

extension Many {
  /// Returns whether both have the same identifiers and the same loaded targets.
  func holdsSame(_ other: Many) -> Bool {
    guard ids == other.ids else { return false }
    switch (loaded, other.loaded) {
    case (nil, nil): return true
    case (let some?, let others?):
      return zip(some, others).allSatisfy { Target.schema.holdsSame($0, $1) }
    default: return false
    }
  }
}
