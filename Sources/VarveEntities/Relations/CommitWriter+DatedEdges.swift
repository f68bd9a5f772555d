import VarveCore

/// Writes relations and elements for a date. Statements for later dates stay, in whatever
/// order the statements are written (R4).
extension CommitWriter {
  /// Returns whether an edge that stands at a time has an add for exactly that time, or a reference
  /// of that time that it is paired with.
  func isSaid(_ edge: RelationEdge, at time: HybridTime) async throws -> Bool {
    let ends = EdgeEnds(source: edge.source, relation: edge.relation, target: edge.target)
    if try await times(of: ends).adds.contains(time) { return true }
    guard edge.relation.kind != .member else { return false }
    return try await references(behind: ends, at: time).contains { $0.time != nil }
  }

  /// Returns the references of live entities that are paired with an edge at a date, or at present
  /// if there is no date.
  ///
  /// A reference that begins after the date is included if the property is missing at the date: it
  /// is removed there, so that one that is written later for an earlier date ends there (R4).
  func references(behind edge: EdgeEnds, at time: HybridTime?) async throws -> [Reference] {
    guard let time else { return try await references(behind: edge) }
    guard commit.mayHavePairedEdges else { return [] }
    let stands = try await standing(edge, at: time) != nil
    var found: [Reference] = []
    for holder in edge.bothEnds {
      guard try await commit.entity(holder) != nil else { continue }
      for key in try await commit.pairedKeys() {
        let pairs = try await commit.pairedEdges(of: holder, key: key)
          .filter { PairedEnds($0.relation, $0.pairing, of: holder).mayBe(edge) }
        guard let pair = pairs.first else { continue }
        let other = pair.pairing.end == .source ? edge.target : edge.source
        let counts = pairs.contains { !$0.isRemoved && $0.other == other }
        let register = try await commit.register(of: holder, key: key, at: time.lastOfDate)
        switch register?.content {
        case .value(_, let value, _)?:
          guard EntityID(referenceIn: value) == other, stands || counts else { continue }
          found.append(Reference(holder: holder, key: key, time: register?.time))
        case .removal?, nil:
          if counts { found.append(Reference(holder: holder, key: key)) }
        default: continue
        }
      }
    }
    return found
  }

  /// Removes a reference, and so the edge that is paired with it.
  ///
  /// A date stands for a whole millisecond, and the reference may have been written within it. Then
  /// its removal takes a time just above it: below it, it would end the edge and not the reference.
  func remove(_ reference: Reference, at time: HybridTime?) async throws {
    let since = reference.time
    let above = time.map { time in since.map { $0 > time ? $0.successor : time } ?? time }
    _ = try await write(.removal(reference.key), reference.key, to: reference.holder, at: above)
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

  /// Returns when an edge that holds at present begins to hold from a date on: the date, or the first
  /// later one for which it is declared if it does not hold at the date.
  func beginning(of edge: EdgeEnds, from time: HybridTime?) async throws -> HybridTime? {
    guard let time, try await standing(edge, at: time) == nil else { return time }
    return try await times(of: edge).adds.filter { $0 > time.lastOfDate }.min() ?? time
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
