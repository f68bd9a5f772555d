import VarveCore

/// Relations and elements.
extension Undoing {
  /// The relations the commit changed, each once.
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

  /// The adds of a relation as they were before this undo.
  func families(of name: RelationName) async throws -> AddFamilies {
    if let families = families[name] { return families }
    let adds = try await writer.writer.adds(from: name.source, in: name.relation)
    let families = AddFamilies(adds)
    self.families[name] = families
    return families
  }

  /// What is to become of a relation.
  struct Plan {
    fileprivate let name: RelationName
    fileprivate let adds: [RecordedAdd]
    /// Removed adds that are to stand again.
    fileprivate var revived: Set<AddID> = []
    /// Standing adds that are to go.
    fileprivate var removed: Set<AddID> = []
    /// Standing adds that are declared anew, in the same place.
    fileprivate var moved: Set<AddID> = []
    /// Standing adds that are to go if their target is erased.
    fileprivate var spared: Set<AddID> = []
    /// Revived adds that were declared already.
    fileprivate var declared: Set<AddID> = []
    /// The times that adds are declared or removed for, if not now.
    fileprivate var times: [AddID: HybridTime] = [:]
    /// Targets whose edge was taken back without the reference it is one fact with (R28).
    fileprivate var referred: [EntityID] = []
  }

  /// The times the commit declared and removed adds of a relation for; nil for its own.
  private struct WrittenTimes {
    var declared: [AddID: HybridTime?] = [:]
    var removed: [AddID: HybridTime?] = [:]
  }

  private func writtenTimes(of name: RelationName) -> WrittenTimes {
    var times = WrittenTimes()
    for cell in cells where cell.entity == name.source {
      switch cell.content {
      case .add(name.relation, _, _, _):
        times.declared[AddID(commit: id, ordinal: cell.ordinal)] = .some(cell.time)
      case .remove(name.relation, _, let adds):
        for add in adds {
          let add = AddID(commit: add.commit ?? id, ordinal: add.ordinal)
          let earlier = times.removed[add].map { min($0 ?? time, cell.time ?? time) }
          times.removed[add] = .some(earlier.map { $0 == time ? nil : $0 } ?? cell.time)
        }
      default: break
      }
    }
    return times
  }

  /// Undoes what the commit did to relations. What was taken back is declared first, so that nothing
  /// is without an owner in between.
  func undoRelations(_ plans: inout [Plan]) async throws {
    for index in plans.indices { try await revive(&plans[index]) }
    for plan in plans {
      for target in plan.referred { try await declareAgain(edge(plan.name, target)) }
    }
    for plan in plans { try await remove(plan.removed.union(plan.moved), of: plan) }
  }

  /// Takes back what the commit declared to entities that are erased.
  func remove(_ plans: [Plan], to erased: [EntityID]) async throws {
    let erased = Set(erased)
    for plan in plans {
      let gone = plan.adds.filter { plan.spared.contains($0.add) && erased.contains($0.target) }
      try await remove(Set(gone.map(\.add)), of: plan)
    }
  }

  /// What is to become of a relation; reads only.
  ///
  /// - Parameter doomed: entities that may be erased: what points to them goes with them.
  func plan(for name: RelationName, sparing doomed: Set<EntityID>) async throws -> Plan {
    let families = try await families(of: name)
    let times = writtenTimes(of: name)
    var plan = Plan(name: name, adds: families.adds)
    for family in families.all {
      let own = family.adds.first { $0.commit.id == id }
      let taken = family.adds.first { $0.removals.contains { $0.id == self.id } }
      if family.origin.isPaired {
        // It comes and goes with the reference, unless it was taken back without it.
        if let taken, own == nil, !isMove(edge(name, taken.target)) {
          plan.referred.append(taken.target)
        }
        continue
      }
      let begin = own.flatMap { times.declared[$0.add] ?? nil }
      let end = taken.flatMap { times.removed[$0.add] ?? nil }
      for add in family.adds { plan.times[add.add] = own == nil ? end : begin }
      switch (own, taken) {
      case (let own?, nil):
        undoAdd(family, among: families, in: &plan, sparing: doomed.contains(own.target))
      case (nil, let taken?): try await undoRemoval(taken, of: family, among: families, in: &plan)
      // What the commit both declared and took back for one time it left as it was.
      case (let own?, let taken?) where begin != end:
        if own.add != taken.add {
          try await undoRemoval(taken, of: family, among: families, in: &plan)
          plan.times[taken.add] = end
          undoAdd(family, among: families, in: &plan, sparing: doomed.contains(own.target))
        } else {
          // From the one time to the other it stood.
          plan.removed.insert(own.add)
        }
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
      // Somebody took it back since, and perhaps declared it again elsewhere.
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
    guard !family.adds.contains(where: { $0.stands && $0.commit.id != id }) else { return }
    let target = taken.target
    if taken.isFromFormerLife {
      // An edge of a former life that went with its owner says nothing of the present one.
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

  /// Declares again the ownerships that bring back what is dead, and those whose ends live; leaves the
  /// rest. Returns whether there were any.
  func revive(ownersIn plan: inout Plan) async throws -> Bool {
    guard plan.name.relation.kind == .owns, try await !writer.writer.isDead(plan.name.source) else {
      return false
    }
    var hasDeclared = false
    for add in plan.adds where plan.isPending(add) {
      // What is erased itself would not live by it.
      guard try await writer.writer.status(of: add.target) == .dead else { continue }
      try await declare(add, in: &plan)
      hasDeclared = true
    }
    return hasDeclared
  }

  /// Removes the ownerships of the commit by which something is dead; leaves the rest. Returns whether
  /// there were any.
  func release(deadIn plan: inout Plan) async throws -> Bool {
    guard plan.name.relation.kind == .owns else { return false }
    var named: Set<AddID> = []
    for add in plan.adds where plan.removed.contains(add.add) {
      if try await writer.writer.status(of: add.target) == .dead { named.insert(add.add) }
    }
    guard !named.isEmpty else { return false }
    try await remove(named, of: plan)
    plan.removed.subtract(named)
    return true
  }

  /// Whether an erased entity can live, with the ownerships that are to stand again: those are declared
  /// where it needs them.
  func canLive(_ entity: EntityID, by plans: inout [Plan]) async throws -> Bool {
    if try await writer.writer.canLive(entity, restoringOwners: false) { return true }
    for index in plans.indices where plans[index].name.relation.kind == .owns {
      guard case .live = try await writer.writer.status(of: plans[index].name.source) else {
        continue
      }
      for add in plans[index].adds where add.target == entity && plans[index].isPending(add) {
        try await declare(add, in: &plans[index])
        return true
      }
    }
    return false
  }

  /// Declares again what was taken back, where it stood. What stands in the very same place, and stood
  /// after it, is declared anew after it: adds of one place stand in the order they were made.
  private func revive(_ plan: inout Plan) async throws {
    var tie: Position?
    for add in plan.adds {
      if plan.revived.contains(add.add) {
        if plan.isPending(add) {
          guard try await revive(add, in: &plan) else { continue }
        }
        tie = add.position
      } else if add.stands, add.position == tie, !plan.removed.contains(add.add) {
        plan.times[add.add] = nil
        try await declare(add.target, add.position, in: plan.name, at: nil)
        plan.moved.insert(add.add)
      }
    }
  }

  private func remove(_ removed: Set<AddID>, of plan: Plan) async throws {
    struct Group: Hashable {
      let target: EntityID
      let time: HybridTime?
    }
    var named: [Group: [AddID]] = [:]
    var order: [Group] = []
    for add in plan.adds where removed.contains(add.add) {
      let group = Group(target: add.target, time: plan.times[add.add])
      if named[group] == nil { order.append(group) }
      named[group, default: []].append(add.add)
    }
    for group in order {
      let adds = named[group] ?? []
      let content = Cell.Content.remove(plan.name.relation, target: group.target, adds: adds)
      let changes = try await writer.apply(content, to: plan.name.source, at: group.time)
      try await writer.keepAlive(changes.died)
      guard !plan.moved.isSuperset(of: adds) else { continue }
      report.unrelated.append(edge(plan.name, group.target))
    }
  }

  /// Declares one again; returns false where that is not possible.
  private func revive(_ add: RecordedAdd, in plan: inout Plan) async throws -> Bool {
    let (source, target) = (plan.name.source, add.target)
    let edge = edge(plan.name, target)
    if plan.name.relation.kind == .owns, try await !writer.writer.isDead(target),
      try await wasDead(source)
    {
      return try await diesAgain(edge, add.position, at: plan.times[add.add])
    }
    // What was dead before the commit had the relation then.
    for end in [source, target] {
      guard try await writer.writer.isDead(end), try await !wasDead(end) else { continue }
      report.skipped.append(.init(source, edge: edge, .notLive))
      return false
    }
    try await declare(add, in: &plan)
    return true
  }

  private func declare(_ add: RecordedAdd, in plan: inout Plan) async throws {
    try await declare(add.target, add.position, in: plan.name, at: plan.times[add.add])
    plan.declared.insert(add.add)
    report.related.append(edge(plan.name, add.target))
  }

  private func declare(
    _ target: EntityID,
    _ position: Position,
    in name: RelationName,
    at time: HybridTime?
  ) async throws {
    let content = Cell.Content.add(name.relation, target: target, position: position)
    let changes = try await writer.apply(content, to: name.source, at: time)
    try await writer.keepAlive(changes.died)
  }
}

extension Undoing.Plan {
  /// Whether an add is to stand again, and was not declared yet.
  fileprivate func isPending(_ add: RecordedAdd) -> Bool {
    revived.contains(add.add) && !declared.contains(add.add)
  }
}

extension AddFamilies {
  /// The commit of an add of a target that stands.
  fileprivate func standing(
    _ target: EntityID,
    where condition: (CommitSummary) -> Bool
  ) -> CommitSummary? {
    adds.last { $0.target == target && $0.stands && condition($0.commit) }?.commit
  }
}
