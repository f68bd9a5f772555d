import VarveCore
import VarveEntities

/// Looks up references in one state, many values of one property with few queries.
final class ReferenceFinder {
  private let reader: any BackendReader
  private var matches: [Match: Candidate?] = [:]
  private var labels: [EntityType]?

  /// A value to search for, in one type or in all.
  private struct Match: Hashable {
    let type: EntityType?
    let key: PropertyKey
    let value: Value
  }

  private struct Candidate {
    let found: FoundEntity
    let datestamp: HybridTime
  }

  init(_ reader: any BackendReader) { self.reader = reader }

  /// Returns the live entity that a reference finds, or nil.
  ///
  /// - Parameter type: the type to search for values, unless the reference has one.
  /// - Throws: `VarveError` with code `typeMismatch` if the reference expects another type.
  func find(
    _ reference: EntityReference,
    among type: EntityType? = nil
  ) async throws -> FoundEntity? {
    let found = try await findAny(reference, among: reference.searchedType ?? type)
    guard let found, let expected = reference.expectedType, found.type != expected else {
      return found
    }
    throw VarveError(
      .typeMismatch,
      "the entity \"\(found.id)\" is a \"\(found.type)\", not a \"\(expected)\"",
      at: "entity \(found.id)",
      entity: found.id
    )
  }

  private func findAny(
    _ reference: EntityReference,
    among type: EntityType?
  ) async throws -> FoundEntity? {
    switch reference.matcher {
    case .nothing: return nil
    case .id(let id):
      guard case .live(let type) = try await reader.status(of: id) else { return nil }
      return FoundEntity(id: id, type: type)
    case .property(let key, let value):
      let match = Match(type: type, key: key, value: value)
      if matches[match] == nil { try await search([match]) }
      return matches[match]??.found
    case .anyOf(let references):
      for reference in references {
        if let found = try await find(reference, among: type) { return found }
      }
      return nil
    }
  }

  /// Records an entity that was created since, so that later lookups find it.
  func note(_ found: FoundEntity, _ changes: [PropertyChange], at datestamp: HybridTime) {
    for change in changes {
      guard let value = change.property?.value else { continue }
      for type in found.type == Prototype.entityType ? [found.type] : [found.type, nil] {
        let match = Match(type: type, key: change.key, value: value)
        guard let known = matches[match] else { continue }
        if let known, known.datestamp <= datestamp { continue }
        matches[match] = .some(Candidate(found: found, datestamp: datestamp))
      }
    }
  }

  // MARK: Many at once

  /// Looks up everything that references may need.
  ///
  /// - Complexity: O(values × log entities) if the properties are indexed, otherwise a pass over
  ///   the entities of each type for every ``chunkSize`` values.
  /// - Throws: `VarveError` with code `invalidArgument` if the references are nested too deep.
  func prepare(_ references: [EntityReference]) async throws {
    try references.validateDepth()
    var wanted: Set<Match> = []
    for reference in references { collect(reference, among: nil, &wanted) }
    guard wanted.count > 1 else { return }
    try await search(Array(wanted))
  }

  private func collect(
    _ reference: EntityReference,
    among type: EntityType?,
    _ wanted: inout Set<Match>
  ) {
    let type = reference.searchedType ?? type
    switch reference.matcher {
    case .nothing, .id: break
    case .property(let key, let value):
      let match = Match(type: type, key: key, value: value)
      if matches[match] == nil { wanted.insert(match) }
    case .anyOf(let references):
      for reference in references { collect(reference, among: type, &wanted) }
    }
    for inner in reference.updates.references { collect(inner, among: nil, &wanted) }
    for inner in reference.creation?.initial.references ?? [] {
      collect(inner, among: nil, &wanted)
    }
  }

  private func search(_ wanted: [Match]) async throws {
    var groups: [Place: [Value]] = [:]
    for match in wanted {
      matches[match] = .some(nil)
      groups[Place(type: match.type, key: match.key), default: []].append(match.value)
    }
    for (place, values) in groups {
      let types = if let type = place.type { [type] } else { try await allLabels() }
      for type in types {
        try await reader.forEachMatch(of: values, at: place.key, in: type, onlyFirst: true) {
          value,
          entity in
          let match = Match(type: place.type, key: place.key, value: value)
          if let known = matches[match] ?? nil, known.datestamp <= entity.datestamp { return }
          matches[match] = .some(
            Candidate(
              found: FoundEntity(id: entity.id, type: entity.type),
              datestamp: entity.datestamp
            )
          )
        }
      }
    }
  }

  private struct Place: Hashable {
    let type: EntityType?
    let key: PropertyKey
  }

  private func allLabels() async throws -> [EntityType] {
    if let labels { return labels }
    // Prototypes are found only if their type is requested.
    let labels = try await reader.labels().filter { $0 != Prototype.entityType }
    self.labels = labels
    return labels
  }
}

extension EntityReference {
  /// The type to search for values: that of the creation, or the expected one.
  fileprivate var searchedType: EntityType? { creation?.type ?? expectedType }
}

extension BackendReader {
  /// The number of values in one query.
  private var chunkSize: Int { 4_096 }

  /// Calls the body with the live entities of a type whose property has exactly one of these
  /// values, in creation order within each query.
  ///
  /// - Parameter onlyFirst: whether the first entity of each value is enough.
  func forEachMatch(
    of values: [Value],
    at key: PropertyKey,
    in type: EntityType,
    onlyFirst: Bool,
    _ body: (Value, StoredEntity) -> Void
  ) async throws {
    let comparable = values.filter { !$0.isNotComparable }
    if comparable.count < values.count {
      // Values that no query matches are searched in all entities.
      let missing = Set(values.filter(\.isNotComparable))
      try await pass(over: Query(type), key, missing, onlyFirst: onlyFirst, body)
    }
    for (_, same) in Dictionary(grouping: comparable, by: \.sortRank) {
      for start in stride(from: 0, to: same.count, by: chunkSize) {
        let chunk = Array(same[start..<min(start + chunkSize, same.count)])
        if onlyFirst, chunk.count == 1 {
          // The most common case, with a statement that stays prepared.
          let query = Query(type).where(Field(key) == chunk[0]).limit(1)
          guard let entity = try await fetch(query).first else { continue }
          if entity[key] == chunk[0] {
            body(chunk[0], entity)
            continue
          }
        }
        let query = Query(type).where(Field(key).isIn(chunk))
        try await pass(over: query, key, Set(chunk), onlyFirst: onlyFirst, body)
      }
    }
  }

  /// Filters for exact values, because queries compare numbers across kinds.
  private func pass(
    over query: Query,
    _ key: PropertyKey,
    _ wanted: Set<Value>,
    onlyFirst: Bool,
    _ body: (Value, StoredEntity) -> Void
  ) async throws {
    var wanted = wanted
    try await fetch(query, pageSize: 1_000) { page in
      for entity in page {
        guard let value = entity[key], wanted.contains(value) else { continue }
        body(value, entity)
        if onlyFirst { wanted.remove(value) }
      }
      return !wanted.isEmpty
    }
  }
}
