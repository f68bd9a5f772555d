import VarveCore
import VarveJSON
import VarveStore

/// A store that sells hats.
struct StoreRecord: RecordModel {
  static let name = "store"
  static let schema = Schema<StoreRecord>("stores", model: "store") {
    SchemaField("name", \.label)
  }

  var id = Identifier<StoreRecord>()
  var label: String?

  init(id: Identifier<StoreRecord>, _ values: RecordValues) throws {
    self.id = id
    label = values.text("name")
  }

  init(row: EntityRow) throws {
    id = try row.id()
    label = try row.read(0)
  }

  func write(to values: inout PropertyValues) throws {
    try values.append(label)
  }

  var columns: [(String, JSON)] {
    [
      ("name", RecordModels.json(label))
    ]
  }
}

/// A shelf of a store.
struct ShelfRecord: RecordModel {
  static let name = "shelf"
  static let schema = Schema<ShelfRecord>("shelfs", model: "shelf") {
    SchemaField("name", \.label)
    SchemaField("store_id", \.store)
  }

  var id = Identifier<ShelfRecord>()
  var label: String?
  var store: Ref<StoreRecord>?

  init(id: Identifier<ShelfRecord>, _ values: RecordValues) throws {
    self.id = id
    label = values.text("name")
    store = try values.reference("store_id")
  }

  init(row: EntityRow) throws {
    id = try row.id()
    label = try row.read(0)
    store = try row.read(1)
  }

  func write(to values: inout PropertyValues) throws {
    try values.append(label)
    try values.append(store)
  }

  var columns: [(String, JSON)] {
    [
      ("name", RecordModels.json(label)),
      ("store_id", RecordModels.json(store)),
    ]
  }
}

/// An order by a customer.
struct OrderRecord: RecordModel {
  static let name = "order"
  static let schema = Schema<OrderRecord>("orders", model: "order") {
    SchemaField("hat_id", \.hat)
    SchemaField("customer_id", \.customer)
  }

  var id = Identifier<OrderRecord>()
  var hat: Ref<HatRecord>?
  var customer: Ref<CustomerRecord>?

  init(id: Identifier<OrderRecord>, _ values: RecordValues) throws {
    self.id = id
    hat = try values.reference("hat_id")
    customer = try values.reference("customer_id")
  }

  init(row: EntityRow) throws {
    id = try row.id()
    hat = try row.read(0)
    customer = try row.read(1)
  }

  func write(to values: inout PropertyValues) throws {
    try values.append(hat)
    try values.append(customer)
  }

  var columns: [(String, JSON)] {
    [
      ("hat_id", RecordModels.json(hat)),
      ("customer_id", RecordModels.json(customer)),
    ]
  }
}

/// A customer.
struct CustomerRecord: RecordModel {
  static let name = "customer"
  static let schema = Schema<CustomerRecord>("customers", model: "customer") {
    SchemaField("name", \.label)
    SchemaField("order_id", \.order)
  }

  var id = Identifier<CustomerRecord>()
  var label: String?
  var order: Ref<OrderRecord>?

  init(id: Identifier<CustomerRecord>, _ values: RecordValues) throws {
    self.id = id
    label = values.text("name")
    order = try values.reference("order_id")
  }

  init(row: EntityRow) throws {
    id = try row.id()
    label = try row.read(0)
    order = try row.read(1)
  }

  func write(to values: inout PropertyValues) throws {
    try values.append(label)
    try values.append(order)
  }

  var columns: [(String, JSON)] {
    [
      ("name", RecordModels.json(label)),
      ("order_id", RecordModels.json(order)),
    ]
  }
}

/// A tag.
struct TagRecord: RecordModel {
  static let name = "tag"
  static let schema = Schema<TagRecord>("tags", model: "tag") {
    SchemaField("label", \.label)
  }

  var id = Identifier<TagRecord>()
  var label: String?

  init(id: Identifier<TagRecord>, _ values: RecordValues) throws {
    self.id = id
    label = values.text("label")
  }

  init(row: EntityRow) throws {
    id = try row.id()
    label = try row.read(0)
  }

  func write(to values: inout PropertyValues) throws {
    try values.append(label)
  }

  var columns: [(String, JSON)] {
    [
      ("label", RecordModels.json(label))
    ]
  }
}
