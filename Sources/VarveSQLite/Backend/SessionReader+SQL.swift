import Foundation
import VarveCore

extension SessionReader {
  func rows(_ sql: SQLText) async throws -> [SQLRow] {
    try reading {
      try session.writeBufferedRow()
      if session.pastViews.isEmpty { try makeTables() }
      try session.showValues(past)
      defer { session.showTables() }
      let bounds = ReadBounds.current
      let caller =
        bounds == nil ? CallerAuthorizer.Caller.program : .remote(tables: session.shownTables)
      return try session.connection.interrupter.bounded(by: bounds) {
        try run(sql, of: caller, ResultSize(atMost: bounds?.resultByteCount))
      }
    }
  }

  /// Runs SQL of the caller. The statement is finalized on return, so that views can be dropped.
  private func run(
    _ sql: SQLText,
    of caller: CallerAuthorizer.Caller,
    _ size: ResultSize
  ) throws -> [SQLRow] {
    let fragment = SQLFragment(sql.sql, sql.parameters.map { SQLValue($0) })
    let statement = try session.connection.foreignQuery(fragment, of: caller)
    let columns = statement.columnNames
    var rows: [SQLRow] = []
    var size = size
    while try statement.step() {
      try size.add(statement.rowByteCount)
      rows.append(
        SQLRow(columns: columns, values: columns.indices.map { statement.native(Int32($0)) })
      )
    }
    return rows
  }
}
