public import Foundation
import VarveCore

/// One property of a model in its schema: the name it is stored under, and where the model has it.
///
/// ```swift
/// SchemaField("color", \.color, .length(1...40), .unique)
/// ```
public struct SchemaField<Model: Persistable>: Sendable {
  let name: String
  let keyPath: PartialKeyPath<Model> & Sendable
  let options: [FieldOption]
  /// The property's value in a model; nothing where it is stored elsewhere.
  let value: @Sendable (Model) throws -> Value?
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
    _ keyPath: KeyPath<Model, V> & Sendable,
    _ options: FieldOption...
  ) {
    self.init(name, keyPath, options, relation: nil)
  }

  /// A reference that may be nothing.
  public init<Target>(
    _ name: String,
    _ keyPath: WritableKeyPath<Model, Ref<Target>?> & Sendable,
    _ options: FieldOption...
  ) {
    let relation = ModelRelation.toOne(name, keyPath, options.relation)
    self.init(name, keyPath, options, relation: relation)
  }

  /// A reference.
  public init<Target>(
    _ name: String,
    _ keyPath: WritableKeyPath<Model, Ref<Target>> & Sendable,
    _ options: FieldOption...
  ) {
    let relation = ModelRelation.toOne(name, keyPath, options.relation)
    self.init(name, keyPath, options, relation: relation)
  }

  /// A relation to many.
  public init<Target>(
    _ name: String,
    _ keyPath: WritableKeyPath<Model, Many<Target>> & Sendable,
    _ options: FieldOption...
  ) {
    self.name = name
    self.keyPath = keyPath
    self.options = options
    value = { _ in nil }
    relation = .toMany(name, keyPath, options.relation)
    isColumn = false
  }

  private init<V: Sendable>(
    _ name: String,
    _ keyPath: KeyPath<Model, V> & Sendable,
    _ options: [FieldOption],
    relation: ModelRelation<Model>?
  ) {
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

  /// Where a date of the model is set by saving.
  func date(_ role: (FieldOption.Content) -> Bool) -> DateProperty<Model>? {
    guard has(role) else { return nil }
    if let path = keyPath as? WritableKeyPath<Model, Date?> & Sendable { return .optional(path) }
    if let path = keyPath as? WritableKeyPath<Model, Date> & Sendable { return .required(path) }
    return nil
  }
}

/// A date of a model that saving sets.
enum DateProperty<Model: Persistable>: Sendable {
  case optional(WritableKeyPath<Model, Date?> & Sendable)
  case required(WritableKeyPath<Model, Date> & Sendable)

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
