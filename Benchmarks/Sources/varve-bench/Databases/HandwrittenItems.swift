import Foundation
import GRDB

/// The plain table as a GRDB record written by hand, as GRDB's README does for speed ("a plain
/// struct optimized for fetching performance"): columns selected in a fixed order and read by
/// index, encoded one by one.
struct ItemRow: FetchableRecord, PersistableRecord {
  static let databaseTableName = "item"

  enum Columns {
    static let id = Column("id")
    static let name = Column("name")
    static let city = Column("city")
    static let note = Column("note")
    static let count = Column("count")
    static let price = Column("price")
    static let isActive = Column("isActive")
    static let created = Column("created")
    static let supplier = Column("supplier")
  }

  var id: String
  var name: String
  var city: String
  var note: String
  var count: Int
  var price: Double
  var isActive: Bool
  var created: Double
  var supplier: String

  init(_ item: Item) {
    id = item.textID
    name = item.name
    city = item.city
    note = item.note
    count = item.count
    price = item.price
    isActive = item.isActive
    created = item.created.timeIntervalSinceReferenceDate
    supplier = item.textSupplier
  }

  /// Reads the columns in the order of ``RawItems/columns``.
  init(row: Row) {
    id = row[0]
    name = row[1]
    city = row[2]
    note = row[3]
    count = row[4]
    price = row[5]
    isActive = row[6]
    created = row[7]
    supplier = row[8]
  }

  func encode(to container: inout PersistenceContainer) {
    container[Columns.id] = id
    container[Columns.name] = name
    container[Columns.city] = city
    container[Columns.note] = note
    container[Columns.count] = count
    container[Columns.price] = price
    container[Columns.isActive] = isActive
    container[Columns.created] = created
    container[Columns.supplier] = supplier
  }

  var arguments: StatementArguments {
    [id, name, city, note, count, price, isActive, created, supplier]
  }
}

/// The plain table by hand-written records, synchronously: no thread is changed but GRDB's own.
///
/// It is written in two ways: by the record's own methods, whose statements GRDB caches; and by
/// cached statements with unchecked arguments, as GRDB's own `InsertRecordOptimizedTests` do, which
/// is SQL by hand too. It is read by cached statements (`FetchRecordOptimizedTests`).
struct HandwrittenItems {
  let pool: DatabasePool

  init(_ path: String) throws { pool = try RecordItems(path).pool }

  private static let columns = "item." + RawItems.columns.replacing(", ", with: ", item.")
  private static let insertion =
    "INSERT INTO item (\(RawItems.columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
  private static let update = "UPDATE item SET count = ? WHERE id = ?"
  private static let all = "SELECT \(columns) FROM item"
  private static let byID = all + " WHERE id = ?"
  private static let byCity = all + " WHERE city = ?"
  private static let byRegion =
    all + " JOIN supplier ON supplier.id = item.supplier WHERE supplier.region = ?"

  func insert(_ items: [ItemRow]) throws {
    try pool.write { database in
      for item in items { try item.insert(database) }
    }
  }

  func insertByStatement(_ items: [ItemRow]) throws {
    try pool.write { database in
      let statement = try database.cachedStatement(sql: Self.insertion)
      for item in items {
        statement.setUncheckedArguments(item.arguments)
        try statement.execute()
      }
    }
  }

  /// Updates the count of records, and nothing else.
  func updateCounts(_ items: [ItemRow]) throws {
    try pool.write { database in
      for item in items { try item.update(database, columns: [ItemRow.Columns.count]) }
    }
  }

  func updateCountsByStatement(_ items: [ItemRow]) throws {
    try pool.write { database in
      let statement = try database.cachedStatement(sql: Self.update)
      for item in items {
        statement.setUncheckedArguments([item.count, item.id])
        try statement.execute()
      }
    }
  }

  func find(_ id: String) throws -> ItemRow? {
    try pool.read { database in
      try ItemRow.fetchOne(database.cachedStatement(sql: Self.byID), arguments: [id])
    }
  }

  func fetchAll() throws -> [ItemRow] { try fetch(Self.all) }

  func fetch(city: String) throws -> [ItemRow] { try fetch(Self.byCity, [city]) }

  func items(ofRegion region: Int) throws -> [ItemRow] { try fetch(Self.byRegion, [region]) }

  private func fetch(_ sql: String, _ arguments: StatementArguments = []) throws -> [ItemRow] {
    try pool.read { database in
      try ItemRow.fetchAll(database.cachedStatement(sql: sql), arguments: arguments)
    }
  }
}
