import VarveCore

/// The entities that may differ between two states, in the order commits name them.
final class Touched {
  private(set) var ids: [EntityID] = []
  private var known: Set<EntityID> = []
  /// Those whose life or ownership changed: what they own may have died or come back with them.
  private var turned: Set<EntityID> = []

  func add(_ cell: Cell) {
    add(cell.entity)
    switch cell.content {
    case .life: turned.insert(cell.entity)
    case .add(let relation, let target, _), .remove(let relation, let target, _):
      guard relation.kind == .owns else { return }
      turned.insert(target)
      add(target)
    case .value, .removal, .collection: break
    }
  }

  private func add(_ id: EntityID) {
    if known.insert(id).inserted { ids.append(id) }
  }

  /// Adds everything owned, in one state, by what turned.
  func spread(in state: any BackendReader) async throws {
    var visited: Set<EntityID> = []
    var pending = ids.reversed().filter { turned.contains($0) }
    while let id = pending.popLast() {
      guard visited.insert(id).inserted else { continue }
      add(id)
      for edge in try await state.edges(from: id, in: nil)
      where edge.relation.kind == .owns && !visited.contains(edge.target) {
        pending.append(edge.target)
      }
    }
  }

  /// All of them, as they are in one state.
  func portraits(in state: any BackendReader) async throws -> [EntityID: Portrait] {
    var portraits: [EntityID: Portrait] = [:]
    for id in ids {
      guard let entity = try await state.entity(id) else { continue }
      let connections = try await state.edges(from: id, in: nil).filter { !$0.isFromFormerLife }
        .map { Connection($0.relation, $0.target) }
      portraits[id] = Portrait(entity: entity, connections: connections)
    }
    return portraits
  }
}
