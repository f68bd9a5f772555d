import Foundation

/// A row of the plain table, decoded.
struct RawItem: Hashable {
  var id: String
  var name: String
  var city: String
  var note: String
  var count: Int
  var price: Double
  var isActive: Bool
  var created: Date
  var supplier: String
}

/// The plain table by the C interface.
struct RawItems {
  let database: RawDatabase
  private let insertion: RawStatement
  private let update: RawStatement
  private let byID: RawStatement
  private let all: RawStatement
  private let byCity: RawStatement

  static let columns = "id, name, city, note, count, price, isActive, created, supplier"

  init(_ path: String) throws {
    database = try RawDatabase(path)
    try database.execute(
      Pragmas.table.replacingOccurrences(of: "TABLE item", with: "TABLE IF NOT EXISTS item")
    )
    insertion = try database.prepare(
      "INSERT INTO item (\(Self.columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
    )
    update = try database.prepare("UPDATE item SET count = ? WHERE id = ?")
    byID = try database.prepare("SELECT \(Self.columns) FROM item WHERE id = ?")
    all = try database.prepare("SELECT \(Self.columns) FROM item")
    byCity = try database.prepare("SELECT \(Self.columns) FROM item WHERE city = ?")
  }

  func insert(_ item: Item) throws {
    insertion.bind(1, item.textID)
    insertion.bind(2, item.name)
    insertion.bind(3, item.city)
    insertion.bind(4, item.note)
    insertion.bind(5, Int64(item.count))
    insertion.bind(6, item.price)
    insertion.bind(7, item.isActive ? 1 : 0 as Int64)
    insertion.bind(8, item.created.timeIntervalSinceReferenceDate)
    insertion.bind(9, item.textSupplier)
    _ = try insertion.step()
    insertion.reset()
  }

  func insert(_ items: [Item]) throws {
    try database.transaction { for item in items { try insert(item) } }
  }

  func setCount(_ count: Int, of id: String) throws {
    update.bind(1, Int64(count))
    update.bind(2, id)
    _ = try update.step()
    update.reset()
  }

  func find(_ id: String) throws -> RawItem? {
    byID.bind(1, id)
    defer { byID.reset() }
    return try byID.step() ? item(byID) : nil
  }

  func fetchAll() throws -> [RawItem] { try fetch(all) }

  func fetch(city: String) throws -> [RawItem] {
    byCity.bind(1, city)
    return try fetch(byCity)
  }

  func fetch(_ statement: RawStatement) throws -> [RawItem] {
    defer { statement.reset() }
    var items: [RawItem] = []
    while try statement.step() { items.append(item(statement)) }
    return items
  }

  private func item(_ row: RawStatement) -> RawItem {
    RawItem(
      id: row.text(0),
      name: row.text(1),
      city: row.text(2),
      note: row.text(3),
      count: Int(row.int(4)),
      price: row.double(5),
      isActive: row.int(6) != 0,
      created: Date(timeIntervalSinceReferenceDate: row.double(7)),
      supplier: row.text(8)
    )
  }
}
