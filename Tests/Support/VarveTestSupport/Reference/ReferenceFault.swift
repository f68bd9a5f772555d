import VarveCore

/// A mistake of a kind that stores once made, planted in a reference backend: a simulation must
/// find it.
package enum ReferenceFault: String, Sendable, CaseIterable {
  /// Histories lose a version, as if a session wrote back a stale copy.
  case lostHistory
  /// A re-creation ends the ownerships that are written after it, too.
  case formerLinks
  /// A writer does not see the last element of a to-many property.
  case lostElements
  /// A death stays in conflict when it was confirmed.
  case unsettledDeaths
  /// A past state is the present.
  case leakingPast
  /// If several entities die at once, subscribers are notified of only one.
  case silentDeaths
  /// A write is based on the log from before it waited for its turn.
  case lostUpdates
  /// A commit is taken for another with the same replica and number.
  case numbersOnly
  /// Commits from the future take effect at once.
  case impatience
  /// Imports take an entity for equal to the document if it has the same identifier.
  case mistakenLikeness
}

/// Reads a state with the planted fault.
final class FaultyReader: ReferenceReader {
  var fault: ReferenceFault?

  override func history(of id: EntityID, key: PropertyKey?, limit: Int?) async throws -> [Version] {
    var versions = try await super.history(of: id, key: key, limit: nil)
    if fault == .lostHistory, versions.count > 2 { versions.remove(at: 1) }
    return Array(versions.prefix(limit ?? .max))
  }

  override func unseenDeaths() async throws -> [Conflict] {
    guard fault == .unsettledDeaths else { return try await super.unseenDeaths() }
    let state = try state()
    return state.entities.keys.sorted().filter { state.status(of: $0) == .erased }
      .map { Conflict(deathOf: $0, with: [$0], versions: []) }
  }

  override func edges(from source: EntityID, in relation: Relation?) async throws -> [RelationEdge]
  {
    let edges = try await super.edges(from: source, in: relation)
    guard fault == .formerLinks else { return edges }
    let state = try state()
    return edges.filter { !state.isEnded($0) }
  }

  override func edges(to target: EntityID, of kind: Relation.Kind) async throws -> [RelationEdge] {
    let edges = try await super.edges(to: target, of: kind)
    guard fault == .formerLinks else { return edges }
    let state = try state()
    return edges.filter { !state.isEnded($0) }
  }
}

/// Writes with the planted fault.
final class FaultyWriter: ReferenceWriter {
  var fault: ReferenceFault?

  override func reported(_ lives: LifeChanges) -> LifeChanges {
    guard fault == .silentDeaths else { return lives }
    var lives = lives
    lives.died = Array(lives.died.prefix(1))
    return lives
  }

  override func likenesses(_ likenings: [Likening]) async throws -> [Likeness] {
    let answers = try await super.likenesses(likenings)
    guard fault == .mistakenLikeness else { return answers }
    return answers.map { if case .other(let one) = $0 { .same(number: one.number) } else { $0 } }
  }

  override func elements(of source: EntityID, key: PropertyKey) async throws -> [Element] {
    let elements = try await super.elements(of: source, key: key)
    return fault == .lostElements ? elements.dropLast() : elements
  }
}

extension FoldedState {
  /// Returns whether the target was ever re-created.
  fileprivate func isEnded(_ edge: VarveCore.RelationEdge) -> Bool {
    edge.relation.kind == .owns
      && entities[edge.target]?.history.contains { cell in
        if case .life(.recreated) = cell.content { true } else { false }
      } ?? false
  }
}
