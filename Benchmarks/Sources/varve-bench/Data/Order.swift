import VarveStore

/// An order as the Northwind database has it, with its fourteen columns. Dates are texts, as there.
struct Order: Hashable {
  var id = Identifier<Order>()
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

extension Order: Persistable {
  static let schema = Schema<Order>("Order") {
    SchemaField("number", \.number)
    SchemaField("customer", \.customer)
    SchemaField("employee", \.employee)
    SchemaField("ordered", \.ordered)
    SchemaField("required", \.required)
    SchemaField("shipped", \.shipped)
    SchemaField("shipper", \.shipper)
    SchemaField("freight", \.freight)
    SchemaField("shipName", \.shipName)
    SchemaField("shipAddress", \.shipAddress)
    SchemaField("shipCity", \.shipCity)
    SchemaField("shipRegion", \.shipRegion)
    SchemaField("shipPostalCode", \.shipPostalCode)
    SchemaField("shipCountry", \.shipCountry)
  }

  init(row: EntityRow) throws {
    self.init(
      id: try row.id(),
      number: try row.read(0),
      customer: try row.read(1),
      employee: try row.read(2),
      ordered: try row.read(3),
      required: try row.read(4),
      shipped: try row.read(5),
      shipper: try row.read(6),
      freight: try row.read(7),
      shipName: try row.read(8),
      shipAddress: try row.read(9),
      shipCity: try row.read(10),
      shipRegion: try row.read(11),
      shipPostalCode: try row.read(12),
      shipCountry: try row.read(13)
    )
  }

  func write(to values: inout PropertyValues) throws {
    try values.append(number)
    try values.append(customer)
    try values.append(employee)
    try values.append(ordered)
    try values.append(required)
    try values.append(shipped)
    try values.append(shipper)
    try values.append(freight)
    try values.append(shipName)
    try values.append(shipAddress)
    try values.append(shipCity)
    try values.append(shipRegion)
    try values.append(shipPostalCode)
    try values.append(shipCountry)
  }
}

extension Order {
  /// Makes orders whose texts have the lengths of Northwind's, and as many missing values: every
  /// fortieth was not shipped, and six of ten have no region.
  static func all(_ count: Int) -> [Order] {
    var random = SeededGenerator(state: 11)
    func draw(_ bound: UInt64) -> Int { Int(random.next() % bound) }
    func text(_ byteCount: Int) -> String {
      String((0..<byteCount).map { _ in Character(Unicode.Scalar(UInt8(97 + draw(26)))) })
    }
    func date() -> String {
      func digits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
      let day = "20\(12 + draw(12))-\(digits(1 + draw(12)))-\(digits(1 + draw(28)))"
      return "\(day) \(digits(draw(24))):\(digits(draw(60))):\(digits(draw(60)))"
    }
    return (0..<count).map { place in
      Order(
        number: 10_248 + place,
        customer: text(5).uppercased(),
        employee: 1 + draw(9),
        ordered: date(),
        required: date(),
        shipped: place % 40 == 0 ? nil : date(),
        shipper: 1 + draw(3),
        freight: Double(draw(100_000)) / 100,
        shipName: text(10 + draw(18)),
        shipAddress: text(12 + draw(20)),
        shipCity: text(5 + draw(8)),
        shipRegion: place % 10 < 6 ? nil : text(10),
        shipPostalCode: text(5),
        shipCountry: text(5 + draw(4))
      )
    }
  }
}
