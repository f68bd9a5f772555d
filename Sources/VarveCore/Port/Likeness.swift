/// Values that an entity is asked to have, given without reading it.
package struct Likening {
  /// Properties, for many entities of one type.
  package final class Keys: Sendable {
    package let type: EntityType
    package let keys: [PropertyKey]

    package init(_ type: EntityType, _ keys: [PropertyKey]) {
      self.type = type
      self.keys = keys
    }
  }

  package let id: EntityID
  package let keys: Keys
  /// For each key, the value it shall have, or nil where it does not matter; nil where the entity is
  /// wanted in any case.
  package let values: [Value?]?
  /// The keys that shall have no value, as numbers.
  package let missing: [Int]

  package init(_ id: EntityID, _ keys: Keys, _ values: [Value?]?, missing: [Int] = []) {
    self.id = id
    self.keys = keys
    self.values = values
    self.missing = missing
  }

  /// Whether an entity is as asked for.
  package func matches(_ entity: Entity) -> Bool {
    guard let values, entity.type == keys.type else { return false }
    for (key, value) in zip(keys.keys, values) {
      if let value, entity[key] != value { return false }
    }
    return missing.allSatisfy { entity[keys.keys[$0]] == nil }
  }
}

/// How a live entity is to what was asked for.
package enum Likeness {
  /// There is none.
  case absent
  /// It is so; with its number, as in `Entity`.
  case same(number: Int64?)
  /// It is otherwise, or was wanted in any case.
  indirect case other(Entity)
}

extension BackendReader {
  package func likenesses(_ likenings: [Likening]) async throws -> [Likeness] {
    var answers: [Likeness] = []
    answers.reserveCapacity(likenings.count)
    for likening in likenings {
      guard let entity = try await entity(likening.id) else {
        answers.append(.absent)
        continue
      }
      answers.append(likening.matches(entity) ? .same(number: entity.number) : .other(entity))
    }
    return answers
  }
}
