import VarveCore

/// The order in which entities of all types were created (R5): by datestamp, commit and ordinal.
///
/// Each type has a table of its own, and there may be more tables than a statement can name, so the
/// rows are sorted here.
struct CreationOrder {
  private struct Place {
    let id: EntityID
    let datestamp: Int64
    let born: Int64
    let ordinal: Int64
  }

  private let session: Session

  init(_ session: Session) { self.session = session }

  /// Returns the identifiers in the tables of types.
  ///
  /// - Parameter sources: the SQL to select from. That of a past state has a `varve_born` column
  ///   itself.
  /// - Complexity: O(entities × log entities).
  func ids(in sources: [(sql: String, isPatched: Bool)]) throws -> [EntityID] {
    try session.writeBufferedRow()
    var places: [Place] = []
    var size = ResultSize()
    for source in sources { try add(source.sql, isPatched: source.isPatched, to: &places, &size) }
    try places.sort(by: isBefore)
    return places.map(\.id)
  }

  private func add(
    _ source: String,
    isPatched: Bool,
    to places: inout [Place],
    _ size: inout ResultSize
  ) throws {
    let born =
      isPatched
      ? "t.varve_born" : "(SELECT i.born FROM varve_identity i WHERE i.id = t.id)"
    let statement = try session.connection.ownStatement(
      "SELECT t.id, t.datestamp, \(born), t.ordinal FROM \(source) AS t"
    )
    while try statement.step() {
      try Task.checkCancellation()
      let id = try statement.id(0)
      try size.add(id)
      places.append(
        Place(
          id: id,
          datestamp: statement.int(1),
          born: statement.int(2),
          ordinal: statement.int(3)
        )
      )
    }
  }

  private func isBefore(_ left: Place, _ right: Place) throws -> Bool {
    guard left.datestamp == right.datestamp else { return left.datestamp < right.datestamp }
    if left.born != right.born {
      let (one, other) = (
        try session.log.commit(ofBlock: left.born), try session.log.commit(ofBlock: right.born)
      )
      if one.order != other.order { return one.order < other.order }
    }
    return left.ordinal < right.ordinal
  }
}
