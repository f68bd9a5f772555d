public import VarveCore

/// The effects of an erasure, and their causes.
public struct ErasurePreview: Hashable, Sendable {
  /// An entity that would die.
  public struct Death: Hashable, Sendable {
    /// The entity.
    public let id: EntityID
    /// Its type.
    public let type: EntityType
    /// Whether the erasure names the entity.
    public let isNamed: Bool
    /// The owners that would die with it, in the order they came to own it. They are the cause of
    /// its death if the erasure does not name it. An owner that does not exist is among them if
    /// only entities that would die own it.
    public let owners: [EntityID]
  }

  /// An entity that would lose an owner and stay alive.
  public struct Survivor: Hashable, Sendable {
    /// The entity.
    public let id: EntityID
    /// Its type.
    public let type: EntityType
    /// The owners that keep it alive, in the order they came to own it; unknown ones are included.
    public let owners: [EntityID]
  }

  /// The entities that would die, in the order in which hooks would run.
  public let deaths: [Death]
  /// The entities that would lose an owner and stay alive, depth first.
  public let survivors: [Survivor]
  /// The given identifiers that are not live, in the order given; an erasure ignores them.
  public let missing: [EntityID]
}

extension Reading {
  /// Returns what erasing entities would do, without doing it.
  ///
  /// ```swift
  /// let preview = try await store.previewErasure(of: ["shop-1"])
  /// for death in preview.deaths { print(death.id, "dies with", death.owners) }
  /// ```
  ///
  /// Hooks do not run, so none can veto.
  ///
  /// - Parameters:
  ///   - ids: the entities, erased together.
  ///   - isStrict: whether to throw for an identifier that is not live.
  /// - Throws: ``VarveError`` with code `notFound` if `isStrict`.
  /// - Complexity: O(entities owned, directly or not, and their relations).
  public func previewErasure(
    of ids: [EntityID],
    strict isStrict: Bool = false
  ) async throws -> ErasurePreview {
    try await reading { try await $0.reader.previewErasure(of: ids, isStrict: isStrict) }
  }
}

extension BackendReader {
  fileprivate func previewErasure(
    of ids: [EntityID],
    isStrict: Bool
  ) async throws -> ErasurePreview {
    var (roots, missing): ([EntityID], [EntityID]) = ([], [])
    var seen: Set<EntityID> = []
    for id in ids where seen.insert(id).inserted {
      let status = try await status(of: id)
      if case .live = status {
        roots.append(id)
      } else if isStrict {
        throw try await absence(of: id, status: status)
      } else {
        missing.append(id)
      }
    }
    let dying = try await doomed(with: roots)
    let order = try await depthFirst(from: roots, among: dying.live)
    let (named, doomed) = (Set(roots), Set(order).union(dying.unknown))
    var deaths: [ErasurePreview.Death] = []
    for id in order {
      guard case .live(let type) = try await status(of: id) else { continue }
      let owners = try await owners(of: id) { doomed.contains($0) }
      deaths.append(.init(id: id, type: type, isNamed: named.contains(id), owners: owners))
    }
    let survivors = try await survivors(of: order, doomed)
    return ErasurePreview(deaths: deaths, survivors: survivors, missing: missing)
  }

  /// Returns the entities that the doomed own and that stay alive, depth first.
  private func survivors(
    of dying: [EntityID],
    _ doomed: Set<EntityID>
  ) async throws -> [ErasurePreview.Survivor] {
    var survivors: [ErasurePreview.Survivor] = []
    var (seen, visited): (Set<EntityID>, Set<EntityID>) = (doomed, [])
    var pending = Array(dying.reversed())
    while let id = pending.popLast() {
      guard visited.insert(id).inserted else { continue }
      let owned = try await edges(from: id, ofKind: .owns).filter { !$0.isFromFormerLife }
      // What an identifier owns that does not exist follows it.
      for edge in owned.reversed() where doomed.contains(edge.target) {
        if try await status(of: edge.target) == .unknown { pending.append(edge.target) }
      }
      for edge in owned where seen.insert(edge.target).inserted {
        guard case .live(let type) = try await status(of: edge.target) else { continue }
        var owners: [EntityID] = []
        for owner in try await self.owners(of: edge.target, where: { !doomed.contains($0) }) {
          if try await keepsAlive(owner) { owners.append(owner) }
        }
        survivors.append(.init(id: edge.target, type: type, owners: owners))
      }
    }
    return survivors
  }

  /// Returns those owners of an entity's present life that satisfy a condition, each once.
  private func owners(
    of id: EntityID,
    where isWanted: (EntityID) -> Bool
  ) async throws -> [EntityID] {
    var seen: Set<EntityID> = []
    return try await edges(to: id, of: .owns)
      .filter { !$0.isFromFormerLife && isWanted($0.source) }
      .map(\.source)
      .filter { seen.insert($0).inserted }
  }
}
