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
      return try session.connection.interrupter.bounded(by: bounds) {
        try run(sql, ResultSize(atMost: bounds?.resultByteCount))
      }
    }
  }

  /// Runs SQL of the caller. The statement is finalized on return, so that views can be dropped.
  private func run(_ sql: SQLText, _ size: ResultSize) throws -> [SQLRow] {
    let bindings = sql.parameters.map { SQLValue($0) }
    let statement = try session.connection.foreignQuery(SQLFragment(sql.sql, bindings))
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
