/// The settings of SQLite, the same for all contestants. Varve checkpoints from about 4,000 pages
/// by itself.
enum Pragmas {
  static let all = [
    "PRAGMA journal_mode = WAL",
    "PRAGMA synchronous = NORMAL",
    "PRAGMA cache_size = -65536",
    "PRAGMA temp_store = MEMORY",
    "PRAGMA wal_autocheckpoint = 4000",
  ]

  static let description =
    "WAL, synchronous NORMAL, cache 64 MB, temp_store MEMORY, checkpoint from 4,000 pages"

  /// The plain table.
  static let table = """
    CREATE TABLE item (
      id TEXT PRIMARY KEY NOT NULL, name TEXT, city TEXT, note TEXT, count INTEGER, price REAL,
      isActive INTEGER, created REAL, supplier TEXT)
    """

  /// The index the filter uses.
  static let index = "CREATE INDEX item_city ON item (city)"
}
