import VarveCore

extension Session {
  /// Returns the history of a property that was not written to since the entity's creation: its
  /// value then, if there was one. Returns nil if the history must be read from the log.
  ///
  /// The row has that value still, so the block of the creation need not be decoded.
  func versionsOfCreation(
    of identity: Identity,
    _ key: PropertyKey,
    _ filter: HistoryFilter
  ) throws -> [Version]? {
    // A re-creation hides the values of the former life. The dead have no row.
    guard identity.isLive, !identity.flags.contains(.reborn), let row = identity.row,
      let born = identity.born, log.pending.map({ born < $0.n }) ?? true
    else { return nil }
    if let number = catalogue.keyNumbers[key] {
      var isTouched = false
      try touches.forEach(row: row, key: number) { _ in
        isTouched = true
        return false
      }
      guard !isTouched else { return nil }
    }
    guard let entity = try entity(identity.id) else { return nil }
    guard let property = entity.property(key) else { return [] }
    let info = try log.commit(ofBlock: born)
    guard entity.datestamp <= filter.cutoff, try filter.includes(info) else { return [] }
    let content = Cell.Content.value(key, property.value, semanticType: property.semanticType)
    return [
      Version(content: content, time: entity.datestamp, commit: info.summary, ordinal: nil)
    ]
  }
}
