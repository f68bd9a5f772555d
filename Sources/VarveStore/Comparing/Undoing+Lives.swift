import VarveCore

/// Lives.
extension Undoing {
  /// An entity whose life the commit changed, and the time it changed it for.
  struct WrittenLife {
    let entity: EntityID
    var first: (life: Life, time: HybridTime?)
    var last: (life: Life, time: HybridTime?)
  }

  /// The lives the commit began, and those it ended, in its order.
  struct Lives {
    var begun: [EntityID] = []
    var ended: [EntityID] = []
    /// Those that another commit began too: they go on without what this one wrote.
    var shared: [EntityID] = []
    /// When they began or ended; nil for the commit's own time.
    var times: [EntityID: HybridTime] = [:]
  }

  /// Finds whose life the commit began and whose it ended. Where another commit did the same, nothing
  /// began or ended with this one.
  func lives() async throws -> Lives {
    var lives = Lives()
    for life in writtenLives() {
      let entity = life.entity
      switch (life.first.life, life.last.life) {
      case (.erased, .erased):
        if try await remainsErased(entity, at: life.last.time) { continue }
        lives.ended.append(entity)
        lives.times[entity] = life.last.time
      case (.erased, .recreated): report.skipped.append(.init(entity, .createdAnew))
      case (.erased, _): break
      case (_, .erased):
        // Between both times it lived.
        guard let begin = life.first.time, life.first.life.isCreation else { continue }
        try await writer.apply(.life(.erased), to: entity, at: begin)
      default:
        if let other = try await otherBeginning(of: entity, life.first.life) {
          report.skipped.append(.init(entity, .doneByAnother, by: other))
          lives.shared.append(entity)
          continue
        }
        lives.begun.append(entity)
        lives.times[entity] = life.first.time
      }
    }
    return lives
  }

  private func writtenLives() -> [WrittenLife] {
    var written: [WrittenLife] = []
    var places: [EntityID: Int] = [:]
    for cell in cells {
      guard case .life(let life) = cell.content else { continue }
      if let place = places[cell.entity] {
        written[place].last = (life, cell.time)
      } else {
        places[cell.entity] = written.count
        let change = (life, cell.time)
        written.append(WrittenLife(entity: cell.entity, first: change, last: change))
      }
    }
    return written
  }

  /// Whether an entity that the commit erased was erased before it: by a commit that had not seen it,
  /// or by one whose conflict it settled. It is erased again then, so that both can be undone.
  private func remainsErased(_ entity: EntityID, at time: HybridTime?) async throws -> Bool {
    let versions = try await standing(nil, of: entity)
    guard versions.first?.commit.id == id,
      let before = versions.first(where: { $0.commit.id != id && !$0.content.isCreation }),
      before.content == .life(.erased)
    else { return false }
    let time = try await writer.lifeTime(of: entity, at: time)
    try await writer.apply(.life(.erased), to: entity, at: time)
    if try await hasSeen(id, before.commit.id) {
      report.skipped.append(.init(entity, .conflictSettled))
    } else {
      report.skipped.append(.init(entity, .doneByAnother, by: before.commit))
    }
    return true
  }

  /// Another commit by which an entity lives that the commit created or restored.
  private func otherBeginning(of entity: EntityID, _ life: Life) async throws -> CommitSummary? {
    let others = try await standing(nil, of: entity).filter { $0.commit.id != id }
    let before = others.first { !$0.content.isCreation } ?? others.first
    guard let before, before.content != .life(.erased) else { return nil }
    // A later change of what this commit began is one that stays.
    if isLater(before.commit), try await hasSeen(before.commit.id, id) { return nil }
    if life.isCreation { return before.commit }
    // What its author knew of was dead then, or it would not have begun a life.
    let isKnown = try await hasSeen(id, before.commit.id)
    return isKnown || before.content.isCreation ? nil : before.commit
  }

  /// Those of the entities that nothing ended or began since.
  func restorable(_ entities: [EntityID]) async throws -> [EntityID] {
    var restorable: [EntityID] = []
    for entity in entities {
      let life = try await standing(nil, of: entity).first
      let rebirth = try await rebirth(of: entity)
      if life?.commit.id == id, rebirth == nil {
        restorable.append(entity)
      } else {
        report.skipped.append(.init(entity, .changedSince, by: rebirth ?? life?.commit))
      }
    }
    return restorable
  }

  /// Brings back what can live, owners before what they own, with the ownerships that the commit took
  /// back; leaves the rest.
  func restore(
    _ entities: inout [EntityID],
    _ times: [EntityID: HybridTime],
    by plans: inout [Plan]
  ) async throws {
    var hasProgressed = true
    while hasProgressed {
      hasProgressed = false
      for entity in entities {
        guard try await canLive(entity, by: &plans) else { continue }
        report.restored += try await writer.restore(entity, .ifOwned, at: times[entity])
        entities.removeAll { $0 == entity }
        hasProgressed = true
      }
      for index in plans.indices where try await revive(ownersIn: &plans[index]) {
        hasProgressed = true
      }
      for index in plans.indices where try await release(deadIn: &plans[index]) {
        hasProgressed = true
      }
    }
  }
}

extension Life {
  fileprivate var isCreation: Bool { if case .created = self { true } else { false } }
}

extension Cell.Content {
  var isCreation: Bool {
    if case .life(let life) = self { life.isCreation } else { false }
  }
}

/// Entities restored as roots.
extension Undoing {
  /// Takes back that an owner that was dead already lost what it owned, which lives since: that dies
  /// with it again, unless a later commit changed something that would die.
  func diesAgain(
    _ name: UndoReport.EdgeName,
    _ position: Position,
    at time: HybridTime?
  ) async throws -> Bool {
    if let change = try await change(dyingWith: [name.target]) {
      report.skipped.append(.init(name.source, edge: name, .changedSince, by: change))
      return false
    }
    let changes = try await writer.apply(
      .add(name.relation, target: name.target, position: position),
      to: name.source,
      at: time
    )
    report.erased += try await writer.writer.depthFirst(from: [name.target], among: changes.died)
    report.related.append(name)
    return true
  }

  /// Whether an entity is dead, and was when the commit was written: whatever is erased above it, or
  /// itself, was erased before.
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
