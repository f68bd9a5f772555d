import Foundation
import VarveCore

/// One property of a model in its schema: the name it is stored under, and where the model has it.
///
/// ```swift
/// SchemaField("color", \.color, .length(1...40), .unique)
/// ```
public struct SchemaField<Model: Persistable>: Sendable {
  let name: String
  let keyPath: any PartialKeyPath<Model> & Sendable
  let options: [FieldOption]
  /// What the property's type is stored as.
  let form: PropertyForm
  /// Whether it is a ``Ref`` or a ``Many``.
  let isRelation: Bool
  /// The value nearest to another one, of a type that rounds.
  let nearest: (@Sendable (Value) -> Value)?
  /// How many elements a model has in it; nil of what is no collection.
  let count: (@Sendable (Model) -> Int?)?
  /// The property's value in a model; nothing where it is stored elsewhere.
  let value: @Sendable (Model) throws -> Value?
  /// How it is set by saving, where it is a date.
  let date: DateProperty<Model>?
  /// What it relates, where it is a relation.
  let relation: ModelRelation<Model>?

  /// A property. One of type ``Ref`` or ``Many`` is a relation.
  ///
  /// - Parameters:
  ///   - name: the name it is stored under.
  ///   - keyPath: where the model has it.
  ///   - options: rules, index and the like. With one that is not for the property's type, saving and
  ///     looking for issues throw `invalidArgument`.
  public init<V: Sendable>(
    _ name: String,
    _ keyPath: any KeyPath<Model, V> & Sendable,
    _ options: FieldOption...
  ) {
    self.name = name
    self.keyPath = keyPath
    self.options = options
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
    let isColumn = relation?.isToMany != true
    value = { isColumn ? try StoredForm.value(of: $0[keyPath: keyPath]) : nil }
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

  /// Whether it has a column; a relation to many has none.
  var isColumn: Bool { relation?.isToMany != true }

  /// Whether an option is such a one.
  func has(_ predicate: (FieldOption.Content) -> Bool) -> Bool {
    options.contains { predicate($0.content) }
  }

  var isUnique: Bool { has { if case .unique = $0 { true } else { false } } }
  var isSearchable: Bool { has { if case .searchable = $0 { true } else { false } } }
  var isCreationDate: Bool { has { if case .createdAt = $0 { true } else { false } } }
  var isSavingDate: Bool { has { if case .updatedAt = $0 { true } else { false } } }
  var wantsIndex: Bool { isUnique || has { if case .index = $0 { true } else { false } } }

  /// Whether it is a relation that cannot be set.
  var isConstantRelation: Bool { isRelation && relation == nil }

  /// What queries call it.
  var field: Field { form == .decimal ? .decimal(column.field) : column.field }

  /// How rows are read.
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

/// Something a schema demands of a property.
struct SchemaCheck<Model: Persistable>: Sendable {
  let check: @Sendable (Validation, Model) throws -> Validation
}

/// Where a model has a property.
///
/// `@unchecked Sendable`: the key path is a literal of a stored property, which nothing changes.
struct PropertyPath<Model, V>: @unchecked Sendable {
  private let path: WritableKeyPath<Model, V>

  init(_ path: WritableKeyPath<Model, V>) { self.path = path }

  func value(in model: Model) -> V { model[keyPath: path] }

  func set(_ value: V, in model: inout Model) { model[keyPath: path] = value }
}

/// Where a model has a date that saving sets.
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

  /// Sets it; nothing is set of one that must be there.
  func set(_ date: Date?, in model: inout Model) {
    switch self {
    case .optional(let path): path.set(date, in: &model)
    case .required(let path): if let date { path.set(date, in: &model) }
    }
  }
}

extension [FieldOption] {
  /// What the property was called before, newest first.
  var older: [PropertyKey] {
    flatMap { option in
      if case .renamed(let names) = option.content { names } else { [PropertyKey]() }
    }
  }

  /// What they say of a relation; the last counts.
  var relation: RelationOption {
    reduce(RelationOption()) { relation, option in
      if case .relation(let said) = option.content { said } else { relation }
    }
  }
}
