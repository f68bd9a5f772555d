import Foundation
import VarveCore
import VarveStore

/// Holds what an import writes against the rules of the models it was told of.
///
/// Defaults and managed dates are filled in before anything is written, so that what comes to what is
/// stored already is not written. Broken rules are looked for at the end, when everything is said.
final class RuleKeeping {
  /// Whose entity breaks a rule so far, and where the document speaks of it.
  fileprivate struct Suspect {
    let id: EntityID
    let path: DocumentPath
    let mapping: CompiledMapping
  }

  private let rules: [EntityType: ModelRules]
  /// What managed dates are set to.
  private let now: Date
  private var suspects: [Suspect] = []
  private var known: Set<EntityID> = []
  /// What was written of models that have unique properties.
  private var written: [EntityID: Suspect] = [:]

  init(_ rules: [EntityType: ModelRules], now: Date) {
    self.rules = rules
    self.now = now
  }

  /// The rules of a type's model, if one is known.
  subscript(type: EntityType) -> ModelRules? { rules.isEmpty ? nil : rules[type] }

  /// Notes that what is wrong with an entity is to be found out at the end.
  func suspect(_ id: EntityID, _ path: DocumentPath, _ mapping: CompiledMapping) {
    guard self[mapping.mapping.entity] != nil, known.insert(id).inserted else { return }
    suspects.append(Suspect(id: id, path: path, mapping: mapping))
  }

  /// What is filled in where an entity is made, or changed.
  ///
  /// - Parameters:
  ///   - entity: as it would be without.
  ///   - present: as it was; nil for a new one.
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
      // A default that is another one each time, as an identifier, does not replace what is there.
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

  /// The dates that saving would set; those a document says itself are its own.
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

  /// Fills in what later objects took away, and goes through what is broken.
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
  /// Where the document says a property, or would.
  fileprivate func place(of key: String) -> DocumentPath {
    let key = PropertyKey(key)
    let attribute = mapping.mapping.attributes.last { $0.key == key }?.path
    let relation = mapping.mapping.relations.last { $0.key == key }?.path
    return (attribute ?? relation).map(path.member) ?? path
  }
}
