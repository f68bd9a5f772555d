import VarveCore

extension CommitWriter {
  /// Erases entities, then redacts all their properties in history.
  func purge(_ ids: [EntityID]) async throws -> PurgeReport {
    var places: [CommitID: OrdinalSet] = [:]
    var dead: [EntityID] = []
    for id in ids {
      let redactions = try await commit.contentCells(of: id)
      let status = try await commit.status(of: id)
      if redactions.isEmpty, case .unknown = status {
        throw try await commit.absence(of: id, status: status)
      }
      if !redactions.isEmpty, status == .erased || status == .dead { dead.append(id) }
      for redaction in redactions {
        for part in redaction.parts {
          places[redaction.commit, default: OrdinalSet()].formUnion(part.ordinals)
        }
      }
    }
    for id in ids { try await tracker?.forgets(id, in: commit) }
    let died = try await erase(ids, isStrict: false, at: nil)
    try await eraseAgain(dead)
    let redactions = places.sorted { $0.key < $1.key }.map {
      Redaction($0.key, [.init(key: nil, ordinals: $0.value)])
    }
    let isDone = redactions.isEmpty ? true : try await redact(redactions)
    for id in ids { try await refuseWhatIsLeft(of: id, beside: places) }
    let count = places.values.reduce(0) { $0 + $1.ranges.reduce(0) { $0 + $1.count } }
    return PurgeReport(died: died, placeCount: count, isPending: !isDone)
  }

  /// Erases entities that are dead here. Redactions name commits only, and another store may see
  /// the entities live.
  private func eraseAgain(_ dead: [EntityID]) async throws {
    var cells: [WrittenCell] = []
    for id in dead {
      let time = try await lifeTime(of: id, at: defaultTime)
      cells.append(WrittenCell(id, .life(.erased), at: time))
    }
    _ = try await apply(together: cells)
  }

  /// Throws if this transaction wrote content of the entity: a redaction cannot refer to the commit
  /// being written.
  ///
  /// - Parameter places: what is redacted. In a sealed space it is gone once the home has ordered it.
  private func refuseWhatIsLeft(
    of id: EntityID,
    beside places: [CommitID: OrdinalSet]
  ) async throws {
    let history = try await commit.history(of: id, key: nil, limit: nil)
    let elements = try await commit.memberHistory(of: id, key: nil)
    let left = (history.filter { $0.key != nil } + elements).map(\.commit.id)
    guard left.contains(where: { places[$0] == nil }) else { return }
    throw VarveError(
      .invalidArgument,
      "an entity cannot be purged in the transaction that wrote its properties",
      at: "entity \(id)",
      remedy: "Purge it in a transaction of its own.",
      entity: id
    )
  }
}
