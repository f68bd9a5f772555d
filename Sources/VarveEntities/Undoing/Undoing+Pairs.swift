import VarveCore

/// Undoes changes of edges that are paired with a reference.
extension Undoing {
  /// Returns whether the commit removed an edge because its reference changed. Undoing the
  /// reference restores the edge.
  func isMove(_ name: UndoReport.EdgeName) -> Bool {
    cells.contains { cell in
      guard case .add(let relation, let target, _, let pairing?) = cell.content,
        relation == name.relation
      else { return false }
      return pairing.end == .target ? target == name.target : cell.entity == name.source
    }
  }

  /// Writes a reference again whose edge was removed without it, so that both count.
  ///
  /// - Parameter time: the time from which the edge was removed; nil for the commit's own.
  func declareAgain(_ name: UndoReport.EdgeName, at time: HybridTime?) async throws {
    guard let time else { return try await declareAgain(name) }
    let isHeld = try await writer.commit.adds(from: name.source, in: name.relation)
      .contains { $0.isPaired && $0.target == name.target && $0.holds(at: time) }
    try await forEachPair(of: name) { entity, key, pair in
      let other = pair.pairing.end == .source ? name.target : name.source
      let register = try await writer.commit.register(of: entity.id, key: key, at: time)
      // The reference was not changed by the commit, so its version gives the edge's position.
      guard let register, register.content.value.flatMap(EntityID.init(referenceIn:)) == other,
        !isHeld || pair.isRemoved && pair.other == other,
        try await !writer.commit.isDead(other)
      else { return }
      let version = try await history(of: entity.id)
        .first { $0.content.key == key && $0.time == register.time }
      try await writer.applyPaired(
        register.content,
        key,
        to: entity.id,
        at: time,
        restoring: version
      )
      report.related.append(name)
    }
  }

  private func declareAgain(_ name: UndoReport.EdgeName) async throws {
    try await forEachPair(of: name) { entity, key, pair in
      guard pair.source == name.source, pair.target == name.target, pair.isRemoved,
        let property = entity.property(key),
        EntityID(referenceIn: property.value) == pair.other,
        try await !writer.commit.isDead(pair.other)
      else { return }
      try await writer.set(entity.id, [PropertyChange(key: key, property: property)], at: nil)
      report.related.append(name)
    }
  }

  /// Notes the ownerships of a version of a reference that other commits removed without it: to
  /// keep the owned entity alive.
  func noteLostEdges(of version: Version, of holder: EntityID, at time: HybridTime?) async throws {
    guard let key = version.content.key,
      let other = version.content.value.flatMap(EntityID.init(referenceIn:))
    else { return }
    let moment = time ?? writer.commit.time
    for pair in try await writer.commit.pairedEdges(of: holder, key: key)
    where pair.relation.kind == .owns {
      let ends = PairedEnds(pair.relation, pair.pairing, of: holder).ends(other)
      let isLost = try await writer.commit.adds(from: ends.source, in: ends.relation)
        .contains { add in
          add.isPaired && add.target == ends.target && add.commit.id == version.commit.id
            && add.time == version.time
            && add.removals.contains { $0.commit.id != id && $0.time <= moment }
        }
      guard isLost else { continue }
      let name = RelationName(source: ends.source, relation: ends.relation)
      lostEdges.insert(edge(name, ends.target))
    }
  }

  /// Calls a function with each live end of an edge, each key of it that is paired with edges of
  /// the relation from that end, and the greatest of these edges.
  private func forEachPair(
    of name: UndoReport.EdgeName,
    _ body: (StoredEntity, PropertyKey, PairedEdge) async throws -> Void
  ) async throws {
    let ends = EdgeEnds(source: name.source, relation: name.relation, target: name.target)
    for holder in ends.bothEnds {
      guard let entity = try await writer.commit.entity(holder) else { continue }
      for key in try await writer.commit.pairedKeys() {
        for pair in try await writer.commit.pairedEdges(of: holder, key: key)
        where pair.relation == name.relation
          && holder == (pair.pairing.end == .source ? name.source : name.target)
        {
          try await body(entity, key, pair)
        }
      }
    }
  }
}
