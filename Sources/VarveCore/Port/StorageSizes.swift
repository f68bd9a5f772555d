/// What a store takes up where it is kept.
public struct StorageSizes: Hashable, Sendable {
  /// How the bytes of tables were found.
  public enum Measure: String, Hashable, Sendable {
    /// The pages they take, with what is unused in them: they add up to the file.
    case pages
    /// The values in them, without what the database adds, where it does not count pages by table.
    case payload
  }

  /// What a table takes, its indexes included.
  public struct Table: Hashable, Sendable {
    /// The table's name in the database.
    public let name: String
    /// Its bytes, by the measure.
    public let byteCount: Int
    /// Whether it is part of the log, rather than derived from it.
    public let isLog: Bool

    package init(name: String, byteCount: Int, isLog: Bool) {
      self.name = name
      self.byteCount = byteCount
      self.isLog = isLog
    }
  }

  /// How the bytes of tables were found.
  public let measure: Measure
  /// The tables, largest first.
  public let tables: [Table]
  /// The bytes of the file; 0 for a store in memory.
  public let fileByteCount: Int
  /// The bytes of the write-ahead log beside it.
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

  /// The bytes of the tables of the log.
  public var logByteCount: Int { tables.filter(\.isLog).reduce(0) { $0 + $1.byteCount } }

  /// The bytes of the tables derived from it.
  public var derivedByteCount: Int {
    tables.filter { !$0.isLog }.reduce(0) { $0 + $1.byteCount }
  }
}
