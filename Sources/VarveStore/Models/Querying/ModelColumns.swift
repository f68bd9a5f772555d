public import VarveCore

/// The properties of a model, as conditions name them: `$0.color == "red"`.
@dynamicMemberLookup
public struct ModelColumns<Model: Persistable> {
  /// The type they are joined as; nil where they are the query's own.
  private let joinedType: EntityType?

  init(of joinedType: EntityType? = nil) { self.joinedType = joinedType }

  /// A property.
  public subscript<V>(dynamicMember keyPath: KeyPath<Model, V>) -> ModelColumn<Model, V> {
    let field = Model.schema.queried(keyPath)
    return ModelColumn(field: joinedType.map { .joined($0, field) } ?? field)
  }
}

/// A property of a model in a condition.
public struct ModelColumn<Model: Persistable, V> {
  /// The same without types.
  public let field: Field

  /// The value as a condition has it: identifiers of the entity itself are texts.
  private func bound<W>(_ value: W) -> Value? {
    guard let stored = try? StoredForm.value(of: value) else { return nil }
    guard case .reference(let id) = stored, field.isIdentifier else { return stored }
    return .string(id.text)
  }

  /// The property equals a value; or, of nil, is missing. Of a value that cannot be stored, never.
  public func eq(_ value: V) -> Condition { compare(.equal, value) }
  /// The property has another value; or, of nil, has one.
  public func ne(_ value: V) -> Condition { compare(.notEqual, value) }
  /// The property is less than a value.
  public func lt(_ value: V) -> Condition { compare(.less, value) }
  /// The property is at most a value.
  public func le(_ value: V) -> Condition { compare(.lessOrEqual, value) }
  /// The property is greater than a value.
  public func gt(_ value: V) -> Condition { compare(.greater, value) }
  /// The property is at least a value.
  public func ge(_ value: V) -> Condition { compare(.greaterOrEqual, value) }

  private func compare<W>(_ comparison: Comparison, _ value: W) -> Condition {
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

  private func isNothing<W>(_ value: W) -> Bool {
    (try? StoredForm.value(of: value)) == .some(.none)
  }

  /// The property equals one of some values; or, where nil is among them, is missing.
  public func isIn(_ values: some Sequence<V>) -> Condition {
    let values = Array(values)
    let isOne = Condition.isIn(field, values.compactMap(bound))
    return values.contains(where: isNothing) ? isOne || .isMissing(field) : isOne
  }

  /// The property is missing.
  public var isMissing: Condition { .isMissing(field) }

  /// The property equals a value; or, of nil, is missing.
  public static func == (column: ModelColumn, value: V) -> Condition { column.eq(value) }
  /// The property has another value; or, of nil, has one.
  public static func != (column: ModelColumn, value: V) -> Condition { column.ne(value) }
}

extension ModelColumn where V: OrderedValue {
  /// The property is less than a value.
  public static func < (column: ModelColumn, value: V) -> Condition { column.lt(value) }
  /// The property is at most a value.
  public static func <= (column: ModelColumn, value: V) -> Condition { column.le(value) }
  /// The property is greater than a value.
  public static func > (column: ModelColumn, value: V) -> Condition { column.gt(value) }
  /// The property is at least a value.
  public static func >= (column: ModelColumn, value: V) -> Condition { column.ge(value) }

  /// The property lies in a range.
  public func between(_ range: ClosedRange<V>) -> Condition {
    ge(range.lowerBound) && le(range.upperBound)
  }
}

extension ModelColumn {
  /// The property is less than a value.
  public static func < <W: OrderedValue>(column: ModelColumn, value: W) -> Condition where V == W? {
    column.lt(value)
  }
  /// The property is at most a value.
  public static func <= <W: OrderedValue>(column: ModelColumn, value: W) -> Condition
  where V == W? {
    column.le(value)
  }
  /// The property is greater than a value.
  public static func > <W: OrderedValue>(column: ModelColumn, value: W) -> Condition where V == W? {
    column.gt(value)
  }
  /// The property is at least a value.
  public static func >= <W: OrderedValue>(column: ModelColumn, value: W) -> Condition
  where V == W? {
    column.ge(value)
  }

  /// The property lies in a range.
  public func between<W: OrderedValue>(_ range: ClosedRange<W>) -> Condition where V == W? {
    ge(range.lowerBound) && le(range.upperBound)
  }

  /// The reference names this.
  public static func == <Target>(
    column: ModelColumn,
    id: Identifier<Target>
  ) -> Condition where V == Ref<Target>? {
    column.eq(Ref(id))
  }

  /// The reference names this.
  public static func == <Target>(
    column: ModelColumn,
    id: Identifier<Target>
  ) -> Condition where V == Ref<Target> {
    column.eq(Ref(id))
  }
}

/// Conditions on texts.
extension ModelColumn where V == String {
  /// The text begins so, byte by byte.
  public func hasPrefix(_ text: String) -> Condition { .hasPrefix(field, text) }
  /// The text contains this, byte by byte.
  public func contains(_ text: String) -> Condition { .contains(field, text) }
}

/// Conditions on texts that may be missing.
extension ModelColumn where V == String? {
  /// The text begins so, byte by byte.
  public func hasPrefix(_ text: String) -> Condition { .hasPrefix(field, text) }
  /// The text contains this, byte by byte.
  public func contains(_ text: String) -> Condition { .contains(field, text) }
}

extension Field {
  fileprivate var isIdentifier: Bool {
    switch self {
    case .identifier: true
    case .joined(_, let inner): inner.isIdentifier
    default: false
    }
  }
}
