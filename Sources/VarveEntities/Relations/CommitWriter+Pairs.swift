package import VarveCore

/// Writes edges that are paired with a reference property (R28). Each is written with the
/// property's cell, in the same commit and with the same time, so that both win or lose together.
extension CommitWriter {
  /// Moves a paired edge to the target of the property.
  ///
  /// - Parameters:
  ///   - pair: the greatest edge of the register before.
  ///   - other: the new target of the property; nil if there is none.
  ///   - time: the time of the property's cell.
  ///   - position: the edge's position; nil for the end.
  func move(
    _ pair: PairedEdge,
    of holder: EntityID,
    to other: EntityID?,
    at time: HybridTime?,
    position: ListPosition? = nil
  ) async throws {
    let edge = PairedEnds(pair.relation, pair.pairing, of: holder)
    try await declare(edge, to: other, at: time, position: position)
    guard !pair.isRemoved, pair.other != other else { return }
    // A value for an earlier time removes nothing, so it orphans nothing.
    let present = try await commit.pairedEdges(of: holder, key: pair.pairing.key)
    guard !present.contains(where: { $0.add == pair.add }) else { return }
    try await end(pair, replacedBy: other, at: time)
  }

  /// Removes a paired edge in whose place another was declared, and applies the policy of its
  /// relation.
  private func end(
    _ pair: PairedEdge,
    replacedBy other: EntityID?,
    at time: HybridTime?
  ) async throws {
    // An entity that refers to its owner changes owners. An entity that its owner refers to loses
    // that owner.
    let isGivenUp = other == nil || (other != pair.other && pair.pairing.end == .source)
    let loses = isGivenUp ? try await policyIfOrphaned(by: pair) : nil
    let removal = Cell.Content.remove(pair.relation, target: pair.target, adds: [pair.add])
    try await keepAlive(try await apply(removal, to: pair.source, at: time).died)
    if loses == .erase { _ = try await erase([pair.target], isStrict: false, at: time) }
  }

  /// Writes the add of a paired edge.
  private func declare(
    _ edge: PairedEnds,
    to other: EntityID?,
    at time: HybridTime?,
    position: ListPosition? = nil
  ) async throws {
    let ends = edge.ends(other ?? edge.holder)
    let pairing = Pairing(edge.pairing.key, at: edge.pairing.end, isVoid: other == nil)
    let content = Cell.Content.add(
      ends.relation,
      target: ends.target,
      position: position,
      pairing: pairing
    )
    try await keepAlive(try await apply(content, to: ends.source, at: time).died)
  }

  /// Returns the position that an edge has already: the present one if the reference stays the
  /// same, or the one with an earlier version of the property. Nil if there is none.
  func position(
    of pair: PairedEdge,
    of holder: EntityID,
    to other: EntityID?,
    as version: Version? = nil
  ) async throws -> ListPosition? {
    if !pair.isRemoved, pair.other == other {
      return try await commit.adds(from: pair.source, in: pair.relation)
        .first { $0.add == pair.add }?.position
    }
    guard let version, let other = version.value.flatMap(EntityID.init(referenceIn:)) else {
      return nil
    }
    let ends = PairedEnds(pair.relation, pair.pairing, of: holder).ends(other)
    return try await commit.adds(from: ends.source, in: ends.relation)
      .last { add in
        add.isPaired && add.target == ends.target && add.commit.id == version.commit.id
          && add.time == version.time
      }?
      .position
  }

  /// Removes a property under an older name after it was written under the present one. Its paired
  /// edge continues under the present name, so that no entity is without an owner in between.
  package func giveUp(_ older: PropertyKey, for key: PropertyKey, of id: EntityID) async throws {
    let dated = try await timeInLife(of: id, at: defaultTime)
    let time = try await dated == nil ? timeAboveCurrent(of: id, older) : dated
    let pairs = try await commit.pairedEdges(of: id, key: older)
    let other = try await commit.entity(id)?[key].flatMap(EntityID.init(referenceIn:))
    try await apply(.removal(older), to: id, at: time)
    for pair in pairs {
      if !pair.isRemoved || other != pair.other {
        let present = PairedEnds(pair.relation, Pairing(key, at: pair.pairing.end), of: id)
        let position = try await position(of: pair, of: id, to: other)
        try await declare(present, to: other, at: time, position: position)
      }
      try await declare(PairedEnds(pair.relation, pair.pairing, of: id), to: nil, at: time)
      guard !pair.isRemoved else { continue }
      try await end(pair, replacedBy: other, at: time)
    }
  }

  /// Returns the policy for an entity that loses its only owner, or nil if it is kept.
  private func policyIfOrphaned(by pair: PairedEdge) async throws -> OrphanPolicy? {
    let policy = orphanPolicies[pair.relation.name] ?? .keep
    guard policy != .keep, pair.relation.kind == .owns, !pair.isRemoved else { return nil }
    let ends = EdgeEnds(source: pair.source, relation: pair.relation, target: pair.target)
    guard try await isOnlyOwner(ends) else { return nil }
    if policy == .refuse { throw Self.orphaned(ends) }
    return policy
  }

  // MARK: The typed layer

  /// Updates the edges of a reference to match it, and pairs those that are not paired yet.
  ///
  /// The property's cell must have been written before if necessary. An edge that is paired already
  /// has moved with it.
  ///
  /// - Parameters:
  ///   - other: the target of the property; nil if there is none.
  ///   - former: the former target.
  ///   - isOwn: returns whether an unpaired edge to, or from, an entity belongs to this reference.
  /// - Returns: whether anything had to be written.
  @discardableResult
  package func settle(
    _ edge: PairedEnds,
    to other: EntityID?,
    from former: EntityID?,
    ifOwn isOwn: (EntityID) async throws -> Bool
  ) async throws -> Bool {
    let key = edge.pairing.key
    let present = try await commit.entity(edge.holder)?[key]
    // A value for an earlier time does not move the present edge.
    guard present.flatMap(EntityID.init(referenceIn:)) == other else { return false }
    let pair = try await commit.pairedEdges(of: edge.holder, key: key).first { edge.isSame(as: $0) }
    let others = try await commit.others(of: edge)
    let isMissing = try await isMissing(edge, to: other, from: former, others)
    var stale: [EntityID] = []
    for id in others where id != other {
      let isIts = id == former ? true : try await isOwn(id)
      if isIts { stale.append(id) }
    }
    let isNew = other != former && pair == nil && other != nil
    guard isNew || isMissing || !stale.isEmpty else { return false }
    if let other, isNew || isMissing { try await requireEnds(of: edge.ends(other)) }
    let time = try await rewrite(edge, isWritten: other != former)
    if isMissing || pair == nil || pair?.other != other {
      try await declare(edge, to: other, at: time)
    }
    for id in stale {
      let ends = edge.ends(id)
      let from = ends.relation.kind == .free ? ends.source : edge.holder
      try await unrelateOnly(ends, from: from, orphans: nil, at: time)
    }
    return true
  }

  /// Returns whether the target of a reference lacks its edge. A dead entity owns nothing, and
  /// references to it stay (R19).
  private func isMissing(
    _ edge: PairedEnds,
    to other: EntityID?,
    from former: EntityID?,
    _ others: [EntityID]
  ) async throws -> Bool {
    guard let other, !others.contains(other) else { return false }
    if other != former { return true }
    return try await !commit.isDead(other)
  }

  /// Returns the time of the property's cell. The cell is written again unless this commit wrote
  /// it, because an edge that is paired later would not lose together with an older cell.
  private func rewrite(
    _ edge: PairedEnds,
    isWritten: Bool
  ) async throws -> HybridTime? {
    let (id, key) = (edge.holder, edge.pairing.key)
    let dated = try await timeInLife(of: id, at: defaultTime)
    let time = try await dated == nil ? timeAboveCurrent(of: id, key) : dated
    guard !isWritten else { return time }
    let property = try await commit.entity(id)?.property(key)
    let content =
      property.map { Cell.Content.value(key, $0.value, semanticType: $0.semanticType) }
      ?? .removal(key)
    try await apply(content, to: id, at: time)
    return time
  }

  // MARK: Edges by hand

  /// Returns the references of live entities that are paired with an edge that counts.
  func references(behind edge: EdgeEnds) async throws -> [Reference] {
    guard commit.mayHavePairedEdges else { return [] }
    var found: [Reference] = []
    for holder in edge.bothEnds {
      guard let entity = try await commit.entity(holder) else { continue }
      for key in entity.keys {
        for pair in try await commit.pairedEdges(of: holder, key: key)
        where !pair.isRemoved && pair.relation == edge.relation && pair.source == edge.source
          && pair.target == edge.target
        {
          found.append(Reference(holder: holder, key: key))
        }
      }
    }
    return found
  }

  /// Removes the references that are paired with a present edge, which also removes the edge. One
  /// that begins after the time is removed just after it begins.
  func removeReferences(behind edge: RelationEdge, at time: HybridTime?) async throws {
    let ends = EdgeEnds(source: edge.source, relation: edge.relation, target: edge.target)
    for var reference in try await references(behind: ends) {
      reference.time = try await commit.currentTime(of: reference.holder, key: reference.key)
      try await remove(reference, at: time)
    }
  }
}

extension EdgeEnds {
  /// The source and the target, once if they are the same.
  var bothEnds: [EntityID] { source == target ? [source] : [source, target] }
}

/// A property of an entity that refers to another.
struct Reference: Hashable {
  let holder: EntityID
  let key: PropertyKey
  /// The time of its value; nil if it is not needed, or if the property has no value at the date.
  var time: HybridTime?
}

/// The edge that a property is paired with, without its other end.
package struct PairedEnds {
  let relation: Relation
  package let pairing: Pairing
  package let holder: EntityID

  init(_ relation: Relation, _ pairing: Pairing, of holder: EntityID) {
    self.relation = relation
    self.pairing = pairing
    self.holder = holder
  }

  /// Creates the edge of a reference. `kind` is seen from the holder; nil is a free relation from
  /// the other end.
  package init(
    _ key: PropertyKey,
    of holder: EntityID,
    _ kind: RelationKind?,
    named name: PropertyKey
  ) {
    let isSource = kind == .owns || kind == .free
    relation = Relation(kind == nil || kind == .free ? .free : .owns, name)
    pairing = Pairing(key, at: isSource ? .source : .target)
    self.holder = holder
  }

  package func ends(_ other: EntityID) -> EdgeEnds {
    pairing.end == .source
      ? EdgeEnds(source: holder, relation: relation, target: other)
      : EdgeEnds(source: other, relation: relation, target: holder)
  }

  /// Whether an edge is of the same relation and has the holder at the same end.
  func mayBe(_ edge: EdgeEnds) -> Bool {
    relation == edge.relation && holder == (pairing.end == .source ? edge.source : edge.target)
  }

  package func isSame(as pair: PairedEdge) -> Bool {
    pair.relation == relation && pair.pairing.end == pairing.end && pair.pairing.key == pairing.key
  }
}
