package import Foundation
package import VarveCore
package import VarveEntities

/// The rules of a model, for imports, which write its entities without the model.
package struct ModelRules: Sendable {
  /// The result of applying a model's rules to an entity.
  package struct Verdict: Sendable {
    /// The defaults of missing properties.
    package var defaults: [PropertyKey: Value] = [:]
    /// The violated rules, including those that make the entity unreadable as the model.
    package var violations: [ValidationError] = []
    /// Whether the entity cannot be read as the model, so that fetches omit it.
    package var isUnreadable = false
  }

  /// The type of the entities.
  package let type: EntityType
  /// The name of the model in messages.
  package let model: String
  /// The properties of the model that have a column.
  package let keys: [PropertyKey]
  /// The property with the date of creation.
  package let creationKey: PropertyKey?
  /// The property with the date of the last change.
  package let changeKey: PropertyKey?
  /// The lists of properties whose values must be unique together.
  package let uniques: [[PropertyKey]]
  private let judge: @Sendable (StoredEntity) throws -> Verdict

  /// Creates the rules of a model for one of its type labels.
  init<Model: Persistable>(of model: Model.Type, as type: EntityType) {
    let schema = Model.schema
    self.type = type
    self.model = schema.model
    keys = schema.keys
    creationKey = schema.creationKey
    changeKey = schema.columns.first(where: \.isSavingDate).map { PropertyKey($0.name) }
    uniques = schema.uniques.map { $0.map { schema.keys[$0] } }
    judge = { try Self.verdict($0, Model.self) }
  }

  /// Applies the rules to an entity, whether or not it is stored.
  ///
  /// - Throws: the errors of the model's own rules.
  package func verdict(on entity: StoredEntity) throws -> Verdict { try judge(entity) }

  private static func verdict<Model: Persistable>(_ entity: StoredEntity, _: Model.Type) throws
    -> Verdict
  {
    let schema = Model.schema
    let rows = EntityRows(EntityCursor(schema.shape, [entity]), type: schema.type)
    let models = try Model.readAll(rows)
    var verdict = Verdict()
    guard let model = models.first else {
      verdict.isUnreadable = true
      verdict.violations = rows.unreadable.map { $0.violation(of: schema.model) }
      return verdict
    }
    verdict.violations = try schema.validation(of: model).errors
    for (column, value) in zip(schema.shape.columns, try schema.values(of: model)) {
      let names = [column.key] + column.older
      if let value, names.allSatisfy({ entity[$0] == nil }) { verdict.defaults[column.key] = value }
    }
    return verdict
  }
}

extension UnreadableRow {
  /// Returns the reason why the entity cannot be read, as a violation.
  fileprivate func violation(of model: String) -> ValidationError {
    let message: String
    var data: [String: String] = [:]
    switch reason {
    case .missing: message = "blank"
    case .otherKind(let actual, let wanted):
      message = "mismatch"
      data = ["actual": actual, "wanted": wanted]
    case .failed(let error):
      message = "unreadable"
      data = ["error": error]
    }
    return ValidationError(model: model, key: key?.text ?? "", message: message, data: data)
  }
}

extension Store {
  /// Returns the rules of the models that the store was opened with, and of others, by type. If two
  /// models have one type, the last counts.
  package func rules(and others: [any Persistable.Type] = []) -> [EntityType: ModelRules] {
    var rules: [EntityType: ModelRules] = [:]
    for model in configuration.models + others {
      for one in Self.rules(of: model) { rules[one.type] = one }
    }
    return rules
  }

  private static func rules<Model: Persistable>(of model: Model.Type) -> [ModelRules] {
    Model.schema.types.map { ModelRules(of: model, as: $0) }
  }
}

extension WriteTransaction {
  /// Returns the time from which written values hold, as a date.
  package func writingDate() async throws -> Date {
    try await perform { ($0.defaultTime ?? $0.commit.time).date }
  }

  /// Returns the entities of a model's type whose values should be unique and are not.
  package func doubles(by rules: ModelRules) async throws -> [StoreIssue.Duplicate] {
    var doubles: [StoreIssue.Duplicate] = []
    for keys in rules.uniques { doubles += try await duplicates(of: rules.type, keys: keys) }
    return doubles
  }
}

extension StoredEntity {
  /// Creates a copy of an entity with some values changed or, for nil, removed; or an entity that
  /// is not stored yet.
  package init(
    _ id: EntityID,
    _ type: EntityType,
    since present: StoredEntity? = nil,
    _ changes: [PropertyKey: Value?]
  ) {
    var properties = present?.properties ?? [:]
    for (key, value) in changes { properties[key] = value.map { Property($0) } }
    self.init(
      id: id,
      type: type,
      datestamp: present?.datestamp ?? HybridTime(rawValue: 0),
      modified: present?.modified ?? HybridTime(rawValue: 0),
      shape: .empty,
      values: [],
      others: properties
    )
  }
}
