import VarveCore
import VarveSQL

/// The new content of one row's overflow column while a transaction writes to the row.
///
/// The column is one value. If every property wrote it, a row of many properties would cost their
/// square. So it is written when another row is changed, or before rows are read.
struct BufferedRow {
  let row: Int64
  let table: String
  var overflow: Overflow
  /// The time at which the row last changed, or nil if nothing is to be written yet.
  var modified: HybridTime?
}

extension Session {
  /// Loads a row's overflow column in order to change it.
  func buffer(row: Int64, _ table: String) throws {
    if let bufferedRow, bufferedRow.row == row, bufferedRow.table == table { return }
    try writeBufferedRow()
    bufferedRow = BufferedRow(
      row: row,
      table: table,
      overflow: try storedOverflow(row: row, table)
    )
  }

  /// Writes the buffered column. Must be called before entity tables are read, and at the end.
  func writeBufferedRow() throws {
    guard let buffered = bufferedRow else { return }
    bufferedRow = nil
    guard let modified = buffered.modified else { return }
    let statement = try connection.statement(
      """
      UPDATE \(buffered.table.quotedIdentifier) \
      SET more = ?1, modified = max(?2, coalesce(modified, datestamp)) WHERE row = ?3
      """
    )
    statement.reserve(0)
    statement.bind(2, modified.rawValue)
    statement.bind(3, buffered.row)
    try (buffered.overflow.encoded ?? []).withUnsafeBytes { bytes in
      try statement.withBound(1, bytes) { try statement.run() }
    }
  }

  /// Returns the content of a row's overflow column in the table.
  func storedOverflow(row: Int64, _ table: String) throws -> Overflow {
    let statement = try connection.statement(
      "SELECT more FROM \(table.quotedIdentifier) WHERE row = ?"
    )
    statement.bind(1, row)
    defer { statement.reset() }
    guard try statement.step(), !statement.isNull(0) else { return Overflow() }
    return try Overflow(statement.bytes(0))
  }
}
