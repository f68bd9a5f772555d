import VarveCore

/// What the database says of a space at one moment.
struct PostgresHead {
  let head: HomeHead
  /// The database's time.
  let time: HybridTime
  /// Whether another server confirms commits, so that this one may have been replaced by it.
  let isReplicated: Bool

  /// - Throws: `VarveError` with code `notFound` if there is no such space.
  init(_ rows: PostgresResult, of space: SpaceID) throws {
    guard rows.count == 1 else {
      throw VarveError.noSuchSpace(space, at: PostgresAddress.shown)
    }
    let position = HomePosition(
      incarnation: rows.integer(0, 0),
      number: rows.integer(0, 2),
      running: rows.integer(0, 3)
    )
    // A home that needs a newer host has a newer format for this one.
    let format = rows.integer(0, 5) > 1 ? HomeHead.newestFormat + 1 : Int(rows.integer(0, 4))
    head = HomeHead(position: position, replica: rows.replica(0, 1), format: format)
    let microseconds = rows.integer(0, 6)
    let (milliseconds, rest) = microseconds.quotientAndRemainder(dividingBy: 1_000)
    time = HybridTime(
      millisecondsSince1970: milliseconds,
      counter: UInt16(clamping: rest * 65)
    )
    isReplicated = rows.bytes(0, 7) == [1]
  }
}
