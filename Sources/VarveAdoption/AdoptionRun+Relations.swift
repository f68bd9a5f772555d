import VarveCore
import VarveSQLite
import VarveStore

extension AdoptionRun {
  /// Gives each row the owners that its foreign keys name.
  func adoptOwners() async throws {
    for rows in tables where !rows.table.isLink && !rows.owned.isEmpty {
      try await rows.readOwners(from: database) { id, owners in
        for (reference, owner) in zip(rows.owned, owners) {
          // A row that refers to itself, or to a row that does not exist, has no owner.
          let wanted = owner.flatMap { $0 != id && mayBePresent($0) ? $0 : nil }
          try await relate(id, .ownedBy, to: wanted.map { [$0] } ?? [], named: reference.property)
        }
      }
    }
  }

  /// Relates the entities that the rows of tables of links name.
  func adoptLinks() async throws {
    for rows in tables where rows.table.isLink && rows.linksEntities {
      let name = PropertyKey(rows.table.type.text)
      let source = rows.linkedTables[0]
      let wasKnown = known.contains(ForeignName(source.name))
      var linked: Set<EntityID> = []
      var group: (source: EntityID, targets: [EntityID])?
      try await rows.readLinks(from: database) { from, to in
        if group?.source == from {
          group?.targets.append(to)
          return
        }
        if let group { try await relate(group.source, .free, to: group.targets, named: name) }
        group = (from, [to])
        if wasKnown { linked.insert(from) }
      }
      if let group { try await relate(group.source, .free, to: group.targets, named: name) }
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
      for handle in try await transaction.handles(of: type)
      where rows.isOwn(handle.id) && !linked.contains(handle.id) {
        try await relate(handle.id, .free, to: [], named: name)
      }
    }
  }

  /// Makes the relations of a kind and a name lead to the given entities and to no others.
  private func relate(
    _ id: EntityID,
    _ kind: RelationKind,
    to wanted: [EntityID],
    named name: PropertyKey
  ) async throws {
    guard case .live = try await transaction.status(of: id) else {
      if !wanted.isEmpty { report.note("\(id): it has no row, but \(name) links it") }
      return
    }
    let present = Set(try await transaction.relatedIDs(id, kind, named: name))
    for other in present.subtracting(wanted).sorted() {
      try await transaction.unrelate(id, kind, other, named: name, orphans: .keep)
      report.unrelatedCount += 1
    }
    var related = present
    for other in wanted where related.insert(other).inserted {
      if case .live = try await transaction.status(of: other) {
        try await transaction.relate(id, kind, other, named: name)
        report.relatedCount += 1
      } else if kind == .free {
        report.note("\(id): \(name) links \(other), which has no row")
      }
    }
  }
}
