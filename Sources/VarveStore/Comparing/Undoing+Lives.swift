import VarveCore

/// Lives and relations.
extension Undoing {
  /// Brings back what the commit erased, owners before what they own, whatever the order.
  func restore(_ entities: [EntityID]) async throws {
    var pending: [EntityID] = []
    for entity in entities {
      let life = try await history(of: entity).first { $0.content.isLife }
      guard life?.commit.id == id else {
        report.skipped.append(.init(entity, .changedSince, by: life?.commit))
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

  /// Erases what the commit brought to life, unless something a later commit changed would die.
  func erase(_ entities: [EntityID]) async throws {
    var roots: [EntityID] = []
    for entity in entities {
      guard case .live = try await writer.writer.status(of: entity) else { continue }
      if let change = try await change(dyingWith: [entity]) {
        report.skipped.append(.init(entity, .changedSince, by: change.commit))
      } else {
        roots.append(entity)
      }
    }
    guard !roots.isEmpty else { return }
    if let change = try await change(dyingWith: roots) {
      for root in roots { report.skipped.append(.init(root, .changedSince, by: change.commit)) }
      return
    }
    report.erased += try await writer.erase(roots, isStrict: false, at: nil)
  }

  /// A later change of something that would die with these.
  private struct LaterChange {
    let commit: CommitSummary?
  }

  private func change(dyingWith roots: [EntityID]) async throws -> LaterChange? {
    for entity in try await writer.writer.dying(with: roots) {
      let history = try await history(of: entity)
      if let later = history.first(where: { $0.commit.id != id && time < $0.commit.time }) {
        return LaterChange(commit: later.commit)
      }
      // What began with the commit has no other relations, unless somebody declared them since.
      guard history.contains(where: { $0.commit.id == id && $0.content.isBeginning }) else {
        continue
      }
      let edges =
        try await writer.writer.edges(from: entity, in: nil)
        + writer.writer.edges(to: entity, of: .owns)
      let isRelatedSince = edges.contains { edge in
        !edge.isFromFormerLife && edge.adds.contains { isOther($0.commit) }
      }
      if isRelatedSince { return LaterChange(commit: nil) }
    }
    return nil
  }

  /// Undoes what the commit did to a relation.
  ///
  /// - Parameter doomed: entities that will be erased: what points to them may stay.
  func undo(_ cell: Cell, sparing doomed: Set<EntityID>) async throws {
    switch cell.content {
    // An edge that is one fact with a property went where that went (R28).
    case .add(_, _, _, _?): break
    case .add(let relation, let target, _, nil) where !doomed.contains(target):
      let source = cell.entity
      guard let edge = try await writer.writer.edge(from: source, in: relation, to: target) else {
        return
      }
      let own = edge.adds.filter { $0.commit == id }
      guard !own.isEmpty else { return }
      let changes = try await writer.apply(
        .remove(relation, target: target, adds: own),
        to: source,
        at: nil
      )
      try await writer.keepAlive(changes.died)
      report.unrelated.append(.init(source: source, relation: relation, target: target))
    case .remove(let relation, let target, _):
      let name = UndoReport.EdgeName(source: cell.entity, relation: relation, target: target)
      if !isMove(name) { try await relateAgain(name) }
    default: break
    }
  }

  private func relateAgain(_ name: UndoReport.EdgeName) async throws {
    let (source, target) = (name.source, name.target)
    if try await declareAgain(name) { return }
    let present = try await writer.writer.edge(from: source, in: name.relation, to: target)
    guard present == nil else { return }
    if name.relation.kind == .owns, try await !writer.writer.isDead(target),
      try await wasDead(source)
    {
      return try await diesAgain(name)
    }
    for end in [source, target] where try await writer.writer.isDead(end) {
      report.skipped.append(.init(source, edge: name, .notLive))
      return
    }
    let changes = try await writer.apply(
      .add(name.relation, target: target, position: nil),
      to: source,
      at: nil
    )
    try await writer.keepAlive(changes.died)
    report.related.append(name)
  }
}

/// Edges that are one fact with a reference.
extension Undoing {
  /// Whether the commit took an edge back because a reference went elsewhere: it came back with that.
  private func isMove(_ name: UndoReport.EdgeName) -> Bool {
    cells.contains { cell in
      guard case .add(let relation, let target, _, let pairing?) = cell.content,
        relation == name.relation
      else { return false }
      return pairing.end == .target ? target == name.target : cell.entity == name.source
    }
  }

  /// Says a reference again whose edge was taken back without it, so that both stand; answers whether
  /// the edge is one of a reference.
  private func declareAgain(_ name: UndoReport.EdgeName) async throws -> Bool {
    var isOne = false
    let ends = EdgeEnds(source: name.source, relation: name.relation, target: name.target)
    for holder in ends.bothEnds {
      guard let entity = try await writer.writer.entity(holder) else { continue }
      for key in entity.keys {
        for pair in try await writer.writer.pairedEdges(of: holder, key: key)
        where pair.relation == name.relation && pair.source == name.source
          && pair.target == name.target
        {
          isOne = true
          guard pair.isRemoved, let property = entity.property(key),
            EntityID(propertyValue: property.value) == pair.other,
            try await !writer.writer.isDead(pair.other)
          else { continue }
          try await writer.set(holder, [PropertyChange(key: key, property: property)], at: nil)
          report.related.append(name)
        }
      }
    }
    return isOne
  }
}

/// Entities restored as roots.
extension Undoing {
  /// Takes back that an owner that was dead already lost what it owned, which lives since: that dies
  /// with it again, unless a later commit changed something that would die.
  private func diesAgain(_ name: UndoReport.EdgeName) async throws {
    if let change = try await change(dyingWith: [name.target]) {
      report.skipped.append(.init(name.source, edge: name, .changedSince, by: change.commit))
      return
    }
    let changes = try await writer.apply(
      .add(name.relation, target: name.target, position: nil),
      to: name.source,
      at: nil
    )
    report.erased += try await writer.writer.depthFirst(from: [name.target], among: changes.died)
    report.related.append(name)
  }

  /// Whether an entity is dead, and was when the commit was written: whatever is erased above it, or
  /// itself, was erased before.
  private func wasDead(_ entity: EntityID) async throws -> Bool {
    guard try await writer.writer.isDead(entity) else { return false }
    var seen: Set<EntityID> = [entity]
    var pending = [entity]
    while let next = pending.popLast() {
      if try await writer.writer.status(of: next) == .erased {
        let life = try await history(of: next).first { $0.content.isLife }
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

extension Cell.Content {
  fileprivate var isLife: Bool { if case .life = self { true } else { false } }

  fileprivate var isBeginning: Bool {
    switch self {
    case .life(.created), .life(.recreated): true
    default: false
    }
  }
}
