import VarveCore

/// What the overflow column of one row becomes, while a transaction writes to it.
///
/// The column is one value: written with every property, a row of many would cost their square. So it
/// is written when another row is, or when rows are read.
struct BufferedRow {
  let row: Int64
  let table: String
  var overflow: Overflow
  /// When the row last changed; nil where nothing is to be written yet.
  var modified: HybridTime?
}

extension Session {
  /// Takes up a row's overflow column, to be changed.
  func buffer(row: Int64, _ table: String) throws {
    if let buffered = rows.buffered, buffered.row == row, buffered.table == table { return }
    try writeBufferedRow()
    rows.buffered = BufferedRow(
      row: row,
      table: table,
      overflow: try storedOverflow(row: row, table)
    )
  }

  /// Writes what is kept back of a row. To be called before type tables are read, and at the end.
  func writeBufferedRow() throws {
    guard let buffered = rows.buffered else { return }
    rows.buffered = nil
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

  /// What a row's overflow column says in the table.
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
