package import Foundation
package import VarveCore

/// What a model asks of its entities, for those who write them without the model: imports.
package struct ModelRules: Sendable {
  /// What a model says of an entity.
  package struct Verdict: Sendable {
    /// What is missing and has a default.
    package var defaults: [PropertyKey: Value] = [:]
    /// The rules it breaks; what makes it unreadable as the model is among them.
    package var violations: [ValidationError] = []
    /// Whether it cannot be read as the model, so that fetches pass over it.
    package var isUnreadable = false
  }

  /// The type of the entities.
  package let type: EntityType
  /// What messages call one of them.
  package let model: String
  /// The properties of the model that have a column.
  package let keys: [PropertyKey]
  /// Where the date of creation is stored.
  package let creationKey: PropertyKey?
  /// Where the date of the last change is stored.
  package let changeKey: PropertyKey?
  /// Lists of properties that no two entities may have the same values of.
  package let uniques: [[PropertyKey]]
  private let judge: @Sendable (StoredEntity) throws -> Verdict

  /// The rules of a model.
  package init<Model: Persistable>(of model: Model.Type) {
    let schema = Model.schema
    type = schema.type
    self.model = schema.model
    keys = schema.keys
    creationKey = schema.creationKey
    changeKey = schema.columns.first(where: \.isSavingDate).map { PropertyKey($0.name) }
    uniques = schema.uniques.map { $0.map { schema.keys[$0] } }
    judge = { try Self.verdict($0, Model.self) }
  }

  /// What the model says of an entity, whether it is stored or not.
  ///
  /// - Throws: what the model's own rules throw.
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
  /// Why it cannot be read, as a broken rule.
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
  /// The rules of the models the store was opened with, and of others, by type; of two models of one
  /// type the last counts.
  package func rules(and others: [any Persistable.Type] = []) -> [EntityType: ModelRules] {
    var rules: [EntityType: ModelRules] = [:]
    for model in configuration.models + others {
      let one = Self.rules(of: model)
      rules[one.type] = one
    }
    return rules
  }

  private static func rules<Model: Persistable>(of model: Model.Type) -> ModelRules {
    ModelRules(of: model)
  }
}

extension WriteTransaction {
  /// The time that what is written holds from, as a date.
  package func writingDate() async throws -> Date {
    try await perform { ($0.defaultTime ?? $0.writer.time).date }
  }

  /// Entities of a model's type with the same values where there may be only one with them.
  package func doubles(by rules: ModelRules) async throws -> [StoreIssue.Duplicate] {
    var doubles: [StoreIssue.Duplicate] = []
    for keys in rules.uniques { doubles += try await duplicates(of: rules.type, keys: keys) }
    return doubles
  }
}

extension StoredEntity {
  /// The same entity with some values changed, nil where they are removed; or one that is not stored
  /// yet.
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
