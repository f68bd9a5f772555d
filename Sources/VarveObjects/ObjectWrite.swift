import VarveCore
import VarveEntities
import VarveModels

/// The write of one object.
struct ObjectWrite: Sendable {
  let kind: EntityType
  let id: EntityID
  let changes: [PropertyChange]
  /// The edited properties whose targets are owned, with their values.
  let owning: [PropertyKey: Value?]
}

extension CommitWriter {
  /// Saves an object after the objects it links to.
  func save(_ write: ObjectWrite) async throws {
    let present = try await commit.entity(write.id)
    _ = try await save(
      write.kind,
      id: write.id,
      write.changes,
      comparesSemanticTypes: false,
      at: nil
    )
    for (key, value) in write.owning.sorted(by: { $0.key < $1.key }) {
      try await settleOwned(key, value, of: write.id, from: present?[key])
    }
  }

  /// Makes the edges of an owning property match it. An edge is under the property's name. That of
  /// a single link is paired with the property (R28).
  private func settleOwned(
    _ key: PropertyKey,
    _ value: Value?,
    of id: EntityID,
    from former: Value?
  ) async throws {
    let wanted = try await owned(by: value)
    if case .array = value ?? former {
      let present = try await commit.edges(from: id, in: Relation(.owns, key)).map(\.target)
      for target in wanted where !present.contains(target) {
        try await relate(EdgeEnds(id, .owns, target, named: key), at: nil)
      }
      for target in present where !wanted.contains(target) {
        let edge = EdgeEnds(id, .owns, target, named: key)
        try await unrelateOnly(edge, from: id, orphans: nil, at: defaultTime)
      }
    } else {
      let edge = PairedEnds(key, of: id, .owns, named: key)
      let former = former.flatMap(EntityID.init(propertyValue:))
      guard value == nil || !wanted.isEmpty else { return }
      try await settle(edge, to: wanted.first, from: former) { _ in true }
    }
  }

  /// Returns the live targets of a link or a list of links, each once: a link may name an entity
  /// that does not exist.
  private func owned(by value: Value?) async throws -> [EntityID] {
    let values: [Value] =
      if case .array(let elements) = value { elements } else { value.map { [$0] } ?? [] }
    var targets: [EntityID] = []
    for id in values.compactMap(EntityID.init(propertyValue:)) where !targets.contains(id) {
      if case .live = try await commit.status(of: id) { targets.append(id) }
    }
    return targets
  }
}
