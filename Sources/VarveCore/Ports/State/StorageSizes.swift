/// The sizes of a store's data.
public struct StorageSizes: Hashable, Sendable {
  /// How table sizes are measured.
  public enum Measure: String, Hashable, Sendable {
    /// The pages of a table, including unused space: they add up to the file.
    case pages
    /// The values of a table, without the database's overhead; used if the database does not count
    /// pages by table.
    case payload
  }

  /// The size of a table, including its indexes.
  public struct Table: Hashable, Sendable {
    /// The table's name in the database.
    public let name: String
    /// The table's size in bytes, by the measure.
    public let byteCount: Int
    /// Whether the table is part of the log, and not derived from it.
    public let isLog: Bool

    package init(name: String, byteCount: Int, isLog: Bool) {
      self.name = name
      self.byteCount = byteCount
      self.isLog = isLog
    }
  }

  /// How table sizes are measured.
  public let measure: Measure
  /// The tables, largest first.
  public let tables: [Table]
  /// The size of the file in bytes; 0 for a store in memory.
  public let fileByteCount: Int
  /// The size of its write-ahead log in bytes.
  public let writeAheadByteCount: Int

  package init(
    measure: Measure,
    tables: [Table],
    fileByteCount: Int = 0,
    writeAheadByteCount: Int = 0
  ) {
    self.measure = measure
    self.tables = tables.sorted { ($1.byteCount, $0.name) < ($0.byteCount, $1.name) }
    self.fileByteCount = fileByteCount
    self.writeAheadByteCount = writeAheadByteCount
  }

  /// The total size of the log's tables in bytes.
  public var logByteCount: Int { tables.filter(\.isLog).reduce(0) { $0 + $1.byteCount } }

  /// The total size of the derived tables in bytes.
  public var derivedByteCount: Int {
    tables.filter { !$0.isLog }.reduce(0) { $0 + $1.byteCount }
  }
}
