import VarveCore

/// Undoes changes of edges that are paired with a reference.
extension Undoing {
  /// Returns whether the commit removed an edge because its reference changed. Undoing the
  /// reference restores the edge.
  func isMove(_ name: UndoReport.EdgeName) -> Bool {
    cells.contains { cell in
      guard case .add(let relation, let target, _, let pairing?) = cell.content,
        relation == name.relation
      else { return false }
      return pairing.end == .target ? target == name.target : cell.entity == name.source
    }
  }

  /// Writes a reference again whose edge was removed without it, so that both count.
  func declareAgain(_ name: UndoReport.EdgeName) async throws {
    let ends = EdgeEnds(source: name.source, relation: name.relation, target: name.target)
    for holder in ends.bothEnds {
      guard let entity = try await writer.commit.entity(holder) else { continue }
      for key in entity.keys {
        for pair in try await writer.commit.pairedEdges(of: holder, key: key)
        where pair.relation == name.relation && pair.source == name.source
          && pair.target == name.target
        {
          guard pair.isRemoved, let property = entity.property(key),
            EntityID(referenceIn: property.value) == pair.other,
            try await !writer.commit.isDead(pair.other)
          else { continue }
          try await writer.set(holder, [PropertyChange(key: key, property: property)], at: nil)
          report.related.append(name)
        }
      }
    }
  }
}
