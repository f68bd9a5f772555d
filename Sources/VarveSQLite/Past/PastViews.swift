import VarveCore
import VarveSQL

extension Session {
  /// Hides tables of the present behind views of the past state.
  func hideTables(behind past: PastTables) throws {
    for layout in past.layouts.values {
      let name = layout.table.quotedIdentifier
      try connection.execute(
        "CREATE TEMP VIEW \(name) AS SELECT * FROM \(PastTables.source(layout))"
      )
      pastViews.append(name)
    }
  }

  /// Shows the tables of the present again.
  func showTables() {
    for name in pastViews { try? connection.execute("DROP VIEW temp.\(name)") }
    pastViews = []
  }
}
