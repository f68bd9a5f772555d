import VarveCore
import VarveEntities

extension CommitWriter {
  /// Returns the entities that references find or create; nil for each that is missing.
  func findOrCreate(_ references: [EntityReference], at time: HybridTime?) async throws
    -> [FoundEntity?]
  {
    let references = references.withoutUpdates
    let resolver = ReferenceWriter(self, at: time)
    try await resolver.finder.prepare(references)
    var found: [FoundEntity?] = []
    found.reserveCapacity(references.count)
    for reference in references { found.append(try await resolver.resolve(reference)) }
    return found
  }

  /// Returns the entities of a type whose property has one of these values, and creates the missing
  /// ones.
  func findOrCreate(
    _ type: EntityType,
    _ key: PropertyKey,
    in values: [Value],
    at time: HybridTime?
  ) async throws -> [FoundEntity] {
    var known = try await commit.matches(of: values, at: key, in: type)
    var found: [FoundEntity] = []
    for value in values {
      if known[value] == nil {
        let created = FoundEntity(id: .new(), type: type)
        let property = StoredEntity.Property(value)
        let change = PropertyChange(key: key, property: property)
        try await create(type, id: created.id, [change], at: time)
        known[value] = [created]
      }
      found += known[value] ?? []
    }
    return found
  }

  /// Adds the updates of references to their entities. All are looked up before any update is
  /// written.
  func set(_ references: [EntityReference], at time: HybridTime?) async throws -> [FoundEntity] {
    let plans = try await plans(for: references, at: time)
    for plan in plans { try await set(plan.entity.id, plan.changes, at: time) }
    return plans.map(\.entity)
  }

  /// Writes the differences. Returns for each reference whether there were any.
  func update(_ references: [EntityReference], at time: HybridTime?) async throws -> [Bool] {
    var answers: [Bool] = []
    for plan in try await plans(for: references, at: time) {
      guard let entity = try await commit.entity(plan.entity.id) else {
        throw try await commit.absence(of: plan.entity.id)
      }
      // A plain value keeps the property's semantic type.
      let changes = plan.changes.filter { change in
        guard let property = change.property, property.semanticType == property.value.kind.name
        else { return true }
        return entity[change.key] != property.value
      }
      answers.append(
        try await update(plan.entity.id, changes, comparesSemanticTypes: true, at: time)
      )
    }
    return answers
  }

  private func plans(
    for references: [EntityReference],
    at time: HybridTime?
  ) async throws -> [(entity: FoundEntity, changes: [PropertyChange])] {
    let resolver = ReferenceWriter(self, at: time)
    try await resolver.finder.prepare(references)
    var entities: [FoundEntity] = []
    for reference in references { entities.append(try await resolver.require(reference)) }
    var plans: [(entity: FoundEntity, changes: [PropertyChange])] = []
    plans.reserveCapacity(references.count)
    for (entity, reference) in zip(entities, references) {
      plans.append((entity, try await resolver.changes(reference.updates)))
    }
    return plans
  }

  /// Removes properties of the references' entities. Creates nothing.
  func remove(
    _ names: [PropertyName],
    of references: [EntityReference],
    at time: HybridTime?
  ) async throws -> [FoundEntity?] {
    let finder = ReferenceFinder(commit)
    try await finder.prepare(references + names.compactMap(\.reference))
    let found = try await finder.find(references)
    guard found.contains(where: { $0 != nil }) else { return found }
    let changes = try await finder.keys(names).map { PropertyChange(key: $0, property: nil) }
    for entity in found {
      if let entity { try await set(entity.id, changes, at: time) }
    }
    return found
  }

  /// Erases the references' entities and what they alone own. Creates nothing.
  func erase(_ references: [EntityReference], at time: HybridTime?) async throws -> [EntityID] {
    let finder = ReferenceFinder(commit)
    try await finder.prepare(references)
    let found = try await finder.find(references).compactMap { $0?.id }
    return try await erase(found, isStrict: false, at: time)
  }
}

extension ReferenceFinder {
  /// Returns the entities of references in order; nil for each that is missing.
  func find(_ references: [EntityReference]) async throws -> [FoundEntity?] {
    var found: [FoundEntity?] = []
    found.reserveCapacity(references.count)
    for reference in references { found.append(try await find(reference)) }
    return found
  }

  /// Returns the keys of names. Throws `unresolvedKey` if the reference of a name finds nothing.
  func keys(_ names: [PropertyName]) async throws -> [PropertyKey] {
    var keys: [PropertyKey] = []
    for name in names {
      guard let reference = name.reference else {
        keys.append(name.key)
        continue
      }
      keys.append(try name.key(for: try await find(reference)?.id))
    }
    return keys
  }
}

extension BackendReader {
  /// Returns the entities of a type that have exactly one of these values, by value, in creation
  /// order.
  func matches(
    of values: [Value],
    at key: PropertyKey,
    in type: EntityType
  ) async throws -> [Value: [FoundEntity]] {
    var matches: [Value: [FoundEntity]] = [:]
    try await forEachMatch(of: Array(Set(values)), at: key, in: type, onlyFirst: false) {
      value,
      entity in
      matches[value, default: []].append(FoundEntity(id: entity.id, type: type))
    }
    return matches
  }
}

extension [EntityReference] {
  /// The references without their updates, which a mere lookup does not need.
  fileprivate var withoutUpdates: [EntityReference] { map { $0.updating([:]) } }
}
