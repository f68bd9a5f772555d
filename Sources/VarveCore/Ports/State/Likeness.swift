/// Values to compare an entity with, without reading the entity.
package struct Likening {
  /// Keys, shared by many entities of one type.
  package final class Keys: Sendable {
    package let type: EntityType
    package let keys: [PropertyKey]

    package init(_ type: EntityType, _ keys: [PropertyKey]) {
      self.type = type
      self.keys = keys
    }
  }

  /// Expected values, shared by many entities.
  package final class Rows: Sendable {
    package let values: PackedValues

    package init(_ values: PackedValues) { self.values = values }
  }

  package let id: EntityID
  package let keys: Keys
  /// The expected values: from the first on, one for each key, or nothing where it does not matter.
  /// Nil if the entity is to be read in any case.
  package let row: (rows: Rows, first: Int)?
  /// The indices of the keys that must have no value.
  package let missing: [Int]

  package init(_ id: EntityID, _ keys: Keys, _ row: (rows: Rows, first: Int)?, missing: [Int]) {
    self.id = id
    self.keys = keys
    self.row = row
    self.missing = missing
  }

  /// Returns whether an entity has the expected values.
  package func matches(_ entity: StoredEntity) -> Bool {
    guard let (rows, first) = row, entity.type == keys.type else { return false }
    for (index, key) in keys.keys.enumerated() {
      if let value = rows.values[first + index], entity[key] != value { return false }
    }
    return missing.allSatisfy { entity[keys.keys[$0]] == nil }
  }
}

/// The result of comparing a live entity with the expected values.
package enum Likeness {
  /// The entity does not exist.
  case absent
  /// The entity matches; with its number, as in `StoredEntity`.
  case same(number: Int64?)
  /// The entity differs, or was to be read in any case.
  indirect case other(StoredEntity)
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
