import VarveCore

extension Session {
  /// Returns the time at which each property of a live entity got its present value.
  ///
  /// Takes one seek for an entity that was not written to since its creation.
  func times(of entity: StoredEntity) throws -> [PropertyKey: HybridTime] {
    guard let identity = try identity(entity.id), let row = identity.row else { return [:] }
    guard try touches.isTouched(row: row) else {
      return Dictionary(uniqueKeysWithValues: entity.keys.map { ($0, entity.datestamp) })
    }
    let rebirth = try rebirth(of: identity)
    var times: [PropertyKey: HybridTime] = [:]
    for cell in try bornCells(of: identity, .now) where cell.touch.isWritten(after: rebirth) {
      guard let key = cell.content.key else { continue }
      times[key] = max(times[key] ?? cell.touch.time, cell.touch.time)
    }
    for key in entity.keys {
      guard let number = catalogue.keyNumbers[key],
        let winner = try winner(row: row, key: number, since: rebirth, .now)
      else { continue }
      times[key] = max(times[key] ?? winner.time, winner.time)
    }
    return times
  }
}
