import VarveCore

extension CommitWriter {
  /// The live entities that would die if these were erased (R16), without erasing them: everything
  /// they own, but for what an owner that stays alive reaches.
  ///
  /// - Complexity: O(entities owned, directly or not, and their relations).
  func dying(with roots: [EntityID]) async throws -> [EntityID] {
    let erased = Set(roots)
    let below = try await ownedBelow(roots)
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
    return below.members.filter { !saved.contains($0) && below.live.contains($0) }
  }

  /// Everything an ownership path leads to from entities, with what each owns.
  private struct Below {
    var members: [EntityID] = []
    var set: Set<EntityID> = []
    var live: Set<EntityID> = []
    var owned: [EntityID: [EntityID]] = [:]
  }

  /// Goes down through what lives and what is not known yet: nothing else passes life on.
  private func ownedBelow(_ roots: [EntityID]) async throws -> Below {
    var below = Below()
    var pending = Array(roots.reversed())
    while let id = pending.popLast() {
      guard !below.set.contains(id) else { continue }
      switch try await writer.status(of: id) {
      case .live: below.live.insert(id)
      case .unknown: break
      case .erased, .dead: continue
      }
      below.set.insert(id)
      below.members.append(id)
      let owned = try await writer.edges(from: id, in: nil)
        .filter { $0.relation.kind == .owns && !$0.isFromFormerLife }.map(\.target)
      below.owned[id] = owned
      pending += owned.reversed()
    }
    return below
  }

  /// Whether an owner that stays keeps an entity alive: a live one, or one nobody has heard of that
  /// is not below anything erased.
  private func hasOwner(_ id: EntityID, outside below: Set<EntityID>) async throws -> Bool {
    for edge in try await writer.edges(to: id, of: .owns)
    where !edge.isFromFormerLife && !below.contains(edge.source) {
      switch try await writer.status(of: edge.source) {
      case .live: return true
      case .unknown:
        if try await canLive(edge.source, restoringOwners: false) { return true }
      case .erased, .dead: break
      }
    }
    return false
  }
}
