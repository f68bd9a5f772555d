import VarveCore

/// Everything that entities own, directly or indirectly, with the edges.
struct OwnedBelow {
  var members: [EntityID] = []
  var set: Set<EntityID> = []
  var live: Set<EntityID> = []
  var owned: [EntityID: [EntityID]] = [:]
}

/// Finds the entities that an erasure would kill, before it happens.
extension BackendReader {
  /// Returns the live entities that would die if these were erased (R16): everything they own,
  /// except what an owner that stays alive reaches.
  ///
  /// - Parameter ended: adds of ownerships that are removed before the erasure.
  /// - Complexity: O(entities owned, directly or not, and their relations).
  func dying(
    with roots: [EntityID],
    without ended: Set<AddID> = []
  ) async throws -> [EntityID] {
    try await doomed(with: roots, without: ended).live
  }

  /// Returns what no owner would keep alive if some entities were erased: the live entities, which
  /// would die, and the unknown identifiers, which would not count as owners any more.
  func doomed(
    with roots: [EntityID],
    without ended: Set<AddID> = []
  ) async throws -> (live: [EntityID], unknown: Set<EntityID>) {
    let erased = Set(roots)
    let below = try await ownedBelow(roots, without: ended)
    var saved: Set<EntityID> = []
    var pending: [EntityID] = []
    for id in below.members where !erased.contains(id) {
      if try await hasOwner(id, outside: below.set), saved.insert(id).inserted {
        pending.append(id)
      }
    }
    while let id = pending.popLast() {
      for owned in below.owned[id] ?? [] where !erased.contains(owned) {
        if saved.insert(owned).inserted { pending.append(owned) }
      }
    }
    let lost = below.members.filter { !saved.contains($0) }
    return (lost.filter(below.live.contains), Set(lost).subtracting(below.live))
  }

  /// Descends through live and unknown entities only, because dead ones pass no life on.
  func ownedBelow(
    _ roots: [EntityID],
    without ended: Set<AddID> = []
  ) async throws -> OwnedBelow {
    var below = OwnedBelow()
    var pending = Array(roots.reversed())
    while let id = pending.popLast() {
      guard !below.set.contains(id) else { continue }
      switch try await status(of: id) {
      case .live: below.live.insert(id)
      case .unknown: break
      case .erased, .dead: continue
      }
      below.set.insert(id)
      below.members.append(id)
      let owned = try await edges(from: id, in: nil)
        .filter {
          $0.relation.kind == .owns && !$0.isFromFormerLife && !ended.isSuperset(of: $0.adds)
        }
        .map(\.target)
      below.owned[id] = owned
      pending += owned.reversed()
    }
    return below
  }

  /// Returns whether an owner that stays keeps an entity alive: a live one, or an unknown one that
  /// is not below an erased entity.
  private func hasOwner(_ id: EntityID, outside below: Set<EntityID>) async throws -> Bool {
    for edge in try await edges(to: id, of: .owns)
    where !edge.isFromFormerLife && !below.contains(edge.source) {
      if try await keepsAlive(edge.source) { return true }
    }
    return false
  }

  /// Returns whether an entity keeps alive what it owns: a live one, or an unknown one that is not
  /// below an erased entity.
  func keepsAlive(_ owner: EntityID) async throws -> Bool {
    switch try await status(of: owner) {
    case .live: true
    case .unknown: try await canLive(owner, restoringOwners: false)
    case .erased, .dead: false
    }
  }

  /// Returns entities depth first from the roots, children in declaration order, each when first
  /// reached. Entities that no root reaches come last.
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
      for edge in try await edges(from: id, ofKind: .owns).reversed()
      where !edge.isFromFormerLife && !visited.contains(edge.target) {
        let isOnTheWay =
          if wanted.contains(edge.target) { true } else {
            try await status(of: edge.target) == .unknown
          }
        if isOnTheWay { pending.append(edge.target) }
      }
    }
    for id in members where visited.insert(id).inserted { ordered.append(id) }
    return ordered
  }
}
