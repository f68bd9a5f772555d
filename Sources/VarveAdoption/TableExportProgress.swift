/// The progress of an export of tables.
public struct TableExportProgress: Hashable, Sendable {
  /// The number of rows that have been read; each counts once for each pass over its table.
  public let rowCount: Int
  /// The number of rows of all passes.
  public let totalRowCount: Int
}

/// The passes of an export over the entities that it writes.
final class ExportPasses {
  private let totalRowCount: Int
  private let progress: (TableExportProgress) throws -> Void
  private var rowCount = 0

  init(_ totalRowCount: Int, _ progress: @escaping (TableExportProgress) throws -> Void) {
    self.totalRowCount = totalRowCount
    self.progress = progress
  }

  /// Reports that more rows have been read.
  ///
  /// - Throws: `CancellationError` if the task is cancelled; what the progress throws.
  func advance(_ count: Int) throws {
    try Task.checkCancellation()
    rowCount += count
    try progress(TableExportProgress(rowCount: rowCount, totalRowCount: totalRowCount))
  }
}
