import Foundation
import VarveCore
import VarveStore

/// Applies the rules of models to an import.
///
/// Defaults and managed dates are filled in before anything is written, so that values that are
/// stored already are not written. Violations are collected at the end, when all values are known.
final class RuleKeeping {
  /// An entity that violates a rule so far, with its place in the document.
  fileprivate struct Suspect {
    let id: EntityID
    let path: DocumentPath
    let mapping: CompiledMapping
  }

  private let rules: [EntityType: ModelRules]
  /// The value of managed dates.
  private let now: Date
  private var suspects: [Suspect] = []
  private var known: Set<EntityID> = []
  /// The written entities of models that have unique properties.
  private var written: [EntityID: Suspect] = [:]

  init(_ rules: [EntityType: ModelRules], now: Date) {
    self.rules = rules
    self.now = now
  }

  /// Returns the rules of a type's model, if there is one.
  subscript(type: EntityType) -> ModelRules? { rules.isEmpty ? nil : rules[type] }

  /// Records an entity whose violations are checked at the end.
  func suspect(_ id: EntityID, _ path: DocumentPath, _ mapping: CompiledMapping) {
    guard self[mapping.mapping.entity] != nil, known.insert(id).inserted else { return }
    suspects.append(Suspect(id: id, path: path, mapping: mapping))
  }

  /// Returns the values to fill in when an entity is created or changed.
  ///
  /// - Parameters:
  ///   - entity: the entity without these values.
  ///   - present: the entity before the import; nil for a new one.
  func filling(
    _ entity: StoredEntity,
    since present: StoredEntity?,
    _ path: DocumentPath,
    _ mapping: CompiledMapping
  ) throws -> [PropertyKey: Value] {
    guard let rules = self[entity.type] else { return [:] }
    var filled = dates(of: entity, isNew: present == nil, rules, mapping)
    let dated = StoredEntity(entity.id, entity.type, since: entity, filled.mapValues { .some($0) })
    let verdict = try rules.verdict(on: dated)
    for (key, value) in verdict.defaults {
      // A default that differs each time, such as an identifier, does not replace a value.
      if let old = present?[key], old != value, try rules.verdict(on: dated).defaults[key] != value
      {
        filled[key] = old
      } else {
        filled[key] = value
      }
    }
    if !verdict.violations.isEmpty { suspect(entity.id, path, mapping) }
    if !rules.uniques.isEmpty {
      written[entity.id] = Suspect(id: entity.id, path: path, mapping: mapping)
    }
    return filled
  }

  /// Returns the dates that saving would set, without those that the document sets.
  private func dates(
    of entity: StoredEntity,
    isNew: Bool,
    _ rules: ModelRules,
    _ mapping: CompiledMapping
  ) -> [PropertyKey: Value] {
    var dates: [PropertyKey: Value] = [:]
    if let key = rules.creationKey, entity[key] == nil { dates[key] = .date(now) }
    if let key = rules.changeKey, !mapping.keys.contains(key) { dates[key] = .date(now) }
    return dates
  }

  // MARK: The end

  /// Fills in defaults that later objects removed, and passes on the violations.
  func finish(
    _ transaction: WriteTransaction,
    _ body: (_ path: DocumentPath, _ violation: ValidationError, _ isUnreadable: Bool) throws ->
      Void
  ) async throws {
    for suspect in suspects {
      guard let rules = self[suspect.mapping.mapping.entity],
        let entity = try await transaction.entity(suspect.id), entity.type == rules.type
      else { continue }
      let verdict = try rules.verdict(on: entity)
      if !verdict.defaults.isEmpty {
        try await transaction.update(entity.id, verdict.defaults.mapValues { .some($0) })
      }
      for violation in verdict.violations {
        try body(suspect.place(of: violation.key), violation, verdict.isUnreadable)
      }
    }
    for rules in rules.values.sorted(by: { $0.type < $1.type }) where !written.isEmpty {
      for double in try await transaction.doubles(by: rules) {
        let key = double.keys.map(\.text).sorted().joined(separator: "_")
        let violation = ValidationError(model: rules.model, key: key, message: "taken")
        for id in double.entities {
          guard let place = written[id]?.place(of: double.keys[0].text) else { continue }
          try body(place, violation, false)
        }
      }
    }
  }
}

extension RuleKeeping.Suspect {
  /// Returns the place of a property in the document, whether or not the document has it.
  fileprivate func place(of key: String) -> DocumentPath {
    let key = PropertyKey(key)
    let attribute = mapping.mapping.attributes.last { $0.key == key }?.path
    let relation = mapping.mapping.relations.last { $0.key == key }?.path
    return (attribute ?? relation).map(path.member) ?? path
  }
}
