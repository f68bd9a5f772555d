import VarveCore

/// Ends the ownerships of entities whose creation is undone.
///
/// An owner that is not created yet keeps alive what it owns (R16), and an erased one does not. So
/// an entity whose creation is undone owns nothing from its creation on: what it owned before it
/// was created lives on without it, at present and in past states.
extension Undoing {
  /// An add of an ownership that would be in effect after its owner's erasure.
  struct Ownership {
    let owner: EntityID
    let relation: Relation
    let target: EntityID
    let add: AddID
    /// The time from which it ends; nil for the time of the undo.
    let end: HybridTime?
    /// Whether the undone commit declared it, or this undo did with a reference.
    let isOwn: Bool
  }

  /// Returns the ownerships that end with an entity from a time on; nil stands for the time of the
  /// undo. Of an entity that the commit created, these are all; of one that it restored, those that
  /// this undo declared with references, although they had been removed before the commit.
  func ownerships(of entity: EntityID, from begin: HybridTime?) async throws -> [Ownership] {
    let isCreated = try await lives(of: entity)
      .contains { $0.commit.id == id && $0.content.isBeginning }
    guard isCreated || lostEdges.contains(where: { $0.source == entity }) else { return [] }
    let now = writer.commit.time
    var ownerships: [Ownership] = []
    for relation in try await writer.commit.relations(from: entity, of: .owns) {
      for add in try await writer.commit.adds(from: entity, in: relation) {
        let edge = UndoReport.EdgeName(source: entity, relation: relation, target: add.target)
        let isAgain = add.add.commit == nil && lostEdges.contains(edge)
        guard isCreated || isAgain else { continue }
        let isOwn = add.commit.id == id || isAgain
        // Those that the commit declared for its own time end now, together with those targets.
        guard !isOwn || isAgain || begin != nil else { continue }
        let end = max(begin ?? now, add.time)
        guard try await counts(add, of: entity, at: end),
          add.removals.allSatisfy({ end < $0.time })
        else { continue }
        ownerships.append(
          Ownership(
            owner: entity,
            relation: relation,
            target: add.target,
            add: add.add,
            end: end == now ? nil : end,
            isOwn: isOwn
          )
        )
      }
    }
    return ownerships
  }

  /// Returns whether an ownership belongs to the lives that its ends have at a time. The target's
  /// re-creation for a later time does not count then.
  private func counts(
    _ add: RecordedAdd,
    of owner: EntityID,
    at time: HybridTime
  ) async throws -> Bool {
    guard add.isFromFormerLife else { return true }
    guard try await writer.commit.rebirth(of: owner) == nil else { return false }
    return try await writer.commit.rebirth(of: add.target).map { time < $0 } ?? true
  }

  /// Removes ownerships, and reports those that the commit did not declare itself. What they kept
  /// alive loses its dead owners too, so that it lives on.
  func end(_ ownerships: [Ownership]) async throws {
    struct Group: Hashable {
      let edge: UndoReport.EdgeName
      let end: HybridTime?
    }
    var (named, order): ([Group: [AddID]], [Group]) = ([:], [])
    for ownership in ownerships {
      let edge = UndoReport.EdgeName(
        source: ownership.owner,
        relation: ownership.relation,
        target: ownership.target
      )
      let group = Group(edge: edge, end: ownership.end)
      if named[group] == nil { order.append(group) }
      named[group, default: []].append(ownership.add)
      if !ownership.isOwn, !report.unrelated.contains(edge) { report.unrelated.append(edge) }
    }
    let now = writer.commit.time
    var revived: [EntityID] = []
    for end in Set(order.map(\.end)).sorted(by: { ($0 ?? now) < ($1 ?? now) }) {
      let cells = order.filter { $0.end == end }.map { group in
        WrittenCell(
          group.edge.source,
          .remove(group.edge.relation, target: group.edge.target, adds: named[group] ?? []),
          at: end
        )
      }
      let lives = try await writer.apply(together: cells)
      try await writer.keepAlive(lives.died, at: end)
      revived += lives.revived
    }
    let targets = ownerships.map(\.target)
    report.restored += try await writer.commit.depthFirst(from: targets, among: revived)
  }
}

extension RecordedAdd {
  /// Whether it counts at some time.
  var holdsEver: Bool { !isFromFormerLife && removals.allSatisfy { time < $0.time } }
}
