import VarveStore

/// The table of orders by the C interface, with the identifier as its key.
struct RawOrders {
  private let database: RawDatabase
  private let all: RawStatement

  init(_ path: String) throws {
    database = try RawDatabase(path)
    try database.execute(
      """
      CREATE TABLE IF NOT EXISTS orders (
        id TEXT PRIMARY KEY, number INTEGER NOT NULL, customer TEXT, employee INTEGER, ordered TEXT,
        required TEXT, shipped TEXT, shipper INTEGER, freight REAL, shipName TEXT,
        shipAddress TEXT, shipCity TEXT, shipRegion TEXT, shipPostalCode TEXT, shipCountry TEXT)
      """
    )
    all = try database.prepare("SELECT * FROM orders")
  }

  func insert(_ orders: [Order]) throws {
    let places = Array(repeating: "?", count: 15).joined(separator: ", ")
    let statement = try database.prepare("INSERT INTO orders VALUES (\(places))")
    try database.transaction {
      for order in orders {
        statement.clearBindings()
        statement.bind(1, order.id.text)
        statement.bind(2, Int64(order.number))
        order.customer.map { statement.bind(3, $0) }
        order.employee.map { statement.bind(4, Int64($0)) }
        order.ordered.map { statement.bind(5, $0) }
        order.required.map { statement.bind(6, $0) }
        order.shipped.map { statement.bind(7, $0) }
        order.shipper.map { statement.bind(8, Int64($0)) }
        order.freight.map { statement.bind(9, $0) }
        order.shipName.map { statement.bind(10, $0) }
        order.shipAddress.map { statement.bind(11, $0) }
        order.shipCity.map { statement.bind(12, $0) }
        order.shipRegion.map { statement.bind(13, $0) }
        order.shipPostalCode.map { statement.bind(14, $0) }
        order.shipCountry.map { statement.bind(15, $0) }
        _ = try statement.step()
        statement.reset()
      }
    }
    try database.checkpoint()
  }

  /// An order with the identifier that the table has.
  struct Row {
    var id: String
    var number: Int
    var customer: String?
    var employee: Int?
    var ordered: String?
    var required: String?
    var shipped: String?
    var shipper: Int?
    var freight: Double?
    var shipName: String?
    var shipAddress: String?
    var shipCity: String?
    var shipRegion: String?
    var shipPostalCode: String?
    var shipCountry: String?
  }

  func fetchAll() throws -> [Row] {
    defer { all.reset() }
    var rows: [Row] = []
    while try all.step() { rows.append(row()) }
    return rows
  }

  private func row() -> Row {
    Row(
      id: all.text(0),
      number: Int(all.int(1)),
      customer: all.optionalText(2),
      employee: all.optionalInt(3),
      ordered: all.optionalText(4),
      required: all.optionalText(5),
      shipped: all.optionalText(6),
      shipper: all.optionalInt(7),
      freight: all.isNull(8) ? nil : all.double(8),
      shipName: all.optionalText(9),
      shipAddress: all.optionalText(10),
      shipCity: all.optionalText(11),
      shipRegion: all.optionalText(12),
      shipPostalCode: all.optionalText(13),
      shipCountry: all.optionalText(14)
    )
  }
}
