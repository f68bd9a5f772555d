import VarveCore

/// Undoes the creations and restores of the commit.
extension Undoing {
  /// Erases the entities that the commit created or restored, unless an entity that a later commit
  /// changed would die. Returns the erased ones.
  func erase(_ lives: Lives) async throws -> [EntityID] {
    var roots: [EntityID] = []
    for entity in lives.begun {
      guard case .live = try await writer.commit.status(of: entity) else { continue }
      if let change = try await change(dyingWith: [entity]) {
        report.skipped.append(.init(entity, .changedSince, by: change))
      } else {
        roots.append(entity)
      }
    }
    guard !roots.isEmpty else { return [] }
    if let change = try await change(dyingWith: roots) {
      for root in roots { report.skipped.append(.init(root, .changedSince, by: change)) }
      return []
    }
    for root in roots {
      if try await hasSettledDeath(of: root) {
        report.skipped.append(.init(root, .conflictSettled))
      }
      try await release(root)
    }
    report.erased += try await writer.erase(roots, isStrict: false) { lives.times[$0] }
    return roots
  }

  /// Removes ownerships that are older than the owner's creation: their targets lived without it.
  private func release(_ entity: EntityID) async throws {
    let history = try await history(of: entity)
    guard history.contains(where: { $0.commit.id == id && $0.content.isCreation }) else { return }
    for edge in try await writer.commit.edges(from: entity, in: nil)
    where edge.relation.kind == .owns && !edge.isFromFormerLife {
      let name = RelationName(source: entity, relation: edge.relation)
      let isOlder = try await families(of: name).adds.contains { add in
        add.stands && edge.adds.contains(add.add) && add.commit.time < time
      }
      guard isOlder, try await writer.commit.dying(with: [entity]).contains(edge.target) else {
        continue
      }
      try await writer.apply(together: [edge.removal(at: nil)])
      report.unrelated.append(
        .init(source: entity, relation: edge.relation, target: edge.target)
      )
    }
  }

  /// Returns the latest change by a later commit of an entity that would die with some others.
  func change(dyingWith roots: [EntityID]) async throws -> CommitSummary? {
    for entity in try await writer.commit.dying(with: roots) {
      let history = try await history(of: entity)
      let later = Dictionary(grouping: history, by: \.content.key).values
        .compactMap { lasting($0.map(\.commit)).first }
      if let latest = later.max(by: { ($0.time, $0.id.sequence) < ($1.time, $1.id.sequence) }) {
        return latest
      }
      // An entity created by the commit has other relations only if a later commit declared them,
      // or an earlier one that did not know the entity.
      guard history.contains(where: { $0.commit.id == id && $0.content.isBeginning }) else {
        continue
      }
      let edges =
        try await writer.commit.edges(from: entity, in: nil)
        + writer.commit.edges(to: entity, of: .owns)
      for edge in edges where !edge.isFromFormerLife {
        if let change = try await change(of: edge) { return change }
      }
    }
    return nil
  }

  /// Returns a later change of a relation that is in effect.
  private func change(of edge: RelationEdge) async throws -> CommitSummary? {
    let name = RelationName(source: edge.source, relation: edge.relation)
    let adds = Set(edge.adds)
    for family in try await families(of: name).all
    where family.adds.contains(where: { $0.stands && adds.contains($0.add) }) {
      if let change = lasting(family.commits).first { return change }
    }
    return nil
  }

  /// Returns whether the commit settled a death by restoring an entity: an entity that would die
  /// with it was written to by a commit that no erasure had seen.
  private func hasSettledDeath(of root: EntityID) async throws -> Bool {
    let lives = try await history(of: root).filter { $0.content.key == nil }
    guard lives.first(where: { $0.commit.id == id })?.content == .life(.restored) else {
      return false
    }
    let erasures = lives.filter { $0.content == .life(.erased) }.map(\.commit.id)
    let replicas = Set(erasures.map(\.replica))
    for entity in try await writer.commit.dying(with: [root]) {
      for version in try await history(of: entity)
      where version.content != .life(.erased) && version.commit.id != id {
        let name = version.commit.id
        if replicas == [name.replica] { continue }
        guard try await hasSeen(id, name) else { continue }
        var isSeen = false
        for erasure in erasures where !isSeen { isSeen = try await hasSeen(erasure, name) }
        if !isSeen { return true }
      }
    }
    return false
  }
}
