import Foundation
import GRDB

/// The plain table as GRDB's Codable record.
struct ItemRecord: Codable, FetchableRecord, PersistableRecord {
  static let databaseTableName = "item"

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
}

extension ItemRecord {
  static let supplierRecord = belongsTo(SupplierRecord.self, using: ForeignKey(["supplier"]))

  /// Returns the items of the suppliers of a region.
  static func ofRegion(_ region: Int) -> QueryInterfaceRequest<ItemRecord> {
    joining(required: supplierRecord.filter(Column("region") == region))
  }
}

/// The suppliers' table, which is only joined.
struct SupplierRecord: TableRecord {
  static let databaseTableName = "supplier"
}

/// The plain table by GRDB.
struct RecordItems {
  let pool: DatabasePool

  init(_ path: String) throws {
    var configuration = Configuration()
    configuration.prepareDatabase { database in
      // The pool sees to WAL itself.
      for pragma in Pragmas.all.dropFirst() { try database.execute(sql: pragma) }
    }
    pool = try DatabasePool(path: path, configuration: configuration)
    try pool.write { database in
      try database.execute(
        sql: Pragmas.table.replacingOccurrences(of: "TABLE item", with: "TABLE IF NOT EXISTS item")
      )
    }
  }
}
