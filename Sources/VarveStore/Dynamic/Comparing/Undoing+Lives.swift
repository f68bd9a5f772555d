import VarveCore

/// Undoes changes of lives.
extension Undoing {
  /// Restores the entities that the commit erased, owners before owned ones, whatever their order.
  func restore(_ entities: [EntityID]) async throws {
    var pending: [EntityID] = []
    for entity in entities {
      let life = try await standing(nil, of: entity).first
      let rebirth = try await rebirth(of: entity)
      guard life?.commit.id == id, rebirth == nil else {
        report.skipped.append(.init(entity, .changedSince, by: rebirth ?? life?.commit))
        continue
      }
      pending.append(entity)
    }
    var hasProgressed = true
    while hasProgressed, !pending.isEmpty {
      hasProgressed = false
      for entity in pending where try await writer.writer.canLive(entity, restoringOwners: false) {
        report.restored += try await writer.restore(entity, .ifOwned, at: nil)
        pending.removeAll { $0 == entity }
        hasProgressed = true
      }
    }
    for entity in pending { report.skipped.append(.init(entity, .ownersDead)) }
  }

  /// Erases the entities that the commit brought to life, unless something that a later commit
  /// changed would die. Returns the erased entities.
  func erase(_ entities: [EntityID]) async throws -> [EntityID] {
    var roots: [EntityID] = []
    for entity in entities {
      guard case .live = try await writer.writer.status(of: entity) else { continue }
      if let change = try await change(dyingWith: [entity]) {
        report.skipped.append(.init(entity, .changedSince, by: change.commit))
      } else {
        roots.append(entity)
      }
    }
    guard !roots.isEmpty else { return [] }
    if let change = try await change(dyingWith: roots) {
      for root in roots { report.skipped.append(.init(root, .changedSince, by: change.commit)) }
      return []
    }
    report.erased += try await writer.erase(roots, isStrict: false, at: nil)
    return roots
  }

  /// A later change of something that would die with these entities.
  private struct LaterChange {
    let commit: CommitSummary?
  }

  private func change(dyingWith roots: [EntityID]) async throws -> LaterChange? {
    for entity in try await writer.writer.dying(with: roots) {
      let history = try await history(of: entity)
      for versions in Dictionary(grouping: history, by: \.content.key).values {
        if let later = lasting(versions.map(\.commit)).first { return LaterChange(commit: later) }
      }
      // An entity that began with the commit has only relations that were added since.
      guard history.contains(where: { $0.commit.id == id && $0.content.isBeginning }) else {
        continue
      }
      let edges =
        try await writer.writer.edges(from: entity, in: nil)
        + writer.writer.edges(to: entity, of: .owns)
      for edge in edges where !edge.isFromFormerLife {
        if let change = try await change(of: edge) { return change }
      }
    }
    return nil
  }

  /// Returns the change of a relation that counts by another commit than the undone one.
  private func change(of edge: RelationEdge) async throws -> LaterChange? {
    let name = RelationName(source: edge.source, relation: edge.relation)
    let adds = Set(edge.adds)
    for family in try await families(of: name).all {
      guard family.adds.contains(where: { $0.stands && adds.contains($0.add) }) else { continue }
      let change = lasting(family.commits).first
      if family.origin.commit.id != id || change != nil { return LaterChange(commit: change) }
    }
    return nil
  }
}

/// Undoes restorations as root.
extension Undoing {
  /// Undoes the removal of an ownership by an owner that was dead already. The owned entity, which
  /// has been live since, dies with the owner again, unless something that a later commit changed
  /// would die.
  func diesAgain(_ name: UndoReport.EdgeName, _ position: Position) async throws -> Bool {
    if let change = try await change(dyingWith: [name.target]) {
      report.skipped.append(.init(name.source, edge: name, .changedSince, by: change.commit))
      return false
    }
    let changes = try await writer.apply(
      .add(name.relation, target: name.target, position: position),
      to: name.source,
      at: nil
    )
    report.erased += try await writer.writer.depthFirst(from: [name.target], among: changes.died)
    report.related.append(name)
    return true
  }

  /// Returns whether an entity is dead, and was dead when the commit was written. In that case the
  /// commit did not erase it or anything above it.
  func wasDead(_ entity: EntityID) async throws -> Bool {
    guard try await writer.writer.isDead(entity) else { return false }
    var seen: Set<EntityID> = [entity]
    var pending = [entity]
    while let next = pending.popLast() {
      if try await writer.writer.status(of: next) == .erased {
        let life = try await standing(nil, of: next).first
        guard let life, life.commit.time < time else { return false }
        continue
      }
      for edge in try await writer.writer.edges(to: next, of: .owns)
      where !edge.isFromFormerLife && seen.insert(edge.source).inserted {
        pending.append(edge.source)
      }
    }
    return true
  }
}
