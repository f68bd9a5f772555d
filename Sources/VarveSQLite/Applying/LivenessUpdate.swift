import VarveCore

/// Updates liveness (R16) at the cost of the affected part of the graph.
extension Session {
  /// Recomputes which entities are dead among those that some entities own, directly or indirectly,
  /// and writes the changes.
  ///
  /// - Parameters:
  ///   - before: whether each entity was live before its register changed, if the identity table no
  ///     longer has that state.
  ///   - isErasure: whether the writer erased and saw what dies by it.
  func updateLiveness(
    from changed: [EntityID],
    before: [EntityID: Bool] = [:],
    byErasure isErasure: Bool = false
  ) throws -> LifeChanges {
    let region = try OwnedRegion(from: changed, filter: .now, in: self)
    let liveness = Liveness(nodes: region.nodes, edges: region.edges)
    var changes = LifeChanges()
    for (index, id) in region.ids.enumerated() {
      guard var identity = region.identities[index] else { continue }
      let had = identity
      identity.flags.remove([.below, .dead])
      if liveness.isBelow[index] { identity.flags.insert(.below) }
      if liveness.isDead[index] { identity.flags.insert(.dead) }
      if identity.flags != had.flags { try save(identity) }
      changes.add(try settle(identity, from: had, before: before[id], byErasure: isErasure))
    }
    return changes
  }

  /// Updates a row to match the computed liveness of its entity.
  ///
  /// - Parameters:
  ///   - had: the stored identity, which determines whether there is a row.
  ///   - before: whether the entity was live before its register changed; nil if it did not change.
  private func settle(
    _ identity: Identity,
    from had: Identity,
    before: Bool?,
    byErasure: Bool
  ) throws -> LifeEvent? {
    let wasLive = before ?? had.isLive
    guard identity.isLive else {
      if wasLive || had.isLive { try deleteRow(of: identity) }
      if identity.flags.contains(.known) { try noteDeath(of: identity.id, byErasure: byErasure) }
      return wasLive ? .died(identity.id) : nil
    }
    if !wasLive || before != nil { try rederive(identity) }
    return wasLive ? nil : .revived(identity.id)
  }
}

/// A change in the liveness of one entity.
private enum LifeEvent {
  case died(EntityID)
  case revived(EntityID)
}

extension LifeChanges {
  fileprivate mutating func add(_ event: LifeEvent?) {
    switch event {
    case .died(let id): died.append(id)
    case .revived(let id): revived.append(id)
    case nil: break
    }
  }
}

/// The part of the ownership graph below some entities, with the owners around it.
struct OwnedRegion {
  private(set) var ids: [EntityID] = []
  private(set) var identities: [Identity?] = []
  private(set) var nodes: [Liveness.Node] = []
  private(set) var edges: [(owner: Int, owned: Int)] = []
  private var numbers: [EntityID: Int] = [:]

  /// Decides which edges count and which entities are erased in a state.
  struct Filter {
    var stands: (Link, Session) throws -> Bool
    var isGhost: (Link, Session) throws -> Bool
    var isErased: (EntityID, Identity?, Session) throws -> Bool
    /// Decides which edges that do not stand may have carried liveness before.
    var hasStood: (Link, Session) throws -> Bool = { _, _ in false }
    /// Returns the life of an owner outside the region.
    var life: (EntityID, Session) throws -> Identity.Flags = { id, session in
      try session.identity(id)?.flags ?? []
    }

    /// The filter for the present.
    static var now: Filter {
      Filter(
        stands: { link, _ in link.isStanding && !link.former.contains(.intoRebirth) },
        isGhost: { link, _ in link.former.contains(.outOfRebirth) },
        isErased: { _, identity, _ in identity?.flags.contains(.erased) ?? false }
      )
    }
  }

  init(from changed: [EntityID], filter: Filter, in session: Session) throws {
    for id in changed { try add(id, filter, session) }
    var next = 0
    while next < ids.count {
      for link in try session.ownershipLinks(from: ids[next])
      where try filter.reaches(link, session) {
        try add(link.target, filter, session)
      }
      next += 1
    }
    for index in ids.indices { try addOwners(of: index, filter, session) }
  }

  private mutating func add(_ id: EntityID, _ filter: Filter, _ session: Session) throws {
    guard numbers[id] == nil else { return }
    numbers[id] = ids.count
    ids.append(id)
    let identity = try session.identity(id)
    identities.append(identity)
    nodes.append(Liveness.Node(isErased: try filter.isErased(id, identity, session)))
  }

  private mutating func addOwners(
    of index: Int,
    _ filter: Filter,
    _ session: Session
  ) throws {
    for link in try session.links(to: ids[index], kind: .owns)
    where try filter.stands(link, session) {
      if try filter.isGhost(link, session) {
        nodes[index].hasDeadEndOutside = true
      } else if let owner = numbers[link.source] {
        edges.append((owner, index))
      } else {
        let life = try filter.life(link.source, session)
        if !life.isDisjoint(with: [.erased, .below]) { nodes[index].hasDeadEndOutside = true }
        if !life.contains(.dead) { nodes[index].hasLiveOwnerOutside = true }
      }
    }
  }
}

extension OwnedRegion.Filter {
  /// Returns whether an edge may carry a change from its owner. This includes edges that no longer
  /// count or do not count yet.
  fileprivate func reaches(_ link: Link, _ session: Session) throws -> Bool {
    try stands(link, session) || hasStood(link, session)
  }
}

extension Session {
  /// Returns the ownership adds out of an entity.
  func ownershipLinks(from id: EntityID) throws -> [Link] {
    try links(from: id).filter { $0.relation.kind == .owns }
  }
}
