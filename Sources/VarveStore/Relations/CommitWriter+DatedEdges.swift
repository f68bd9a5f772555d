import VarveCore

/// Relations and elements that are written for a date: what is stored of a later date stays as it is,
/// in whatever order both are written (R4).
extension CommitWriter {
  /// Whether it is stored of exactly a time that an edge stands, or whether it stands by a reference,
  /// which says so itself.
  func isSaid(_ edge: RelationEdge, at time: HybridTime) async throws -> Bool {
    let ends = EdgeEnds(source: edge.source, relation: edge.relation, target: edge.target)
    if try await times(of: ends).adds.contains(time) { return true }
    guard edge.relation.kind != .member else { return false }
    return try await !references(behind: ends).isEmpty
  }

  /// The first time later than another from which it is stored that an edge does not stand; nil for
  /// none, and for the present.
  func end(of edge: EdgeEnds, after time: HybridTime?) async throws -> HybridTime? {
    guard let time else { return nil }
    let removals = try await times(of: edge).removals
    for removal in removals.filter({ $0 > time.lastOfDate }).sorted() {
      if try await standing(edge, at: removal) == nil { return removal }
    }
    return nil
  }

  /// Removes, from a time on, the adds of an edge that came to those of a date.
  func removeAdded(
    to edge: EdgeEnds,
    since former: RelationEdge?,
    from time: HybridTime?,
    at end: HybridTime
  ) async throws {
    let standing = try await standing(edge, at: time)
    let added = Set(standing?.adds ?? []).subtracting(former?.adds ?? [])
    guard !added.isEmpty else { return }
    let removal = Cell.Content.remove(edge.relation, target: edge.target, adds: Array(added))
    try await keepAlive(try await apply(removal, to: edge.source, at: end).died)
  }

  /// Stores that an edge does not stand at a time at which it does not: an add that ends where it
  /// begins. Of what is dead, or not there yet, nothing is stored.
  func stateAbsence(of edge: EdgeEnds, at time: HybridTime) async throws {
    for end in edge.bothEnds {
      guard case .live = try await writer.status(of: end) else { return }
    }
    guard try await !times(of: edge).removals.contains(time) else { return }
    let changes = try await apply(
      .add(edge.relation, target: edge.target, position: nil),
      to: edge.source,
      at: time
    )
    try await removeAdded(to: edge, since: nil, from: time, at: time)
    try await keepAlive(changes.died)
  }

  private func times(of edge: EdgeEnds) async throws -> EdgeTimes {
    try await writer.times(from: edge.source, in: edge.relation, to: edge.target)
  }
}
