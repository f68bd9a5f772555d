import VarveCore
import VarveStore

extension AdoptionRun {
  /// Gives each row the owners that its foreign keys name.
  func adoptOwners() async throws {
    for rows in tables where !rows.table.isLink && !rows.owned.isEmpty {
      try await rows.readOwners(from: database) { id, owners in
        for (reference, owner) in zip(rows.owned, owners) {
          // A row that refers to itself, or to a row that does not exist, has no owner.
          let wanted = owner.flatMap { $0.id != id && $0.exists ? $0 : nil }
          try await relate(id, .ownedBy, to: wanted.map { [$0] } ?? [], named: reference.property)
        }
      }
    }
  }

  /// Relates the entities that the rows of tables of links name. A row that is gone relates
  /// nothing, even if the store still has its entity.
  func adoptLinks() async throws {
    for rows in tables where rows.table.isLink && rows.linksEntities {
      let name = PropertyKey(rows.table.type.text)
      let source = rows.linkedTables[0]
      let wasKnown = known.contains(ForeignName(source.name))
      var linked: Set<EntityID> = []
      var group: (source: ReferredRow, targets: [ReferredRow])?
      var repeated = RepeatedLinks()
      func relateGroup() async throws {
        guard let group else { return }
        guard group.source.exists else {
          return report.note("\(group.source.id): it has no row, but \(name) links it")
        }
        repeated.take(group.targets.map(\.id), of: group.source.id)
        try await relate(group.source.id, .free, to: group.targets, named: name)
        if wasKnown { linked.insert(group.source.id) }
      }
      try await rows.readLinks(from: database) { from, to in
        guard let from, let to else {
          let other = (from ?? to).map { " beside \($0.id)" } ?? ""
          return report.note("\(rows.table.name): a row has a null\(other), and links nothing")
        }
        if group?.source.id == from.id {
          group?.targets.append(to)
        } else {
          try await relateGroup()
          group = (from, [to])
        }
      }
      try await relateGroup()
      if let remark = repeated.remark(on: rows.table) { report.remark(remark) }
      guard wasKnown else { continue }
      try await unlink(others: linked, of: source, named: name)
    }
  }

  /// Removes the relations of sources that no row links any more.
  private func unlink(
    others linked: Set<EntityID>,
    of source: AdoptionPlan.Table,
    named name: PropertyKey
  ) async throws {
    guard let rows = tables.first(where: { $0.table.name.isSameName(source.name) }) else { return }
    for type in rows.types.sorted() {
      for id in try await reading.ids(of: Query(type))
      where rows.isOwn(id) && !linked.contains(id) {
        try await relate(id, .free, to: [], named: name)
      }
    }
  }

  /// Makes the relations of a kind and a name lead to the given entities and to no others.
  private func relate(
    _ id: EntityID,
    _ kind: RelationKind,
    to wanted: [ReferredRow],
    named name: PropertyKey
  ) async throws {
    let former = Set(try await reading.relatedIDs(id, kind, named: name))
    let rows = wanted.filter(\.exists).map(\.id)
    let removed = former.subtracting(rows).sorted()
    var related = former
    let added = rows.filter { related.insert($0).inserted }
    try await refuseLater(id, kind, named: name, adding: added, removing: removed)
    for other in removed {
      try await transaction.unrelate(id, kind, other, named: name, orphans: .keep)
    }
    for other in added { try await transaction.relate(id, kind, other, named: name) }
    report.unrelatedCount += removed.count
    report.relatedCount += added.count
    guard kind == .free else { return }
    for other in Set(wanted.filter { !$0.exists }.map(\.id)).sorted() {
      report.note("\(id): \(name) links \(other), which has no row")
    }
  }

  /// Throws if relations would change for an earlier time and later states would change too.
  private func refuseLater(
    _ id: EntityID,
    _ kind: RelationKind,
    named name: PropertyKey,
    adding added: [EntityID],
    removing removed: [EntityID]
  ) async throws {
    guard let past = writer.past, !(added.isEmpty && removed.isEmpty) else { return }
    let others = try await past.everRelated(id, kind, named: name)
      .union(transaction.relatedIDs(id, kind, named: name))
    try await past.refuseRelations(
      of: id,
      kind,
      named: name,
      to: others,
      adding: added,
      removing: removed
    )
  }
}
