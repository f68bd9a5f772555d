import VarveCore

/// The entities that may differ between two states, in the order in which commits name them.
final class Touched {
  private(set) var ids: [EntityID] = []
  private var known: Set<EntityID> = []
  /// The entities whose life or ownership changed. Entities that they own may have died or come
  /// back with them.
  private var turned: Set<EntityID> = []
  /// The entities that began or ended by a commit.
  private var begunOrEnded: Set<EntityID> = []
  /// The entities that may live in only one of the states.
  private var region: Set<EntityID> = []
  /// The entities at the target ends of edges that are paired with their properties. The other end
  /// of such an edge can change without a commit that names the entity (R28).
  private var named: [EntityID: Set<Relation.Kind>] = [:]

  func add(_ cell: Cell) {
    add(cell.entity)
    switch cell.content {
    case .life:
      turned.insert(cell.entity)
      begunOrEnded.insert(cell.entity)
    case .add(let relation, let target, _, _), .remove(let relation, let target, _):
      note(pairingOf: cell, target)
      guard relation.kind == .owns else { return }
      turned.insert(target)
      add(target)
    case .value, .removal, .collection: break
    }
  }

  private func note(pairingOf cell: Cell, _ target: EntityID) {
    guard case .add(let relation, _, _, let pairing?) = cell.content else { return }
    if pairing.end == .target {
      named[target, default: []].insert(relation.kind)
    } else if relation.kind == .owns {
      turned.insert(cell.entity)
    }
  }

  private func add(_ id: EntityID) {
    if known.insert(id).inserted { ids.append(id) }
  }

  /// Whether a commit created, erased or restored the entity.
  func hasLifeCell(_ id: EntityID) -> Bool { begunOrEnded.contains(id) }

  /// Adds everything that the turned entities own in one state.
  func spread(in state: any BackendReader) async throws {
    for (id, kinds) in named.sorted(by: { $0.key < $1.key }) {
      for kind in kinds {
        for edge in try await state.edges(to: id, of: kind) { add(edge.source) }
      }
    }
    var visited: Set<EntityID> = []
    var pending = ids.reversed().filter { turned.contains($0) }
    while let id = pending.popLast() {
      try Task.checkCancellation()
      guard visited.insert(id).inserted else { continue }
      add(id)
      for edge in try await state.edges(from: id, in: nil)
      where edge.relation.kind == .owns && !visited.contains(edge.target) {
        pending.append(edge.target)
      }
    }
    region.formUnion(visited)
  }

  /// Adds the entities whose to-many properties contain an entity that lives in one state only, and
  /// the former owners of re-created entities.
  func addReferrers(in one: any BackendReader, _ other: any BackendReader) async throws {
    var changed = begunOrEnded
    for id in region where !changed.contains(id) {
      let lives = (try await one.entity(id) != nil, try await other.entity(id) != nil)
      if lives.0 != lives.1 { changed.insert(id) }
    }
    for id in ids where changed.contains(id) {
      for state in [one, other] {
        for kind in [Relation.Kind.owns, .member] {
          for edge in try await state.edges(to: id, of: kind) { add(edge.source) }
        }
      }
    }
  }

  /// Returns the portraits of all entities in one state.
  func portraits(in state: any BackendReader) async throws -> [EntityID: Portrait] {
    var portraits: [EntityID: Portrait] = [:]
    var size = ResultSize()
    for id in ids {
      guard let entity = try await state.entity(id) else { continue }
      try size.add(entity)
      let edges = try await state.edges(from: id, in: nil).filter { !$0.isFromFormerLife }
      let connections = edges.filter { $0.relation.kind != .member }
        .map { Connection($0.relation, $0.target) }
      var held: [PropertyKey: [EntityID]] = [:]
      for key in try await state.collections(of: id) {
        held[key] = try await state.liveElements(of: id, key: key)
      }
      let owners = turned.contains(id) ? try await state.edges(to: id, of: .owns) : []
      portraits[id] = Portrait(
        entity: entity,
        connections: connections,
        owners: owners.map { Connection($0.relation, $0.source) },
        collections: held
      )
    }
    return portraits
  }
}
