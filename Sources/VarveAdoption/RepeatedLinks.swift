import VarveCore

/// The rows of a table of links that repeat a link. Relations are sets, so these rows add nothing.
struct RepeatedLinks {
  private var count = 0
  private var first: (source: EntityID, target: EntityID)?

  /// Counts the repetitions among the targets of a source.
  mutating func take(_ targets: [EntityID], of source: EntityID) {
    var seen: Set<EntityID> = []
    for target in targets where !seen.insert(target).inserted {
      count += 1
      if first == nil { first = (source, target) }
    }
  }

  /// Returns a remark on a table with such rows; nil if it has none.
  func remark(on table: AdoptionPlan.Table) -> String? {
    guard let first else { return nil }
    let rows = count == 1 ? "a row repeats a link" : "\(count) rows repeat links"
    return "\(table.name): \(rows), such as \(first.source) to \(first.target); a link exists once"
  }
}
