import VarveCore

extension CommitWriter {
  /// Erases entities and what they alone own, and answers everything that died by it.
  ///
  /// - Parameter isStrict: whether an identifier that is not live is an error.
  func erase(_ ids: [EntityID], isStrict: Bool, at time: HybridTime?) async throws -> [EntityID] {
    var roots: [EntityID] = []
    var seen: Set<EntityID> = []
    for id in ids where seen.insert(id).inserted {
      let status = try await writer.status(of: id)
      if case .live = status {
        roots.append(id)
      } else if isStrict {
        throw try await writer.absence(of: id, status: status)
      }
    }
    try await announceErasure(of: roots)
    var died: [EntityID] = []
    for id in roots {
      let time = try await lifeTime(of: id, at: time ?? defaultTime)
      died += try await apply(.life(.erased), to: id, at: time).died
    }
    let ordered = try await depthFirst(from: roots, among: died)
    tracker?.died(ordered)
    return ordered
  }

  /// Entities in the order an owner reaches what it owns: depth first from the roots, children in
  /// declaration order, each when first reached. Those no root reaches come last.
  ///
  /// - Complexity: O(entities and edges), without recursion.
  func depthFirst(from roots: [EntityID], among members: [EntityID]) async throws -> [EntityID] {
    let wanted = Set(members)
    guard wanted.count > 1 else { return Array(wanted) }
    var ordered: [EntityID] = []
    ordered.reserveCapacity(wanted.count)
    var visited: Set<EntityID> = []
    var pending = Array(roots.reversed())
    while let id = pending.popLast() {
      guard visited.insert(id).inserted else { continue }
      if wanted.contains(id) { ordered.append(id) }
      guard ordered.count < wanted.count else { return ordered }
      for edge in try await writer.edges(from: id, in: nil).reversed()
      where edge.relation.kind == .owns && !edge.isFromFormerLife
        && !visited.contains(edge.target)
      {
        let isOnTheWay =
          if wanted.contains(edge.target) { true } else {
            try await writer.status(of: edge.target) == .unknown
          }
        if isOnTheWay { pending.append(edge.target) }
      }
    }
    for id in members where visited.insert(id).inserted { ordered.append(id) }
    return ordered
  }
}
