public import VarveCore

/// The properties of a model in a condition: `$0.color == "red"`.
@dynamicMemberLookup
public struct ModelColumns<Model: Persistable> {
  /// The joined type, or nil if the properties belong to the query's own type.
  private let joinedType: EntityType?

  init(of joinedType: EntityType? = nil) { self.joinedType = joinedType }

  /// Returns a property.
  public subscript<V>(dynamicMember keyPath: KeyPath<Model, V>) -> ModelColumn<Model, V> {
    let field = Model.schema.queried(keyPath)
    return ModelColumn(
      field: joinedType.map { .of($0, field) } ?? field,
      stored: Model.schema.stored(keyPath),
      link: Model.schema.link(keyPath, in: joinedType)
    )
  }
}

/// A property of a model in a condition. A property of a referenced model is one of the reference:
/// `$0.shop.name`.
@dynamicMemberLookup
public struct ModelColumn<Model: Persistable, V> {
  /// The property as an untyped field.
  public let field: Field
  /// How its values are stored; nil if the model does not store it in a column, in which case the
  /// query is refused.
  let stored: StoredForm<V>?
  /// How a to-many relation finds its models.
  var link: RelatedEntities.Link?

  /// Returns a value in the form it has in a condition. An identifier of the entity itself is a
  /// text.
  private func bound(_ value: V) -> Value? {
    guard let bound = try? stored?.value(value) else { return nil }
    guard case .reference(let id) = bound, field.isIdentifier else { return bound }
    return .string(id.text)
  }

  /// Compares the property with a value. Of a value that cannot be stored no comparison holds.
  fileprivate func compare(_ comparison: Comparison, _ value: V) -> Condition {
    guard stored != nil else { return .isMissing(field) }
    if let bound = bound(value) { return .compare(field, comparison, bound) }
    guard isNothing(value) else {
      return comparison == .notEqual ? .not(.isMissing(field)) : .or([])
    }
    switch comparison {
    case .equal: return .isMissing(field)
    case .notEqual: return .not(.isMissing(field))
    default: return .or([])
    }
  }

  private func isNothing(_ value: V) -> Bool {
    guard let stored else { return true }
    return (try? stored.value(value)) == .some(.none)
  }

  /// The property equals one of the values, or is missing if nil is among them.
  ///
  /// The negation does not hold for a missing property either: `!$0.cost.isIn([])` finds the rows
  /// with a cost.
  public func isIn(_ values: some Sequence<V>) -> Condition {
    let values = Array(values)
    let isOne = Condition.isIn(field, values.compactMap(bound))
    return values.contains(where: isNothing) ? isOne || .isMissing(field) : isOne
  }

  /// The property is missing.
  public var isMissing: Condition { .isMissing(field) }

  /// The property equals the value, or is missing if the value is nil. It never equals a value that
  /// cannot be stored.
  public static func == (column: ModelColumn, value: V) -> Condition {
    column.compare(.equal, value)
  }
  /// The property has another value, or any value if the value is nil. A missing property has no
  /// other value: `$0.cost != 4 || $0.cost.isMissing` includes it.
  public static func != (column: ModelColumn, value: V) -> Condition {
    column.compare(.notEqual, value)
  }
}

extension ModelColumn where V: OrderedValue {
  /// The property is less than a value.
  public static func < (column: ModelColumn, value: V) -> Condition { column.compare(.less, value) }
  /// The property is at most a value.
  public static func <= (column: ModelColumn, value: V) -> Condition {
    column.compare(.lessOrEqual, value)
  }
  /// The property is greater than a value.
  public static func > (column: ModelColumn, value: V) -> Condition {
    column.compare(.greater, value)
  }
  /// The property is at least a value.
  public static func >= (column: ModelColumn, value: V) -> Condition {
    column.compare(.greaterOrEqual, value)
  }

  /// The property is within a range.
  public func between(_ range: ClosedRange<V>) -> Condition {
    compare(.greaterOrEqual, range.lowerBound) && compare(.lessOrEqual, range.upperBound)
  }
}

extension ModelColumn {
  /// The property is less than a value.
  public static func < <W: OrderedValue>(column: ModelColumn, value: W) -> Condition where V == W? {
    column.compare(.less, value)
  }
  /// The property is at most a value.
  public static func <= <W: OrderedValue>(column: ModelColumn, value: W) -> Condition
  where V == W? {
    column.compare(.lessOrEqual, value)
  }
  /// The property is greater than a value.
  public static func > <W: OrderedValue>(column: ModelColumn, value: W) -> Condition where V == W? {
    column.compare(.greater, value)
  }
  /// The property is at least a value.
  public static func >= <W: OrderedValue>(column: ModelColumn, value: W) -> Condition
  where V == W? {
    column.compare(.greaterOrEqual, value)
  }

  /// The property is within a range.
  public func between<W: OrderedValue>(_ range: ClosedRange<W>) -> Condition where V == W? {
    compare(.greaterOrEqual, range.lowerBound) && compare(.lessOrEqual, range.upperBound)
  }

  /// The reference has this identifier.
  public static func == <Target>(
    column: ModelColumn,
    id: Identifier<Target>
  ) -> Condition where V == Ref<Target>? {
    column.compare(.equal, Ref(id))
  }

  /// The reference has this identifier.
  public static func == <Target>(
    column: ModelColumn,
    id: Identifier<Target>
  ) -> Condition where V == Ref<Target> {
    column.compare(.equal, Ref(id))
  }
}

/// Conditions on texts.
extension ModelColumn where V == String {
  /// The text begins with another, byte by byte.
  public func hasPrefix(_ text: String) -> Condition { .hasPrefix(field, text) }
  /// The text contains another, byte by byte.
  public func contains(_ text: String) -> Condition { .contains(field, text) }
}

/// Conditions on optional texts.
extension ModelColumn where V == String? {
  /// The text begins with another, byte by byte.
  public func hasPrefix(_ text: String) -> Condition { .hasPrefix(field, text) }
  /// The text contains another, byte by byte.
  public func contains(_ text: String) -> Condition { .contains(field, text) }
}
