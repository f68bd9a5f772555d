import VarveCore

/// Writes relations and elements for a date. Statements for later dates stay, in whatever
/// order the statements are written (R4).
extension CommitWriter {
  /// Returns whether an edge has an add for exactly a time, or a reference that it is paired with.
  func isSaid(_ edge: RelationEdge, at time: HybridTime) async throws -> Bool {
    let ends = EdgeEnds(source: edge.source, relation: edge.relation, target: edge.target)
    if try await times(of: ends).adds.contains(time) { return true }
    guard edge.relation.kind != .member else { return false }
    return try await !references(behind: ends).isEmpty
  }

  /// Returns the first later time for which the absence of an edge is stored, or all elements of
  /// its property are stated; nil if there is none, and for the present.
  func end(of edge: EdgeEnds, after time: HybridTime?) async throws -> HybridTime? {
    guard let time else { return nil }
    let whole =
      edge.relation.kind == .member
      ? try await wholeStatement(of: edge.source, edge.relation.name, after: time) : nil
    let removals = try await times(of: edge).removals
    for removal in removals.filter({ $0 > time.lastOfDate }).sorted() {
      if let whole, removal >= whole { break }
      if try await standing(edge, at: removal) == nil { return removal }
    }
    return whole
  }

  /// Removes, from a time on, the adds that an edge has besides those of a date.
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

  /// Stores the absence of an edge at a time, as an add that is removed at the same time. Does
  /// nothing if an end is not live.
  func stateAbsence(of edge: EdgeEnds, at time: HybridTime) async throws {
    for end in edge.bothEnds {
      guard case .live = try await commit.status(of: end) else { return }
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

  /// Returns the time of an add without one, so that it is above the removals of the edge (R4):
  /// nil, unless one of them is in the future.
  func timeAboveRemovals(of edge: EdgeEnds) async throws -> HybridTime? {
    guard commit.mayHoldLaterTimes, let last = try await times(of: edge).removals.max() else {
      return nil
    }
    return last > commit.time ? last.successor : nil
  }

  /// Returns the time of a removal without one, so that it is above the adds of the edge (R4): nil,
  /// unless one of them is in the future.
  func timeAboveAdds(of edge: EdgeEnds) async throws -> HybridTime? {
    guard commit.mayHoldLaterTimes, let last = try await times(of: edge).adds.max() else {
      return nil
    }
    return last > commit.time ? last.successor : nil
  }

  /// Returns the time of a dated change of an edge, which must not be before the present lives of
  /// the ends that it depends on (R15).
  func timeInLives(of edge: EdgeEnds, at time: HybridTime?) async throws -> HybridTime? {
    let ofSource = try await timeInLife(of: edge.source, at: time)
    guard edge.relation.kind == .owns else { return ofSource }
    return try await timeInLife(of: edge.target, at: ofSource)
  }

  private func times(of edge: EdgeEnds) async throws -> EdgeTimes {
    try await commit.times(from: edge.source, in: edge.relation, to: edge.target)
  }
}
