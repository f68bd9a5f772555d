package import VarveCore

extension CommitWriter {
  /// Creates an entity under an unknown identifier, or anew under that of a dead one (R15).
  package func create(
    _ type: EntityType,
    id: EntityID,
    _ properties: [PropertyChange],
    at time: HybridTime?
  ) async throws {
    try Names.validate(type)
    try properties.validate()
    try await createValid(type, id: id, properties, at: time ?? defaultTime)
  }

  /// Creates an entity whose properties are validated. Returns whether some commit contains its
  /// identifier already.
  @discardableResult
  package func createValid(
    _ type: EntityType,
    id: EntityID,
    _ properties: [PropertyChange],
    at time: HybridTime?
  ) async throws -> Bool {
    let row = CreationRow(type, id: id, properties, at: time)
    guard try await create(row.table).isEmpty else {
      try await createKnown(type, id: id, properties, at: time)
      return true
    }
    for change in row.rest { try await writeNew(change, to: id, at: time) }
    return false
  }

  /// Creates an entity under an identifier that some commit contains.
  func createKnown(
    _ type: EntityType,
    id: EntityID,
    _ properties: [PropertyChange],
    at time: HybridTime?
  ) async throws {
    switch try await commit.status(of: id) {
    case .live(let present): throw Self.duplicate(id, present)
    case .erased, .dead: try await recreate(type, id: id, properties, at: time)
    case .unknown where try await wasErased(id):
      try await recreate(type, id: id, properties, at: time)
    case .unknown:
      let changes = try await apply(
        .life(.created(type, datestamp: nil)),
        to: id,
        at: time
      )
      if case .dead = try await commit.status(of: id) {
        try await keepAlive([id])
      }
      try await keepAlive(changes.died)
      for change in properties { try await writeNew(change, to: id, at: time) }
    }
  }

  /// Returns whether an unknown entity was erased: its creation is withheld, and its erasure is not, if
  /// the author's clock was set back between the two (R11).
  private func wasErased(_ id: EntityID) async throws -> Bool {
    try await commit.history(of: id, key: nil, limit: nil).contains { $0.content == .life(.erased) }
  }

  /// Creates an entity anew at a time after its erasure. Its values hold from the beginning of the
  /// new life, or the past would show them in the former.
  private func recreate(
    _ type: EntityType,
    id: EntityID,
    _ properties: [PropertyChange],
    at time: HybridTime?
  ) async throws {
    let asked = time ?? commit.time
    let birth = try await lifeTime(of: id, at: timeAfterDeath(of: id, at: time))
    let datestamp = (birth ?? commit.time) == asked ? nil : asked
    let changes = try await apply(
      .life(.recreated(type, datestamp: datestamp)),
      to: id,
      at: birth
    )
    try await keepAlive(changes.died)
    let remains = try await endFormerLife(of: id, changes.revived, at: birth)
    for change in properties {
      guard let above = remains[change.key], change.value != nil else {
        try await writeNew(change, to: id, at: birth)
        continue
      }
      try await applyPaired(change.content, change.key, to: id, at: above)
    }
    let written = Set(properties.filter { $0.value != nil }.map(\.key))
    for (key, above) in remains.sorted(by: { $0.key < $1.key }) where !written.contains(key) {
      try await applyPaired(.removal(key), key, to: id, at: above)
    }
  }

  private func writeNew(
    _ change: PropertyChange,
    to id: EntityID,
    at time: HybridTime?
  ) async throws {
    guard change.value != nil else { return }
    try await apply(change.content, to: id, at: time)
  }

  package static func duplicate(_ id: EntityID, _ type: EntityType) -> VarveError {
    VarveError(
      .duplicateIdentifier,
      "an entity \"\(id)\" of type \"\(type)\" is live already",
      at: "entity \(id)",
      remedy: "Set its properties to change it, or use another identifier to add one.",
      entity: id
    )
  }

  /// Creates an entity under an unknown identifier, or writes the differences to a live one (R15).
  package func save(
    _ type: EntityType,
    id: EntityID,
    _ properties: [PropertyChange],
    comparesSemanticTypes: Bool,
    at time: HybridTime?
  ) async throws -> SaveOutcome {
    try Names.validate(type)
    switch try await commit.status(of: id) {
    case .unknown:
      try await create(type, id: id, properties, at: time)
      return .created
    case .live(let present) where present != type:
      throw VarveError(
        .typeMismatch,
        "the entity \"\(id)\" is a \"\(present)\", not a \"\(type)\"",
        at: "entity \(id)",
        remedy: "Save it under its own type, or use another identifier.",
        entity: id
      )
    case .live:
      let hasChanged = try await update(
        id,
        properties,
        comparesSemanticTypes: comparesSemanticTypes,
        at: time
      )
      return hasChanged ? .changed : .unchanged
    case .erased, .dead:
      throw try await commit.absence(of: id)
    }
  }
}
