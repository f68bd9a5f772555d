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
  ///   - options: rules, index and the like.
  public init<V: Sendable>(
    _ name: String,
    _ keyPath: any KeyPath<Model, V> & Sendable,
    _ options: FieldOption...
  ) {
    self.name = name
    self.keyPath = keyPath
    self.options = options
    date = DateProperty(keyPath)
    relation = (V.self as? any RelationProperty.Type).flatMap { type in
      Self.relation(type, name, keyPath, options)
    }
    let isColumn = relation?.isToMany != true
    value = { isColumn ? try StoredForm.value(of: $0[keyPath: keyPath]) : nil }
  }

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

  /// What it demands.
  var checks: [SchemaCheck<Model>] {
    options.compactMap { option in
      guard case .check(let check) = option.content else { return nil }
      return SchemaCheck { [name, value] in try check($0, name, try value($1)) }
    }
  }

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

  func set(_ date: Date, in model: inout Model) {
    switch self {
    case .optional(let path): path.set(date, in: &model)
    case .required(let path): path.set(date, in: &model)
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
