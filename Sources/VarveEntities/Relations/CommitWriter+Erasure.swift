package import VarveCore

extension CommitWriter {
  /// Erases entities and what they alone own, and returns everything that died.
  ///
  /// - Parameter isStrict: whether to throw for an identifier that is not live.
  package func erase(_ ids: [EntityID], isStrict: Bool, at time: HybridTime?) async throws
    -> [EntityID]
  {
    try await erase(ids, isStrict: isStrict) { _ in time }
  }

  /// Erases entities as ``erase(_:isStrict:at:)``, each for its own time.
  func erase(
    _ ids: [EntityID],
    isStrict: Bool,
    at time: (EntityID) -> HybridTime?
  ) async throws -> [EntityID] {
    var roots: [EntityID] = []
    var seen: Set<EntityID> = []
    for id in ids where seen.insert(id).inserted {
      let status = try await commit.status(of: id)
      if case .live = status {
        roots.append(id)
      } else if isStrict {
        throw try await commit.absence(of: id, status: status)
      }
    }
    try await announceErasure(of: roots)
    var cells: [WrittenCell] = []
    for id in roots {
      let time = try await lifeTime(of: id, at: time(id) ?? defaultTime)
      cells.append(WrittenCell(id, .life(.erased), at: time))
    }
    let died = try await apply(together: cells).died
    let ordered = try await commit.depthFirst(from: roots, among: died)
    tracker?.died(ordered)
    return ordered
  }
}
