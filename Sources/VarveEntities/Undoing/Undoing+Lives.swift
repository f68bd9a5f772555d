import VarveCore

/// Undoes changes of lives.
extension Undoing {
  /// An entity whose life the commit changed, and the times for which it changed it.
  struct WrittenLife {
    let entity: EntityID
    var first: (life: Life, time: HybridTime?)
    var last: (life: Life, time: HybridTime?)
    /// Whether the commit created the entity anew.
    var isReborn: Bool
  }

  /// The entities whose lives the commit began or ended, in its order.
  struct Lives {
    var begun: [EntityID] = []
    var ended: [EntityID] = []
    /// The entities that another commit created or restored too. They stay, without the properties
    /// that this commit wrote.
    var shared: [EntityID] = []
    /// The entities that the commit created and erased, with the times of their creation; nil for
    /// the commit's own time.
    var passed: [(entity: EntityID, begin: HybridTime?)] = []
    /// The times of the beginnings and ends; none for the commit's own time.
    var times: [EntityID: HybridTime] = [:]
  }

  /// Returns the lives that the commit began and ended. If another commit did the same, this one
  /// began or ended nothing.
  func lives() async throws -> Lives {
    var lives = Lives()
    for life in writtenLives() {
      let entity = life.entity
      if try await isPassing(life) {
        if try await revert(passing: life) { lives.shared.append(entity) }
        continue
      }
      if life.isReborn, life.first.life == .erased || life.last.life == .erased {
        // The life that it had is history, and the one that followed is not what it had.
        report.skipped.append(.init(entity, .createdAnew))
        continue
      }
      switch (life.first.life, life.last.life) {
      case (.erased, .erased):
        if try await remainsErased(entity, at: life.last.time) { continue }
        try await bridge(life, by: .restored)
        lives.ended.append(entity)
        lives.times[entity] = life.last.time
      case (.erased, _): try await bridge(life, by: .restored)
      case (_, .erased):
        try await bridge(life, by: .erased)
        if life.first.life.isCreation { lives.passed.append((entity, life.first.time)) }
      default:
        if try await isStatement(life) { continue }
        if let other = try await otherBeginning(of: entity, life.first.life) {
          report.skipped.append(.init(entity, .doneByAnother, by: other))
          lives.shared.append(entity)
          continue
        }
        // Its former life is history: what it held and what owned it cannot be given back.
        if life.first.life.isRebirth { report.skipped.append(.init(entity, .createdAnew)) }
        lives.begun.append(entity)
        lives.times[entity] = life.first.time
      }
    }
    return lives
  }

  /// Reverts what the commit wrote for the times between its first and its last cell of a life.
  private func bridge(_ life: WrittenLife, by change: Life) async throws {
    guard let begin = life.first.time, begin != life.last.time else { return }
    try await writer.apply(.life(change), to: life.entity, at: begin)
  }

  /// Returns whether the commit changed a life only up to a time at which another, which it had seen,
  /// had changed it already. Only undos do, which bridge a death or a life that passed.
  private func isPassing(_ life: WrittenLife) async throws -> Bool {
    guard life.first.time != nil else { return false }
    for version in try await lives(of: life.entity) {
      if version.commit.id == id { return false }
      if !isLater(version.commit), try await hasSeen(id, version.commit.id) { return true }
    }
    return false
  }

  /// Reverts what the commit wrote for a time, up to the next change of the life. Returns whether the
  /// entity had been created already, for a later time, at which it begins again.
  private func revert(passing life: WrittenLife) async throws -> Bool {
    let former: Life = life.first.life == .erased ? .restored : .erased
    try await writer.apply(.life(former), to: life.entity, at: life.first.time)
    guard life.first.life.isCreation,
      let next = try await lives(of: life.entity).prefix(while: { $0.commit.id != id }).last,
      next.content.isCreation
    else { return false }
    // A creation begins no life where another has ended.
    try await writer.apply(.life(.restored), to: life.entity, at: next.time)
    return true
  }

  private func writtenLives() -> [WrittenLife] {
    var written: [WrittenLife] = []
    var places: [EntityID: Int] = [:]
    for cell in cells {
      guard case .life(let life) = cell.content else { continue }
      if let place = places[cell.entity] {
        written[place].last = (life, cell.time)
        written[place].isReborn = written[place].isReborn || life.isRebirth
      } else {
        places[cell.entity] = written.count
        let change = (life, cell.time)
        written.append(
          WrittenLife(
            entity: cell.entity,
            first: change,
            last: change,
            isReborn: life.isRebirth
          )
        )
      }
    }
    return written
  }

  /// Returns whether another commit had also erased an entity: one that this commit had not seen,
  /// or one whose conflict it settled. Then the entity is erased again, so that both can be undone.
  /// A purge of what was erased already changed no life.
  private func remainsErased(_ entity: EntityID, at time: HybridTime?) async throws -> Bool {
    let versions = try await standing(nil, of: entity)
    guard versions.first?.commit.id == id,
      let before = versions.first(where: { $0.commit.id != id && !$0.content.isCreation }),
      before.content == .life(.erased)
    else { return false }
    let isKnown = try await hasSeen(id, before.commit.id)
    if isKnown, isForgetting { return true }
    let time = try await writer.lifeTime(of: entity, at: time)
    try await writer.apply(.life(.erased), to: entity, at: time)
    if isKnown {
      report.skipped.append(.init(entity, .conflictSettled))
    } else {
      report.skipped.append(.init(entity, .doneByAnother, by: before.commit))
    }
    return true
  }

  /// Returns whether the commit stated that an entity lives which lived already, as a merge of
  /// duplicates does, and the entity would live without it. If another commit has erased the entity
  /// meanwhile, it lives by the statement.
  private func isStatement(_ life: WrittenLife) async throws -> Bool {
    guard life.first.life == .restored, life.last.life == .restored else { return false }
    for version in try await lives(of: life.entity) {
      if version.commit.id == id || isLater(version.commit) { continue }
      guard try await hasSeen(id, version.commit.id) else { continue }
      if version.content == .life(.erased) { return false }
      break
    }
    let others = try await standing(nil, of: life.entity).filter { $0.commit.id != id }
    let before = others.first { !$0.content.isCreation } ?? others.first
    return before?.content != .life(.erased)
  }

  /// Returns another commit that keeps alive an entity which this commit created or restored.
  private func otherBeginning(of entity: EntityID, _ life: Life) async throws -> CommitSummary? {
    let others = try await standing(nil, of: entity).filter { $0.commit.id != id }
    let before = others.first { !$0.content.isCreation } ?? others.first
    guard let before, before.content != .life(.erased) else { return nil }
    // A later change of a life that this commit began stays.
    if isLater(before.commit), try await hasSeen(before.commit.id, id) { return nil }
    if life.isCreation { return before.commit }
    // A commit begins a life only if all lives that its author had seen have ended.
    let isKnown = try await hasSeen(id, before.commit.id)
    return isKnown || before.content.isCreation ? nil : before.commit
  }

  /// Returns the entities whose lives did not change since.
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

  /// Restores entities that can live, owners before owned ones, with the ownerships that the commit
  /// removed; leaves the rest.
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
  fileprivate var isRebirth: Bool { if case .recreated = self { true } else { false } }
}

extension Cell.Content {
  var isCreation: Bool {
    if case .life(let life) = self { life.isCreation } else { false }
  }
}

/// Undoes the restoring of entities as roots.
extension Undoing {
  /// Returns whether an ownership of a dead owner can be declared again, which the commit removed
  /// to let the target live. The target dies with it again, unless a later commit changed an entity
  /// that would die.
  func canDieAgain(_ name: UndoReport.EdgeName) async throws -> Bool {
    guard let change = try await change(dyingWith: [name.target]) else { return true }
    report.skipped.append(.init(name.source, edge: name, .changedSince, by: change))
    return false
  }

  /// Returns whether an entity is dead and was already dead when the commit was written: it, or
  /// every erased owner above it, was erased before.
  func wasDead(_ entity: EntityID) async throws -> Bool {
    guard try await writer.commit.isDead(entity) else { return false }
    return try await ancestors(of: [entity]) != nil
  }

  /// Returns whether the source of a removed ownership was already dead when the commit was
  /// written, and is dead, or lives only because its target does.
  ///
  /// In a circle below an erased owner, each entity dies with the other. A commit that ends the
  /// ownership of one of them lets it live, and the other by it.
  func wasDead(sourceOf name: UndoReport.EdgeName) async throws -> Bool {
    if try await wasDead(name.source) { return true }
    let ancestors = try await ancestors(of: [name.source, name.target])
    guard let ancestors, ancestors.areBelow else { return false }
    let doomed = try await writer.commit.doomed(with: [name.target])
    let dying = doomed.unknown.union(doomed.live)
    for entity in ancestors.members where !dying.contains(entity) {
      if try await writer.commit.keepsAlive(entity) { return false }
    }
    return true
  }

  /// Returns some entities and everything that owns them, up to erased owners and former lives, and
  /// whether there were any of these before the commit. Returns nil if an owner was erased since.
  private func ancestors(
    of entities: [EntityID]
  ) async throws -> (members: Set<EntityID>, areBelow: Bool)? {
    var seen = Set(entities)
    var areBelow = false
    var pending = entities
    while let next = pending.popLast() {
      if try await writer.commit.status(of: next) == .erased {
        let life = try await standing(nil, of: next).first
        guard let life, life.commit.time < time else { return nil }
        areBelow = true
        continue
      }
      for edge in try await writer.commit.edges(to: next, of: .owns) {
        if edge.isFromFormerLife {
          // It counts as from an erased owner.
          let birth = try await lives(of: edge.source).first { $0.content.isRebirth }
          if let birth, birth.commit.time < time { areBelow = true }
        } else if seen.insert(edge.source).inserted {
          pending.append(edge.source)
        }
      }
    }
    return (seen, areBelow)
  }
}
