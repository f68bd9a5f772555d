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
  private let upsertion: RawStatement
  private let byID: RawStatement
  private let all: RawStatement
  private let byCity: RawStatement

  static let columns = "id, name, city, note, count, price, isActive, created, supplier"

  init(_ path: String) throws {
    database = try RawDatabase(path)
    try database.execute(
      Pragmas.table.replacingOccurrences(of: "TABLE item", with: "TABLE IF NOT EXISTS item")
    )
    let insert = "INSERT INTO item (\(Self.columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
    insertion = try database.prepare(insert)
    let changes = Self.columns.split(separator: ", ").dropFirst().map { "\($0) = excluded.\($0)" }
    upsertion = try database.prepare(
      insert + " ON CONFLICT DO UPDATE SET " + changes.joined(separator: ", ")
    )
    update = try database.prepare("UPDATE item SET count = ? WHERE id = ?")
    byID = try database.prepare("SELECT \(Self.columns) FROM item WHERE id = ?")
    all = try database.prepare("SELECT \(Self.columns) FROM item")
    byCity = try database.prepare("SELECT \(Self.columns) FROM item WHERE city = ?")
  }

  func insert(_ item: Item) throws { try run(insertion, item) }

  /// Inserts an item, or updates the one with an equal unique value.
  func upsert(_ item: Item) throws { try run(upsertion, item) }

  private func run(_ statement: RawStatement, _ item: Item) throws {
    statement.bind(1, item.textID)
    statement.bind(2, item.name)
    statement.bind(3, item.city)
    statement.bind(4, item.note)
    statement.bind(5, Int64(item.count))
    statement.bind(6, item.price)
    statement.bind(7, item.isActive ? 1 : 0 as Int64)
    statement.bind(8, item.created.timeIntervalSinceReferenceDate)
    statement.bind(9, item.textSupplier)
    _ = try statement.step()
    statement.reset()
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
