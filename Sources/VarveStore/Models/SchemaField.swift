public import Foundation
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
  /// Whether it has a column; a relation to many has none.
  let isColumn: Bool

  /// A property.
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
    self.init(name, keyPath, all: options)
  }

  /// A date that may be nothing.
  public init(
    _ name: String,
    _ keyPath: any WritableKeyPath<Model, Date?> & Sendable,
    _ options: FieldOption...
  ) {
    self.init(name, keyPath, all: options, date: .optional(keyPath))
  }

  /// A date.
  public init(
    _ name: String,
    _ keyPath: any WritableKeyPath<Model, Date> & Sendable,
    _ options: FieldOption...
  ) {
    self.init(name, keyPath, all: options, date: .required(keyPath))
  }

  /// A reference that may be nothing.
  public init<Target>(
    _ name: String,
    _ keyPath: any WritableKeyPath<Model, Ref<Target>?> & Sendable,
    _ options: FieldOption...
  ) {
    let relation = ModelRelation.toOne(name, keyPath, options.relation)
    self.init(name, keyPath, all: options, relation: relation)
  }

  /// A reference.
  public init<Target>(
    _ name: String,
    _ keyPath: any WritableKeyPath<Model, Ref<Target>> & Sendable,
    _ options: FieldOption...
  ) {
    let relation = ModelRelation.toOne(name, keyPath, options.relation)
    self.init(name, keyPath, all: options, relation: relation)
  }

  /// A relation to many.
  public init<Target>(
    _ name: String,
    _ keyPath: any WritableKeyPath<Model, Many<Target>> & Sendable,
    _ options: FieldOption...
  ) {
    self.name = name
    self.keyPath = keyPath
    self.options = options
    value = { _ in nil }
    date = nil
    relation = .toMany(name, keyPath, options.relation)
    isColumn = false
  }

  private init<V: Sendable>(
    _ name: String,
    _ keyPath: any KeyPath<Model, V> & Sendable,
    all options: [FieldOption],
    date: DateProperty<Model>? = nil,
    relation: ModelRelation<Model>? = nil
  ) {
    self.date = date
    self.name = name
    self.keyPath = keyPath
    self.options = options
    value = { try StoredForm.value(of: $0[keyPath: keyPath]) }
    self.relation = relation
    isColumn = true
  }

  /// Whether an option is such a one.
  func has(_ predicate: (FieldOption.Content) -> Bool) -> Bool {
    options.contains { predicate($0.content) }
  }

  var isUnique: Bool { has { if case .unique = $0 { true } else { false } } }
  var isSearchable: Bool { has { if case .searchable = $0 { true } else { false } } }
  var wantsIndex: Bool {
    has {
      switch $0 {
      case .unique, .index: true
      default: false
      }
    }
  }

  /// How rows are read.
  var column: RowShape.Column {
    var column = RowShape.Column(PropertyKey(name))
    for option in options {
      switch option.content {
      case .renamed(let names): column.older += names
      case .converted(let convert): column.convert = convert
      default: break
      }
    }
    return column
  }

  var isCreationDate: Bool { has { if case .createdAt = $0 { true } else { false } } }
  var isSavingDate: Bool { has { if case .updatedAt = $0 { true } else { false } } }
}

/// Where a model has a date that saving sets.
enum DateProperty<Model: Persistable>: Sendable {
  case optional(any WritableKeyPath<Model, Date?> & Sendable)
  case required(any WritableKeyPath<Model, Date> & Sendable)

  func isMissing(in model: Model) -> Bool {
    guard case .optional(let path) = self else { return false }
    return model[keyPath: path] == nil
  }

  func set(_ date: Date, in model: inout Model) {
    switch self {
    case .optional(let path): model[keyPath: path] = date
    case .required(let path): model[keyPath: path] = date
    }
  }
}

extension [FieldOption] {
  /// What they say of a relation; the last counts.
  var relation: RelationOption {
    reduce(RelationOption()) { relation, option in
      if case .relation(let said) = option.content { said } else { relation }
    }
  }
}
