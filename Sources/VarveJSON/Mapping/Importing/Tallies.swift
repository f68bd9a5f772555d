import VarveCore

/// The effects of an import on each type. Objects mostly come type by type, so that most are counted
/// without a lookup.
struct Tallies {
  private var counted: [EntityType: ImportReport.Tally] = [:]
  /// The type that was counted last, and its tally, which is not in `counted`.
  private var type: EntityType?
  private var tally = ImportReport.Tally()

  /// The tallies of all types with effects.
  var byType: [EntityType: ImportReport.Tally] {
    var all = counted
    if let type { all[type] = tally }
    return all
  }

  /// Changes the tally of a type.
  mutating func count(_ type: EntityType, _ change: (inout ImportReport.Tally) -> Void) {
    if self.type != type { turn(to: type) }
    change(&tally)
  }

  private mutating func turn(to type: EntityType) {
    if let last = self.type { counted[last] = tally }
    tally = counted.removeValue(forKey: type) ?? .init()
    self.type = type
  }
}
