import Foundation
import VarveCore

/// A property of a model in its schema: the stored name, and the key path in the model.
///
/// ```swift
/// SchemaField("color", \.color, .length(1...40), .unique)
/// ```
public struct SchemaField<Model: Persistable>: Sendable {
  let name: String
  let keyPath: any PartialKeyPath<Model> & Sendable
  let options: [FieldOption]
  /// The form in which values of the property's type are stored.
  let form: PropertyForm
  /// Whether the property is a ``Ref`` or a ``Many``.
  let isRelation: Bool
  /// Rounds a value to the property's type, if that type rounds.
  let nearest: (@Sendable (Value) -> Value)?
  /// Returns the number of elements of a collection, or nil for any other property.
  let count: (@Sendable (Model) -> Int?)?
  /// Returns the property's value in a model, or nil if it is stored elsewhere.
  let value: @Sendable (Model) throws -> Value?
  /// The date property that saving sets, if it is one.
  let date: DateProperty<Model>?
  /// The relation, if the property is one.
  let relation: ModelRelation<Model>?
  /// The ``StoredForm`` of the property's type; nil for a to-many relation, which has no column.
  let stored: (any Sendable)?

  /// Creates a property of any type.
  ///
  /// - Parameter stored: how its values are stored; nil for a to-many relation.
  init<V: Sendable>(
    _ name: String,
    of keyPath: any KeyPath<Model, V> & Sendable,
    _ options: [FieldOption],
    _ stored: StoredForm<V>?
  ) {
    self.name = name
    self.keyPath = keyPath
    self.options = options
    self.stored = stored
    isRelation = V.self is any RelationProperty.Type
    form = PropertyForm(of: V.self)
    if V.self is any FloatingValue.Type {
      nearest = { value in Self.nearest(to: value, of: V.self) }
    } else {
      nearest = nil
    }
    if form == .collection {
      count = { model in Self.count(of: model[keyPath: keyPath]) }
    } else {
      count = nil
    }
    date = DateProperty(keyPath)
    relation = (V.self as? any RelationProperty.Type).flatMap { type in
      Self.relation(type, name, keyPath, options)
    }
    value = { try stored?.value($0[keyPath: keyPath]) }
  }

  private static func nearest(to value: Value, of type: Any.Type) -> Value {
    (type as? any FloatingValue.Type)?.nearest(to: value) ?? value
  }

  private static func count(of value: Any) -> Int? { (value as? any Collection)?.count }

  private static func relation<R: RelationProperty>(
    _ type: R.Type,
    _ name: String,
    _ keyPath: AnyKeyPath,
    _ options: [FieldOption]
  ) -> ModelRelation<Model>? {
    guard let path = keyPath as? WritableKeyPath<Model, R> else { return nil }
    return R.relation(name, PropertyPath(path), options.relation, older: options.older)
  }

  /// Whether the property has a column. A to-many relation has none.
  var isColumn: Bool { relation?.isToMany != true }

  /// Returns whether an option satisfies a predicate.
  func has(_ predicate: (FieldOption.Content) -> Bool) -> Bool {
    options.contains { predicate($0.content) }
  }

  var isUnique: Bool { has { if case .unique = $0 { true } else { false } } }
  var isSearchable: Bool { tokenizer != nil }
  /// The tokenizer, if the property is searchable.
  var tokenizer: SearchTokenizer? {
    for case .searchable(let tokenizer) in options.map(\.content) { return tokenizer }
    return nil
  }
  var isCreationDate: Bool { has { if case .createdAt = $0 { true } else { false } } }
  var isSavingDate: Bool { has { if case .updatedAt = $0 { true } else { false } } }
  var wantsIndex: Bool { isUnique || has { if case .index = $0 { true } else { false } } }

  /// Whether the property is a relation that cannot be set.
  var isConstantRelation: Bool { isRelation && relation == nil }

  /// The field of the property in queries.
  var field: Field { form == .decimal ? .decimal(column.field) : column.field }

  /// The column by which rows are read.
  var column: RowShape.Column {
    var column = RowShape.Column(PropertyKey(name), older: options.older)
    for option in options {
      switch option.content {
      case .converted(let convert): column.convert = convert
      default: break
      }
    }
    return column
  }
}

/// A check that a schema makes of a property.
struct SchemaCheck<Model: Persistable>: Sendable {
  let check: @Sendable (Validation, Model) throws -> Validation
}

/// The key path of a property.
struct PropertyPath<Model, V>: @unchecked Sendable {
  private let path: WritableKeyPath<Model, V>

  init(_ path: WritableKeyPath<Model, V>) { self.path = path }

  func value(in model: Model) -> V { model[keyPath: path] }

  func set(_ value: V, in model: inout Model) { model[keyPath: path] = value }
}

/// The key path of a date that saving sets.
enum DateProperty<Model: Persistable>: Sendable {
  case optional(PropertyPath<Model, Date?>)
  case required(PropertyPath<Model, Date>)

  init?(_ keyPath: AnyKeyPath) {
    if let path = keyPath as? WritableKeyPath<Model, Date?> {
      self = .optional(PropertyPath(path))
    } else if let path = keyPath as? WritableKeyPath<Model, Date> {
      self = .required(PropertyPath(path))
    } else {
      return nil
    }
  }

  func isMissing(in model: Model) -> Bool {
    guard case .optional(let path) = self else { return false }
    return path.value(in: model) == nil
  }

  var isRequired: Bool { if case .required = self { true } else { false } }

  /// Sets the date. A non-optional date is not set to nil.
  func set(_ date: Date?, in model: inout Model) {
    switch self {
    case .optional(let path): path.set(date, in: &model)
    case .required(let path): if let date { path.set(date, in: &model) }
    }
  }
}

extension [FieldOption] {
  /// The former names of the property, newest first.
  var older: [PropertyKey] {
    flatMap { option in
      if case .renamed(let names) = option.content { names } else { [PropertyKey]() }
    }
  }

  /// The relation option, the last of several.
  var relation: RelationOption {
    reduce(RelationOption()) { relation, option in
      if case .relation(let said) = option.content { said } else { relation }
    }
  }
}
