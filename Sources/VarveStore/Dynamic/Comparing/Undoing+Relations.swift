import VarveCore

/// Undoes changes of relations and elements.
extension Undoing {
  /// Returns the relations that the commit changed, each once.
  func relations() -> [RelationName] {
    var seen: Set<RelationName> = []
    return cells.compactMap { cell in
      switch cell.content {
      case .add(let relation, _, _, _), .remove(let relation, _, _):
        let name = RelationName(source: cell.entity, relation: relation)
        return seen.insert(name).inserted ? name : nil
      default: return nil
      }
    }
  }

  /// Returns the adds of a relation as they were before this undo.
  func families(of name: RelationName) async throws -> AddFamilies {
    if let families = families[name] { return families }
    let adds = try await writer.writer.adds(from: name.source, in: name.relation)
    let families = AddFamilies(adds)
    self.families[name] = families
    return families
  }

  /// The planned changes of a relation.
  struct Plan {
    fileprivate let name: RelationName
    fileprivate let adds: [RecordedAdd]
    /// The removed adds that will be added again.
    fileprivate var revived: Set<AddID> = []
    /// The counting adds that will be removed.
    fileprivate var removed: Set<AddID> = []
    /// The counting adds that will be added again at the same position.
    fileprivate var moved: Set<AddID> = []
    /// The counting adds that will be removed if their target is erased.
    fileprivate var spared: Set<AddID> = []
    /// The targets whose edge was removed without the reference that it is one fact with (R28).
    fileprivate var referred: [EntityID] = []
  }

  /// Undoes the changes of relations. Removed adds are restored first, so that no entity is without
  /// an owner in between.
  ///
  /// - Parameter doomed: the entities that may be erased; edges to them are removed with them.
  func undoRelations(sparing doomed: Set<EntityID>) async throws -> [Plan] {
    var plans: [Plan] = []
    for name in relations() { plans.append(try await plan(for: name, sparing: doomed)) }
    for index in plans.indices { try await revive(&plans[index]) }
    for plan in plans {
      for target in plan.referred { try await declareAgain(edge(plan.name, target)) }
    }
    for plan in plans { try await remove(plan.removed.union(plan.moved), of: plan) }
    return plans
  }

  /// Removes the adds of the commit to erased entities.
  func remove(_ plans: [Plan], to erased: [EntityID]) async throws {
    let erased = Set(erased)
    for plan in plans {
      let gone = plan.adds.filter { plan.spared.contains($0.add) && erased.contains($0.target) }
      try await remove(Set(gone.map(\.add)), of: plan)
    }
  }

  fileprivate func plan(
    for name: RelationName,
    sparing doomed: Set<EntityID>
  ) async throws -> Plan {
    let families = try await families(of: name)
    var plan = Plan(name: name, adds: families.adds)
    for family in families.all {
      let own = family.adds.first { $0.commit.id == id }
      let taken = family.adds.first { $0.removals.contains { $0.id == self.id } }
      if family.origin.isPaired {
        // The edge follows its reference, unless it was removed without it.
        if let taken, own == nil, !isMove(edge(name, taken.target)) {
          plan.referred.append(taken.target)
        }
        continue
      }
      switch (own, taken) {
      case (let own?, nil):
        undoAdd(family, among: families, in: &plan, sparing: doomed.contains(own.target))
      case (nil, let taken?): try await undoRemoval(taken, of: family, among: families, in: &plan)
      // An add that the commit both wrote and removed changed nothing.
      default: break
      }
    }
    return plan
  }

  private func undoAdd(
    _ family: AddFamilies.Family,
    among families: AddFamilies,
    in plan: inout Plan,
    sparing isSpared: Bool
  ) {
    let change = lasting(family.commits).first
    let standing = family.adds.filter(\.stands)
    guard !standing.isEmpty else {
      // It was removed since, and perhaps added again elsewhere.
      if change != nil, let other = families.standing(family.origin.target, where: isLater) {
        skip(plan.name, family.origin.target, by: other)
      }
      return
    }
    guard change == nil else { return skip(plan.name, family.origin.target, by: change) }
    if isSpared {
      plan.spared.formUnion(standing.map(\.add))
    } else {
      plan.removed.formUnion(standing.map(\.add))
    }
  }

  private func undoRemoval(
    _ taken: RecordedAdd,
    of family: AddFamilies.Family,
    among families: AddFamilies,
    in plan: inout Plan
  ) async throws {
    guard !family.adds.contains(where: \.stands) else { return }
    let target = taken.target
    if taken.isFromFormerLife {
      // An edge of a former life, which ended with its owner, does not concern the present life.
      var rebirth = try await rebirth(of: plan.name.source)
      if rebirth == nil { rebirth = try await self.rebirth(of: target) }
      if let rebirth { skip(plan.name, target, by: rebirth) }
      return
    }
    let others = taken.removals.filter { $0.id != id && !isLater($0) }
    if let change = lasting(family.commits).first ?? others.first {
      return skip(plan.name, target, by: change)
    }
    let other = families.standing(target) { $0.id != id }
    if plan.name.relation.kind != .member, let other {
      return skip(plan.name, target, by: other)
    }
    plan.revived.insert(taken.add)
  }

  private func skip(_ name: RelationName, _ target: EntityID, by change: CommitSummary?) {
    let edge = edge(name, target)
    report.skipped.append(.init(name.source, edge: edge, .changedSince, by: change))
  }

  private func edge(_ name: RelationName, _ target: EntityID) -> UndoReport.EdgeName {
    UndoReport.EdgeName(source: name.source, relation: name.relation, target: target)
  }

  // MARK: Writing

  /// Adds the removed targets again at their positions. An add at the same position that came later
  /// is written again after them, because adds of one position are in the order in which they were
  /// made.
  private func revive(_ plan: inout Plan) async throws {
    var tie: Position?
    for add in plan.adds {
      if plan.revived.contains(add.add) {
        guard try await revive(add, in: plan.name) else { continue }
        tie = add.position
      } else if add.stands, add.position == tie, !plan.removed.contains(add.add) {
        try await declare(add, in: plan.name)
        plan.moved.insert(add.add)
      }
    }
  }

  private func remove(_ removed: Set<AddID>, of plan: Plan) async throws {
    var named: [EntityID: [AddID]] = [:]
    var order: [EntityID] = []
    for add in plan.adds where removed.contains(add.add) {
      if named[add.target] == nil { order.append(add.target) }
      named[add.target, default: []].append(add.add)
    }
    for target in order {
      let content = Cell.Content.remove(
        plan.name.relation,
        target: target,
        adds: named[target] ?? []
      )
      let changes = try await writer.apply(content, to: plan.name.source, at: nil)
      try await writer.keepAlive(changes.died)
      guard !plan.moved.isSuperset(of: named[target] ?? []) else { continue }
      report.unrelated.append(
        .init(source: plan.name.source, relation: plan.name.relation, target: target)
      )
    }
  }

  /// Adds a target again. Returns false if that is not possible.
  private func revive(_ add: RecordedAdd, in name: RelationName) async throws -> Bool {
    let (source, target) = (name.source, add.target)
    let edge = edge(name, target)
    if name.relation.kind == .owns, try await !writer.writer.isDead(target),
      try await wasDead(source)
    {
      return try await diesAgain(edge, add.position)
    }
    for end in [source, target] where try await writer.writer.isDead(end) {
      report.skipped.append(.init(source, edge: edge, .notLive))
      return false
    }
    try await declare(add, in: name)
    report.related.append(edge)
    return true
  }

  private func declare(_ add: RecordedAdd, in name: RelationName) async throws {
    let content = Cell.Content.add(name.relation, target: add.target, position: add.position)
    let changes = try await writer.apply(content, to: name.source, at: nil)
    try await writer.keepAlive(changes.died)
  }
}

extension AddFamilies {
  /// Returns the commit of a counting add of a target.
  fileprivate func standing(
    _ target: EntityID,
    where condition: (CommitSummary) -> Bool
  ) -> CommitSummary? {
    adds.last { $0.target == target && $0.stands && condition($0.commit) }?.commit
  }
}
