import VarveCore
package import VarveStore

/// The lives and relations of a state, and what erasures would do in it.
package struct StoreOutlook: Hashable, Sendable {
  fileprivate struct Figure: Hashable {
    var status: EntityStatus
    var related: [RelationKind: [EntityID]]
    var preview: ErasurePreview?
  }

  private var figures: [EntityID: Figure] = [:]

  /// Reads a state.
  package init(_ view: some Reading, _ cast: StoreCast) async throws {
    for id in cast.all {
      var figure = Figure(status: try await view.status(of: id), related: [:])
      for kind in RelationKind.allCases {
        let ids = try await view.relatedIDs(id, kind)
        // An undo declares owners again, behind others.
        figure.related[kind] = kind == .ownedBy ? ids.sorted() : ids
      }
      if case .live = figure.status { figure.preview = try await view.previewErasure(of: [id]) }
      figures[id] = figure
    }
  }

  /// Returns the first difference of a later state in which this one is restored by an undo; nil if
  /// there is none.
  ///
  /// What this state does not know may be erased in the other: it was created and is not any more.
  /// Then it is related to nothing, and it keeps alive nothing in the preview of an erasure.
  package func firstDifference(fromRestored other: StoreOutlook) -> String? {
    let passed = Set(
      figures.keys.filter { id in
        figures[id]?.status == .unknown && other.figures[id]?.isDead == true
      }
    )
    let kept = owned(by: passed)
    for id in figures.keys.sorted() where !passed.contains(id) {
      guard let one = figures[id]?.omitting(passed), let two = other.figures[id]?.omitting(passed)
      else { continue }
      if one.status != two.status { return "\(id) was \(one.status), and is \(two.status)" }
      for kind in RelationKind.allCases where one.related[kind] != two.related[kind] {
        return "\(id) \(kind): \(one.related[kind] ?? []), and \(two.related[kind] ?? [])"
      }
      let (former, latter) = (one.lines(but: id, passed), two.lines(but: id, passed))
      guard kept.isDisjoint(with: former.ids), kept.isDisjoint(with: latter.ids) else { continue }
      if former.lines != latter.lines {
        return "erasing \(id) would be \(former.lines), and is \(latter.lines)"
      }
    }
    return nil
  }

  /// Everything that some entities own, at any distance.
  private func owned(by owners: Set<EntityID>) -> Set<EntityID> {
    var owned: Set<EntityID> = []
    var pending = Array(owners)
    while let owner = pending.popLast() {
      for id in figures[owner]?.related[.owns] ?? [] where owned.insert(id).inserted {
        pending.append(id)
      }
    }
    return owned
  }
}

extension StoreOutlook.Figure {
  fileprivate var isDead: Bool { status == .erased || status == .dead }

  /// The figure without relations to some entities.
  fileprivate func omitting(_ ids: Set<EntityID>) -> Self {
    var figure = self
    figure.related = related.mapValues { $0.filter { !ids.contains($0) } }
    return figure
  }

  /// The preview as lines without some owners, and the entities in it except one.
  fileprivate func lines(
    but id: EntityID,
    _ owners: Set<EntityID>
  ) -> (lines: [String], ids: Set<EntityID>) {
    guard let preview else { return ([], []) }
    func names(_ ids: [EntityID]) -> [EntityID] { ids.filter { !owners.contains($0) }.sorted() }
    let deaths = preview.deaths.map { "\($0.id) of \(names($0.owners))" }.sorted()
    let survivors = preview.survivors.map { "\($0.id) stays for \(names($0.owners))" }.sorted()
    let ids = preview.deaths.map(\.id) + preview.survivors.map(\.id)
    return (deaths + survivors, Set(ids).subtracting([id]))
  }
}
