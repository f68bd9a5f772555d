public import VarveCore

/// What an erase would do, and why.
public struct ErasurePreview: Hashable, Sendable {
  /// An entity that would die.
  public struct Death: Hashable, Sendable {
    /// The entity.
    public let id: EntityID
    /// Its type.
    public let type: EntityType
    /// Whether it is one of those to be erased by name.
    public let isNamed: Bool
    /// The owners that would die with it, in the order they came to own it: why it dies, where it
    /// is not named.
    public let owners: [EntityID]
  }

  /// An entity that something dying owns, and that would live on.
  public struct Survivor: Hashable, Sendable {
    /// The entity.
    public let id: EntityID
    /// Its type.
    public let type: EntityType
    /// The owners that keep it alive, in the order they came to own it; among them may be some
    /// nobody has heard of yet.
    public let owners: [EntityID]
  }

  /// What would die, in the order hooks would be told.
  public let deaths: [Death]
  /// What would lose an owner and live, in the order owners reach it.
  public let survivors: [Survivor]
  /// The identifiers asked for that are not live, in the order given: an erase passes over them.
  public let missing: [EntityID]
}

extension Reading {
  /// What erasing entities would do, without doing it.
  ///
  /// ```swift
  /// let preview = try await store.previewErasure(of: ["shop-1"])
  /// for death in preview.deaths { print(death.id, "dies with", death.owners) }
  /// ```
  ///
  /// No hook runs, so none can refuse.
  ///
  /// - Parameters:
  ///   - ids: what to erase, at once.
  ///   - isStrict: whether an identifier that is not live is an error.
  /// - Throws: ``VarveError`` with code `notFound` where `isStrict`.
  /// - Complexity: O(entities owned, directly or not, and their relations).
  public func previewErasure(
    of ids: [EntityID],
    strict isStrict: Bool = false
  ) async throws -> ErasurePreview {
    try await reading { try await $0.backend.previewErasure(of: ids, isStrict: isStrict) }
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
    let order = try await depthFirst(from: roots, among: dying(with: roots))
    let (named, doomed) = (Set(roots), Set(order))
    var deaths: [ErasurePreview.Death] = []
    for id in order {
      guard case .live(let type) = try await status(of: id) else { continue }
      let owners = try await owners(of: id) { doomed.contains($0) }
      deaths.append(.init(id: id, type: type, isNamed: named.contains(id), owners: owners))
    }
    let survivors = try await survivors(of: order, doomed)
    return ErasurePreview(deaths: deaths, survivors: survivors, missing: missing)
  }

  /// What the dying own and leave behind.
  private func survivors(
    of dying: [EntityID],
    _ doomed: Set<EntityID>
  ) async throws -> [ErasurePreview.Survivor] {
    var survivors: [ErasurePreview.Survivor] = []
    var seen = doomed
    for id in dying {
      for edge in try await edges(from: id, ofKind: .owns) where seen.insert(edge.target).inserted {
        guard case .live(let type) = try await status(of: edge.target) else { continue }
        var owners: [EntityID] = []
        for owner in try await self.owners(of: edge.target, where: { !doomed.contains($0) }) {
          if try await !isDead(owner) { owners.append(owner) }
        }
        survivors.append(.init(id: edge.target, type: type, owners: owners))
      }
    }
    return survivors
  }

  /// The owners of an entity's present life that are wanted, each once.
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
