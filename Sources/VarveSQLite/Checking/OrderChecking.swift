import VarveCore
import VarveSQL

/// Checks that rows recorded as in creation order are. Queries do not sort them.
extension Checker {
  /// Checks the order of rows.
  ///
  /// - Complexity: O(rows).
  func checkOrder() throws {
    for layout in session.catalogue.layouts.values where layout.isInOrder {
      let rows = try session.connection.ownStatement(
        """
        SELECT t.id, t.datestamp, t.ordinal, i.born FROM \(layout.table.quotedIdentifier) AS t
        JOIN varve_identity AS i ON i.id = t.id ORDER BY t.row
        """
      )
      var last: CellOrder?
      while try rows.step() {
        let place = CellOrder(
          time: HybridTime(rawValue: rows.int(1)),
          commit: try session.commit(ofBlock: rows.int(3)).order,
          ordinal: Int(rows.int(2))
        )
        if let last, place < last {
          find("table \(layout.table) is recorded as in creation order and is not")
          break
        }
        last = place
      }
    }
  }
}
