import VarveCore

/// Plans the undo of changes of relations and elements.
extension Undoing {
  /// The planned changes of a relation.
  struct Plan {
    let name: RelationName
    let adds: [RecordedAdd]
    var changes: [FamilyChange] = []
    /// Targets whose edge was removed without the reference it is paired with (R28), and from when;
    /// nil for the commit's own time.
    var referred: [(target: EntityID, time: HybridTime?)] = []
  }

  /// Returns the relations and to-many properties that the commit changed or stated, each once.
  func relations() -> [RelationName] {
    var seen: Set<RelationName> = []
    return cells.compactMap { cell in
      switch cell.content {
      case .add(let relation, _, _, _), .remove(let relation, _, _):
        let name = RelationName(source: cell.entity, relation: relation)
        return seen.insert(name).inserted ? name : nil
      case .collection(let key):
        let name = RelationName(source: cell.entity, relation: Relation(.member, key))
        return seen.insert(name).inserted ? name : nil
      default: return nil
      }
    }
  }

  /// Returns the adds of a relation as they were before this undo.
  func families(of name: RelationName) async throws -> AddFamilies {
    if let families = families[name] { return families }
    let adds = try await writer.commit.adds(from: name.source, in: name.relation)
    let families = AddFamilies(adds)
    let later = families.all.flatMap(\.commits).filter(isLater).map(\.id)
    try await findUndos(of: Set(later))
    self.families[name] = families
    return families
  }

  /// Returns the planned changes of a relation; writes nothing.
  ///
  /// - Parameter doomed: entities that may be erased; edges to them are removed with them.
  func plan(for name: RelationName, sparing doomed: Set<EntityID>) async throws -> Plan {
    let families = try await families(of: name)
    let statements = try await statements(about: name, families)
    let whole = try await wholeStatements(of: name, statements[nil])
    var plan = Plan(name: name, adds: families.adds)
    for family in families.all {
      let own = family.adds.first { $0.commit.id == id }
      let taken = family.adds.first { $0.removals.contains { $0.commit.id == id } }
      let group = statements[family.origin.target] ?? statements[nil] ?? AddStatements()
      guard own != nil || taken != nil || group.isFollowed(id, in: family) else { continue }
      if family.origin.isPaired {
        // The edge follows the reference, unless it was removed without it.
        if let taken, own == nil, !isMove(edge(name, taken.target)) {
          for time in removalTimes(in: family) {
            if let other = removal(besides: taken, at: time, in: family) {
              skip(name, taken.target, by: other)
            } else {
              plan.referred.append((taken.target, time))
            }
          }
        }
        continue
      }
      var change = FamilyChange(
        of: family,
        undoing: id,
        among: group,
        and: whole,
        cancelled: cancelled(among: family),
        now: writer.commit.time
      )
      change.removals += try await deadlyAdds(of: family, in: name)
      change.isSpared = own != nil && doomed.contains(change.target)
      if let other = declaration(insteadOf: change, among: families, in: name) {
        let reason: UndoReport.Reason = isLater(other) ? .changedSince : .doneByAnother
        skip(name, change.target, reason, by: other)
        change.additions = []
      } else if change.isEmpty {
        try await explain(family, among: families, in: name)
      }
      if !change.isEmpty { plan.changes.append(change) }
    }
    return plan
  }

  /// Returns the times from which the commit removed adds of a family, ascending; nil, for its own
  /// time, is last.
  private func removalTimes(in family: AddFamilies.Family) -> [HybridTime?] {
    let times = family.adds.flatMap { add in
      add.removals.filter { $0.commit.id == id }
        .map { $0.time == time ? nil : max($0.time, add.time) }
    }
    return Set(times).sorted { left, right in
      guard let left else { return false }
      return right.map { left < $0 } ?? true
    }
  }

  /// Returns another commit that removed an edge too, if by that the edge does not count at the
  /// time from which this commit removed it; nil if there is none.
  private func removal(
    besides taken: RecordedAdd,
    at time: HybridTime?,
    in family: AddFamilies.Family
  ) -> CommitSummary? {
    let moment = time ?? writer.commit.time
    let cancelled = cancelled(among: family)
    return taken.removals.first { removal in
      removal.commit.id != id && removal.time <= moment && !cancelled.contains(removal.commit.id)
    }?.commit
  }

  /// Returns the ownerships by the commit that it left in a former life of the owner, which it
  /// created anew after them. They keep their target dead (R15).
  private func deadlyAdds(
    of family: AddFamilies.Family,
    in name: RelationName
  ) async throws -> [(add: AddID, time: HybridTime?)] {
    guard name.relation.kind == .owns else { return [] }
    let adds = family.adds.filter {
      $0.commit.id == id && $0.isFromFormerLife && $0.removals.isEmpty
    }
    guard !adds.isEmpty else { return [] }
    let rebirth = try await lives(of: name.source).first { $0.content.isRebirth }
    guard rebirth?.commit.id == id else { return [] }
    return adds.map { ($0.add, $0.time == time ? nil : $0.time) }
  }

  /// Returns what was written about each target of a relation, or about all elements of a property
  /// under nil, because it is set as a whole.
  private func statements(
    about name: RelationName,
    _ families: AddFamilies
  ) async throws -> [EntityID?: AddStatements] {
    var statements: [EntityID?: AddStatements] = [:]
    let isProperty = name.relation.kind == .member
    for add in families.adds where !add.isPaired {
      statements[isProperty ? nil : add.target, default: AddStatements()].insert(add)
    }
    guard isProperty else { return statements }
    for version in try await history(of: name.source)
    where version.content.key == name.relation.name {
      statements[nil, default: AddStatements()].insert(version.commit, at: version.time)
    }
    return statements
  }

  /// Returns the statements of all elements of a property by other commits that last.
  private func wholeStatements(
    of name: RelationName,
    _ statements: AddStatements?
  ) async throws -> WholeStatements {
    guard name.relation.kind == .member, let statements else { return WholeStatements() }
    // Undos state nothing of their own, and a commit that was undone no longer counts.
    let latest = statements.all.sorted { ($1.time, $1.id) < ($0.time, $0.id) }
    var undone: Set<CommitID> = [id]
    for commit in latest where !undone.contains(commit.id) {
      if let former = commit.undone { undone.insert(former) }
    }
    let all = try await writer.wholeStatements(of: name.source, name.relation.name)
    return WholeStatements(
      all.filter { $0.commit.undone == nil && !undone.contains($0.commit.id) },
      after: statements.times(of: id),
      of: time,
      isLater: isLater
    )
  }

  /// Returns the later commits that were undone, and the commits that undid them.
  private func cancelled(among family: AddFamilies.Family) -> Set<CommitID> {
    let lasting = Set(lasting(family).map(\.id))
    return Set(family.commits.filter { isLater($0) && !lasting.contains($0.id) }.map(\.id))
  }

  /// Returns another commit by which an edge holds whenever it is to be declared again; nil if
  /// there is none, and for elements, which may be repeated. A declaration for an earlier date is
  /// none: what ends it between the dates must not end both.
  private func declaration(
    insteadOf change: FamilyChange,
    among families: AddFamilies,
    in name: RelationName
  ) -> CommitSummary? {
    guard name.relation.kind != .member, !change.additions.isEmpty else { return nil }
    let others = families.adds.filter { $0.target == change.target && $0.commit.id != id }
    let now = writer.commit.time
    let isHeld = change.additions.allSatisfy { span in
      others.contains { other in
        span.from.map { $0 == other.time } ?? true
          && other.holds(from: span.from ?? now, until: span.end(now: now))
      }
    }
    guard isHeld else { return nil }
    let start = change.additions[0].from ?? now
    return others.last { $0.holds(at: start) }?.commit
  }

  /// Reports a change of a family that is not undone because others have replaced it.
  private func explain(
    _ family: AddFamilies.Family,
    among families: AddFamilies,
    in name: RelationName
  ) async throws {
    let target = family.origin.target
    let isPresent = family.adds.contains { $0.stands && $0.commit.id != id }
    guard !isPresent else { return }
    let change = lasting(family).first
    if family.adds.contains(where: { $0.commit.id == id }) {
      // Another commit has removed it since, and perhaps declared it again elsewhere.
      let other = families.adds.last { $0.target == target && $0.stands && isLater($0.commit) }
      if change != nil, let other { skip(name, target, by: other.commit) }
      return
    }
    let taken = family.adds.last { $0.removals.contains { $0.commit.id == id } }
    guard let taken else { return }
    if taken.isFromFormerLife {
      // An edge of a former life that ended with its owner does not concern the present life.
      var rebirth = try await rebirth(of: name.source)
      if rebirth == nil { rebirth = try await self.rebirth(of: target) }
      if let rebirth { return skip(name, target, by: rebirth) }
      // It kept the target dead, and no add can be one of a former life again.
      if name.relation.kind == .owns, try await !writer.commit.isDead(target) {
        report.skipped.append(.init(name.source, edge: edge(name, target), .createdAnew))
      }
      return
    }
    let others = taken.removals.map(\.commit).filter { $0.id != id && !isLater($0) }
    if let other = change ?? others.first { skip(name, target, by: other) }
  }

  func skip(
    _ name: RelationName,
    _ target: EntityID,
    _ reason: UndoReport.Reason = .changedSince,
    by change: CommitSummary?
  ) {
    let edge = edge(name, target)
    report.skipped.append(.init(name.source, edge: edge, reason, by: change))
  }

  func edge(_ name: RelationName, _ target: EntityID) -> UndoReport.EdgeName {
    UndoReport.EdgeName(source: name.source, relation: name.relation, target: target)
  }
}

extension AddStatements {
  /// Returns whether cells about a family follow statements of a commit.
  fileprivate func isFollowed(_ id: CommitID, in family: AddFamilies.Family) -> Bool {
    family.adds.contains { add in
      follows(add.commit, at: add.time, id)
        || add.removals.contains { follows($0.commit, at: $0.time, id) }
    }
  }
}
