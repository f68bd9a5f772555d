import VarveCore

/// Writes the planned changes of relations and elements.
extension Undoing {
  /// Undoes the changes of relations. Removed edges are declared first, so that no entity is
  /// without an owner in between.
  func undoRelations(_ plans: inout [Plan]) async throws {
    var moved: [[FamilyChange]] = []
    for index in plans.indices { moved.append(try await revive(&plans[index])) }
    for plan in plans {
      for (target, time) in plan.referred {
        try await declareAgain(edge(plan.name, target), at: time)
      }
    }
    for (plan, moved) in zip(plans, moved) {
      try await remove(plan.changes.filter { !$0.isSpared }, of: plan)
      try await remove(moved, of: plan, isReported: false)
    }
  }

  /// Removes the edges that the commit declared to erased entities.
  func remove(_ plans: [Plan], to erased: [EntityID]) async throws {
    let erased = Set(erased)
    for plan in plans {
      try await remove(
        plan.changes.filter { $0.isSpared && erased.contains($0.target) },
        of: plan
      )
    }
  }

  /// Declares again the ownerships that revive dead entities, if their owners live; leaves the
  /// rest. Returns whether there were any.
  func revive(ownersIn plan: inout Plan) async throws -> Bool {
    guard plan.name.relation.kind == .owns, try await !writer.commit.isDead(plan.name.source) else {
      return false
    }
    var hasDeclared = false
    for index in plan.changes.indices where plan.changes[index].isPending {
      // An ownership does not revive an entity that is itself erased.
      guard try await writer.commit.status(of: plan.changes[index].target) == .dead else {
        continue
      }
      try await declare(&plan.changes[index], in: plan.name)
      hasDeclared = true
    }
    return hasDeclared
  }

  /// Removes the ownerships of the commit that keep entities dead; leaves the rest. Returns whether
  /// there were any.
  func release(deadIn plan: inout Plan) async throws -> Bool {
    guard plan.name.relation.kind == .owns else { return false }
    var hasRemoved = false
    for index in plan.changes.indices {
      let change = plan.changes[index]
      guard !change.isSpared, !change.removals.isEmpty,
        try await writer.commit.status(of: change.target) == .dead
      else { continue }
      try await remove([change], of: plan)
      plan.changes[index].removals = []
      hasRemoved = true
    }
    return hasRemoved
  }

  /// Returns whether an erased entity can live with the ownerships that are to be declared again.
  /// Declares those that it needs.
  func canLive(_ entity: EntityID, by plans: inout [Plan]) async throws -> Bool {
    if try await writer.commit.canLive(entity, restoringOwners: false) { return true }
    for index in plans.indices where plans[index].name.relation.kind == .owns {
      guard case .live = try await writer.commit.status(of: plans[index].name.source) else {
        continue
      }
      let place = plans[index].changes.firstIndex { $0.target == entity && $0.isPending }
      guard let place else { continue }
      try await declare(&plans[index].changes[place], in: plans[index].name)
      return true
    }
    return false
  }

  /// Declares removed edges again at their positions. Later edges at the same position are declared
  /// again after them, because adds at one position are ordered by their declaration. Returns the
  /// changes that remove the former declarations of these.
  private func revive(_ plan: inout Plan) async throws -> [FamilyChange] {
    var moved: [FamilyChange] = []
    var tie: (position: ListPosition, from: HybridTime?)?
    let removed = Set(plan.changes.flatMap { $0.removals.map(\.add) })
    for add in plan.adds {
      let index = plan.changes.firstIndex { $0.anchor == add.add && !$0.additions.isEmpty }
      if let index {
        if plan.changes[index].isPending {
          guard try await revive(&plan.changes[index], in: plan.name) else { continue }
        }
        tie = (add.position, plan.changes[index].additions[0].from)
      } else if let tie, add.stands, add.position == tie.position, !removed.contains(add.add) {
        let from = tie.from.map { max($0, add.time) }
        var change = FamilyChange(moving: add, from: from)
        try await declare(&change, in: plan.name, isReported: false)
        moved.append(change)
      }
    }
    return moved
  }

  private func remove(
    _ changes: [FamilyChange],
    of plan: Plan,
    isReported: Bool = true
  ) async throws {
    struct Group: Hashable {
      let target: EntityID
      let time: HybridTime?
    }
    var named: [Group: [AddID]] = [:]
    var order: [Group] = []
    for change in changes {
      for (add, time) in change.removals {
        let group = Group(target: change.target, time: time)
        if named[group] == nil { order.append(group) }
        named[group, default: []].append(add)
      }
    }
    for group in order {
      let content = Cell.Content.remove(
        plan.name.relation,
        target: group.target,
        adds: named[group] ?? []
      )
      let changes = try await writer.apply(content, to: plan.name.source, at: group.time)
      try await writer.keepAlive(changes.died)
      if isReported { report.unrelated.append(edge(plan.name, group.target)) }
    }
  }

  /// Declares an edge again; returns false if that is not possible.
  private func revive(_ change: inout FamilyChange, in name: RelationName) async throws -> Bool {
    let edge = edge(name, change.target)
    if name.relation.kind == .owns, try await !writer.commit.isDead(change.target),
      try await wasDead(sourceOf: edge)
    {
      guard try await canDieAgain(edge) else { return false }
      let died = try await write(change, in: name)
      report.erased += try await writer.commit.depthFirst(from: [change.target], among: died)
      report.related.append(edge)
      change.isDeclared = true
      return true
    }
    // An end that was already dead before the commit had the relation at that time.
    for end in [name.source, change.target] {
      guard try await writer.commit.isDead(end), try await !wasDead(end) else { continue }
      report.skipped.append(.init(name.source, edge: edge, .notLive))
      return false
    }
    try await declare(&change, in: name)
    return true
  }

  private func declare(
    _ change: inout FamilyChange,
    in name: RelationName,
    isReported: Bool = true
  ) async throws {
    try await writer.keepAlive(try await write(change, in: name))
    change.isDeclared = true
    if isReported { report.related.append(edge(name, change.target)) }
  }

  /// Writes the additions of a change. Returns what is dead by them.
  private func write(_ change: FamilyChange, in name: RelationName) async throws -> [EntityID] {
    let content = Cell.Content.add(
      name.relation,
      target: change.target,
      position: change.position
    )
    var died: [EntityID] = []
    for span in change.additions {
      let known = Set(try await written(to: change, in: name))
      died += try await writer.apply(content, to: name.source, at: span.from).died
      guard let end = span.end(now: writer.commit.time) else { continue }
      let fresh = try await written(to: change, in: name).filter { !known.contains($0) }
      let removal = Cell.Content.remove(name.relation, target: change.target, adds: fresh)
      let time = end == writer.commit.time ? nil : end
      let revived = try await writer.apply(removal, to: name.source, at: time).revived
      died.removeAll(where: revived.contains)
    }
    return died
  }

  /// Returns the adds of this undo at the place of a change.
  private func written(to change: FamilyChange, in name: RelationName) async throws -> [AddID] {
    guard change.additions.contains(where: { $0.end(now: writer.commit.time) != nil }) else {
      return []
    }
    return try await writer.commit.adds(from: name.source, in: name.relation)
      .filter { $0.target == change.target && $0.add.commit == nil }
      .map(\.add)
  }
}

extension FamilyChange {
  /// Creates the change that declares an edge again at its position, behind others there.
  fileprivate init(moving add: RecordedAdd, from time: HybridTime?) {
    (target, position, anchor) = (add.target, add.position, add.add)
    additions = [Span(from: time)]
    removals = [(add.add, time)]
  }
}
