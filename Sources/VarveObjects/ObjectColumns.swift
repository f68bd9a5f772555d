import Foundation
public import VarveCore
public import VarveModels

/// The properties of a class in a condition: `$0.side > 10`.
///
/// A class with `@Entity(kind:)` names its stored properties, and those of its superclasses.
@dynamicMemberLookup
public struct ObjectColumns<Object: StoredObject> {
  private let names = Object.storedProperties

  /// Returns a property. One that is not stored throws `unknownProperty` when the query runs.
  public subscript<V>(dynamicMember keyPath: KeyPath<Object, V>) -> ObjectColumn<V> {
    ObjectColumn(field: field(keyPath, V.self))
  }

  func field<V>(_ keyPath: KeyPath<Object, V>, _ type: V.Type) -> Field {
    guard let name = names[keyPath] else { return .property(PropertyKey("\(keyPath)")) }
    guard !name.text.isEmpty else { return .identifier }
    return PropertyForm(of: type) == .decimal ? .decimal(.property(name)) : .property(name)
  }

  /// The names that queries may use.
  var known: Set<PropertyKey> { Set(names.values.filter { !$0.text.isEmpty }) }
}

/// A property of a class in a condition.
public struct ObjectColumn<V> {
  /// The property as an untyped field.
  public let field: Field

  private func bound<W>(_ value: W) -> Value? {
    guard let stored = try? DynamicForm.value(of: value) else { return nil }
    guard case .reference(let id) = stored, field == .identifier else { return stored }
    return .string(id.text)
  }

  private func compare<W>(_ comparison: Comparison, _ value: W) -> Condition {
    if let bound = bound(value) { return .compare(field, comparison, bound) }
    guard (try? DynamicForm.value(of: value)) == .some(.none) else {
      return comparison == .notEqual ? .not(.isMissing(field)) : .or([])
    }
    switch comparison {
    case .equal: return .isMissing(field)
    case .notEqual: return .not(.isMissing(field))
    default: return .or([])
    }
  }

  /// The property equals the value, or is missing if the value is nil. It never equals a value that
  /// cannot be stored.
  public static func == (column: ObjectColumn, value: V) -> Condition {
    column.compare(.equal, value)
  }

  /// The property has another value, or any value if the value is nil.
  public static func != (column: ObjectColumn, value: V) -> Condition {
    column.compare(.notEqual, value)
  }

  /// The property equals one of the values.
  public func isIn(_ values: some Sequence<V>) -> Condition {
    .or(values.map { compare(.equal, $0) })
  }

  /// The property is missing.
  public var isMissing: Condition { .isMissing(field) }
}

/// Comparisons of values with an order.
extension ObjectColumn where V: OrderedValue {
  /// The property is less than a value.
  public static func < (column: ObjectColumn, value: V) -> Condition {
    column.compare(.less, value)
  }
  /// The property is at most a value.
  public static func <= (column: ObjectColumn, value: V) -> Condition {
    column.compare(.lessOrEqual, value)
  }
  /// The property is greater than a value.
  public static func > (column: ObjectColumn, value: V) -> Condition {
    column.compare(.greater, value)
  }
  /// The property is at least a value.
  public static func >= (column: ObjectColumn, value: V) -> Condition {
    column.compare(.greaterOrEqual, value)
  }
  /// The property is within a range.
  public func between(_ range: ClosedRange<V>) -> Condition {
    compare(.greaterOrEqual, range.lowerBound) && compare(.lessOrEqual, range.upperBound)
  }
}

/// Comparisons of optional values with an order.
extension ObjectColumn {
  /// The property is less than a value.
  public static func < <W: OrderedValue>(column: ObjectColumn, value: W) -> Condition
  where V == W? { column.compare(.less, value) }
  /// The property is at most a value.
  public static func <= <W: OrderedValue>(column: ObjectColumn, value: W) -> Condition
  where V == W? { column.compare(.lessOrEqual, value) }
  /// The property is greater than a value.
  public static func > <W: OrderedValue>(column: ObjectColumn, value: W) -> Condition
  where V == W? { column.compare(.greater, value) }
  /// The property is at least a value.
  public static func >= <W: OrderedValue>(column: ObjectColumn, value: W) -> Condition
  where V == W? { column.compare(.greaterOrEqual, value) }
}

/// Conditions on texts.
extension ObjectColumn where V == String {
  /// The text begins with another, byte by byte.
  public func hasPrefix(_ text: String) -> Condition { .hasPrefix(field, text) }
  /// The text contains another, byte by byte.
  public func contains(_ text: String) -> Condition { .contains(field, text) }
}

/// Conditions on optional texts.
extension ObjectColumn where V == String? {
  /// The text begins with another, byte by byte.
  public func hasPrefix(_ text: String) -> Condition { .hasPrefix(field, text) }
  /// The text contains another, byte by byte.
  public func contains(_ text: String) -> Condition { .contains(field, text) }
}

/// Conditions on links.
extension ObjectColumn where V: SingleLink {
  /// The link leads to an object.
  public static func == (column: ObjectColumn, object: any StoredObject) -> Condition {
    .compare(column.field, .equal, .reference(object.id))
  }
}

/// A ``Child`` or a ``Lazy``, or an optional one.
public protocol SingleLink {}

extension Child: SingleLink {}
extension Lazy: SingleLink {}
extension Optional: SingleLink where Wrapped: SingleLink {}
