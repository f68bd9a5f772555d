import VarveCore

/// Undoes the creations and restores of the commit.
extension Undoing {
  /// Erases the entities that the commit created or restored, unless an entity that a later commit
  /// changed would die. Returns the erased ones.
  func erase(_ lives: Lives) async throws -> [EntityID] {
    var (roots, dead): ([EntityID], [EntityID]) = ([], [])
    var ownerships: [Ownership] = []
    for (entity, begin) in lives.passed {
      let life = try await standing(nil, of: entity).first
      if life?.commit.id == id {
        try await end(self.ownerships(of: entity, from: begin))
      } else {
        report.skipped.append(.init(entity, .changedSince, by: life?.commit))
      }
    }
    for entity in lives.begun {
      switch try await writer.commit.status(of: entity) {
      case .live:
        let begin = try await writer.lifeTime(of: entity, at: lives.times[entity])
        let own = try await self.ownerships(of: entity, from: begin)
        if let change = try await change(dyingWith: [entity], without: own) {
          report.skipped.append(.init(entity, .changedSince, by: change))
        } else {
          roots.append(entity)
          ownerships += own
        }
      case .dead:
        if try await eraseDead(entity, at: lives.times[entity]) { dead.append(entity) }
      case .erased, .unknown: break
      }
    }
    guard !roots.isEmpty else { return dead }
    if let change = try await change(dyingWith: roots, without: ownerships) {
      for root in roots { report.skipped.append(.init(root, .changedSince, by: change)) }
      return dead
    }
    for root in roots {
      if try await hasSettledDeath(of: root) {
        report.skipped.append(.init(root, .conflictSettled))
      }
    }
    try await end(ownerships)
    for root in roots { try await endEarlier(root, at: lives.times[root]) }
    report.erased += try await writer.erase(roots, isStrict: false) { lives.times[$0] }
    return dead + roots
  }

  /// Ends a life from the date at which the commit began it, if later commits ended it and gave it
  /// back. An erasure follows these, so the past would keep the life before them.
  private func endEarlier(_ entity: EntityID, at time: HybridTime?) async throws {
    guard let time, try await writer.lifeTime(of: entity, at: time) != time else { return }
    try await writer.apply(.life(.erased), to: entity, at: time)
  }

  /// Erases an entity that is dead with its owners again, so that it does not return with them.
  /// Returns false if a later commit changed it.
  private func eraseDead(_ entity: EntityID, at time: HybridTime?) async throws -> Bool {
    if let change = try await laterChange(of: entity) {
      report.skipped.append(.init(entity, .changedSince, by: change))
      return false
    }
    let time = try await writer.lifeTime(of: entity, at: time)
    // What it owned before it was created stays dead with it.
    for ownership in try await ownerships(of: entity, from: time) where !ownership.isOwn {
      let edge = UndoReport.EdgeName(
        source: entity,
        relation: ownership.relation,
        target: ownership.target
      )
      report.skipped.append(.init(entity, edge: edge, .ownersDead))
    }
    try await writer.apply(.life(.erased), to: entity, at: time)
    if !report.erased.contains(entity) { report.erased.append(entity) }
    return true
  }

  /// Returns the latest change by a later commit of an entity that would die with some others.
  ///
  /// - Parameter ownerships: the ownerships that are removed before.
  func change(
    dyingWith roots: [EntityID],
    without ownerships: [Ownership] = []
  ) async throws -> CommitSummary? {
    let ended = Set(ownerships.map(\.add))
    for entity in try await writer.commit.dying(with: roots, without: ended) {
      if let change = try await laterChange(of: entity) { return change }
    }
    return nil
  }

  /// Returns the latest change of an entity by a later commit.
  private func laterChange(of entity: EntityID) async throws -> CommitSummary? {
    let history = try await history(of: entity)
    let later = Dictionary(grouping: history, by: \.content.key).values
      .compactMap { lasting($0.map(\.commit)).first }
    if let latest = later.max(by: { ($0.time, $0.id.sequence) < ($1.time, $1.id.sequence) }) {
      return latest
    }
    // An entity created by the commit has other relations only if a later commit declared them, or
    // an earlier one that did not know the entity.
    guard history.contains(where: { $0.commit.id == id && $0.content.isBeginning }) else {
      return nil
    }
    for kind in Relation.Kind.allCases {
      for relation in try await writer.commit.relations(from: entity, of: kind) {
        let name = RelationName(source: entity, relation: relation)
        if let change = try await change(ofAddsIn: name, where: { $0.stands || isLater($0.commit) })
        {
          return change
        }
      }
    }
    for edge in try await writer.commit.edges(to: entity, of: .owns) where !edge.isFromFormerLife {
      let name = RelationName(source: edge.source, relation: edge.relation)
      let change = try await change(ofAddsIn: name) { $0.stands && edge.adds.contains($0.add) }
      if let change { return change }
    }
    return nil
  }

  /// Returns a later change of a relation that is in effect at some time.
  private func change(
    ofAddsIn name: RelationName,
    where isWanted: (RecordedAdd) -> Bool
  ) async throws -> CommitSummary? {
    for family in try await families(of: name).all
    where family.adds.contains(where: { $0.holdsEver && isWanted($0) }) {
      if let change = lasting(family).first { return change }
    }
    return nil
  }

  /// Returns whether the commit settled a death by restoring an entity: an entity that would die
  /// with it was written to by a commit that no erasure had seen.
  private func hasSettledDeath(of root: EntityID) async throws -> Bool {
    let lives = try await lives(of: root)
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
