import VarveCore
import VarveStore

/// Finds out which entities identifying values stand for (R20), many at a time.
///
/// The entity under the derived identifier is asked for first: where it has the value, it is the one.
/// Others, that got their identifier elsewhere, are looked for by their value: once or twice by a
/// query, then by one pass over the type that remembers only them.
final class Identities {
  /// Which entity a value stands for.
  struct Found {
    let id: EntityID
    /// As it was before anything of the present part was written; nil where it is not live.
    let entity: Entity?
    /// Whether its derived identifier belongs to another entity.
    var isFresh = false
  }

  private struct TypeState {
    /// Whether an entity may have another identifier than the derived one.
    var mayHaveOthers: Bool
    /// How often a query was asked.
    var queryCount = 0
    /// The identifiers that are not the derived ones, by value, once all are known.
    var others: [Value: EntityID]?
  }

  private struct Place: Hashable {
    let type: EntityType
    let key: PropertyKey
  }

  private let transaction: Transaction
  private var states: [Place: TypeState] = [:]
  /// Identifiers given in this import that are not the derived ones.
  private var given: [NaturalKey: EntityID] = [:]
  /// The answers for the present part of the document.
  private(set) var found: [NaturalKey: Found] = [:]

  /// How many queries are asked of one property before all its values are looked at.
  private static let queryLimit = 2

  init(_ transaction: Transaction) { self.transaction = transaction }

  /// Looks up the keys of a part of the document, instead of those of the one before.
  ///
  /// - Complexity: O(keys × log entities), and passes over types that hold entities with other
  ///   identifiers.
  func look(up keys: [NaturalKey]) async throws {
    found.removeAll(keepingCapacity: true)
    guard !keys.isEmpty else { return }
    var missing: [Place: [(key: NaturalKey, derived: EntityID, isTaken: Bool)]] = [:]
    let derived = keys.map { given[$0] ?? $0.derivedID }
    let entities = try await transaction.entities(derived)
    for (index, key) in keys.enumerated() {
      let entity = entities[index]
      if let entity, entity.type == key.type, entity[key.key] == key.value {
        found[key] = Found(id: entity.id, entity: entity)
      } else {
        missing[Place(type: key.type, key: key.key), default: []]
          .append((key, derived[index], entity != nil))
      }
    }
    for (place, keys) in missing {
      let others = try await others(place, keys.map(\.key.value))
      for (key, derived, isTaken) in keys {
        if let entity = others[key.value] {
          found[key] = Found(id: entity.id, entity: entity)
        } else if isTaken {
          let fresh = EntityID.new()
          given[key] = fresh
          found[key] = Found(id: fresh, entity: nil, isFresh: true)
        } else {
          found[key] = Found(id: derived, entity: nil)
        }
      }
    }
  }

  /// The live entities that have values under other identifiers than the derived ones.
  private func others(_ place: Place, _ values: [Value]) async throws -> [Value: Entity] {
    var state: TypeState
    if let known = states[place] {
      state = known
    } else {
      let isInUse = try await transaction.first(Query(place.type)) != nil
      state = TypeState(mayHaveOthers: isInUse)
    }
    defer { states[place] = state }
    guard state.mayHaveOthers else { return [:] }
    if state.others == nil, state.queryCount < Self.queryLimit {
      state.queryCount += 1
      return try await query(place, values)
    }
    if state.others == nil { state.others = try await pass(over: place) }
    let ids = values.compactMap { value in state.others?[value].map { (value, $0) } }
    let entities = try await transaction.entities(ids.map(\.1))
    var answers: [Value: Entity] = [:]
    for ((value, _), entity) in zip(ids, entities) {
      if let entity, entity[place.key] == value { answers[value] = entity }
    }
    return answers
  }

  private func query(_ place: Place, _ values: [Value]) async throws -> [Value: Entity] {
    // Of the property, even where its key is `identifier`.
    let references = values.map {
      EntityReference(.property(place.key, $0)).expecting(place.type)
    }
    let handles = try await transaction.find(references)
    let ids = zip(values, handles).compactMap { value, handle in handle.map { (value, $0.id) } }
    let entities = try await transaction.entities(ids.map(\.1))
    var answers: [Value: Entity] = [:]
    for ((value, _), entity) in zip(ids, entities) { answers[value] = entity }
    return answers
  }

  /// Of several with one value, the one created first.
  private func pass(over place: Place) async throws -> [Value: EntityID] {
    var others: [Value: EntityID] = [:]
    try await transaction.reading { state in
      try await state.backend.fetch(Query(place.type), pageSize: 1_000) { page in
        for entity in page {
          guard let value = entity[place.key], others[value] == nil else { continue }
          let key = NaturalKey(type: place.type, key: place.key, value: value)
          if key.derivedID != entity.id { others[value] = entity.id }
        }
        return true
      }
    }
    return others
  }
}
