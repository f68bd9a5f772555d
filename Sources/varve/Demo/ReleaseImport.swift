import VarveCore
import VarveJSON
import VarveStore

/// What a release did to the entities of one type.
struct Tally {
  var created = 0
  var changed = 0
  var unchanged = 0
  var ended = 0

  /// The tally for programs.
  var json: JSON {
    [
      "created": .count(created), "changed": .count(changed), "unchanged": .count(unchanged),
      "ended": .count(ended),
    ]
  }
}

/// Makes the live entities what a release says, writing nothing but the differences.
struct ReleaseImport {
  let release: Release
  let transaction: Transaction

  /// Saves the release: creates what is new or came back, updates what differs, erases what is gone.
  func run() async throws -> (countries: Tally, subdivisions: Tally) {
    var gone: [EntityID] = []
    let countries = try await save(release.countries, as: Release.countryType, gone: &gone)
    let subdivisions = try await save(
      release.subdivisions,
      as: Release.subdivisionType,
      gone: &gone
    )
    if !gone.isEmpty { try await transaction.erase(gone) }
    return (countries, subdivisions)
  }

  /// One query reads what there is; comparing with it is cheaper than one query for each record.
  private func save(
    _ records: [Release.Record],
    as type: EntityType,
    gone: inout [EntityID]
  ) async throws -> Tally {
    var tally = Tally()
    let existing = try await transaction.fetch(Query(type))
    var unseen = Dictionary(existing.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    var new: [Release.Record] = []
    for record in records {
      guard let entity = unseen.removeValue(forKey: record.id) else {
        new.append(record)
        continue
      }
      let changes = record.changes(from: entity)
      if changes.isEmpty {
        tally.unchanged += 1
      } else {
        try await transaction.update(entity.id, changes)
        tally.changed += 1
      }
    }
    try await create(new, as: type)
    tally.created = new.count
    tally.ended = unseen.count
    gone += existing.lazy.map(\.id).filter { unseen[$0] != nil }
    return tally
  }

  private func create(_ records: [Release.Record], as type: EntityType) async throws {
    guard !records.isEmpty else { return }
    let keys = Set(records.flatMap(\.values.keys)).sorted()
    try await transaction.create(
      type,
      keys: keys,
      rows: records.map { record in (record.id, keys.map { record.values[$0] }) }
    )
    for record in records {
      guard let owner = record.owner else { continue }
      try await transaction.relate(owner, .owns, record.id)
    }
  }
}

extension Release.Record {
  /// What to write so that an entity is as the record says; nil removes.
  fileprivate func changes(from entity: Entity) -> [PropertyKey: Value?] {
    var changes: [PropertyKey: Value?] = [:]
    for (key, value) in values where entity[key] != value { changes[key] = .some(value) }
    for key in entity.keys where values[key] == nil { changes[key] = .some(nil) }
    return changes
  }
}
