import Foundation
import VarveStore

/// Models written by hand, as one would without macros.
struct Shop: Persistable {
  static let schema = Schema<Shop>("shops") {
    SchemaField("name", \.name, .required)
    SchemaField("hats", \.hats, .relation(.owns, inverse: \Hat.shop))
  }

  var id = Identifier<Shop>()
  var name: String
  var hats = Many<Hat>()

  init(id: Identifier<Shop> = Identifier(), name: String, hats: Many<Hat> = Many()) {
    self.id = id
    self.name = name
    self.hats = hats
  }

  init(row: EntityRow) throws {
    id = try row.id()
    name = try row.read(0)
  }

  func write(to values: inout PropertyValues) throws { try values.append(name) }
}

struct Hat: Persistable {
  static let schema = Schema<Hat>("hats") {
    SchemaField("color", \.color, .length(1...40))
    SchemaField("brim_size", \.brimSize, .range(5...15), .index)
    SchemaField("shop", \.shop)
    SchemaField("created_at", \.createdAt, .createdAt)
    SchemaField("updated_at", \.updatedAt, .updatedAt)
  }

  var id = Identifier<Hat>()
  var color: String
  var brimSize: Int?
  var shop: Ref<Shop>?
  var createdAt: Date?
  var updatedAt: Date?

  init(
    id: Identifier<Hat> = Identifier(),
    _ color: String,
    _ brimSize: Int? = nil,
    shop: Ref<Shop>? = nil
  ) {
    self.id = id
    self.color = color
    self.brimSize = brimSize
    self.shop = shop
  }

  init(row: EntityRow) throws {
    id = try row.id()
    color = try row.read(0)
    brimSize = try row.read(1)
    shop = try row.read(2)
    createdAt = try row.read(3)
    updatedAt = try row.read(4)
  }

  func write(to values: inout PropertyValues) throws {
    try values.append(color)
    try values.append(brimSize)
    try values.append(shop)
    try values.append(createdAt)
    try values.append(updatedAt)
  }
}

struct Customer: Persistable {
  static let schema = Schema<Customer> {
    SchemaField("name", \.name)
    SchemaField("friends", \.friends, .relation(.free))
  }

  var id = Identifier<Customer>()
  var name: String
  var friends = Many<Customer>()

  init(id: Identifier<Customer> = Identifier(), _ name: String) {
    self.id = id
    self.name = name
  }

  init(row: EntityRow) throws {
    id = try row.id()
    name = try row.read("name")
  }

  func write(to values: inout PropertyValues) throws { try values.set("name", name) }
}

struct Order: Persistable {
  static let schema = Schema<Order> {
    SchemaField("hat", \.hat)
    SchemaField("customer", \.customer)
    SchemaField("count", \.count)
  }

  var id = Identifier<Order>()
  var hat: Ref<Hat>
  var customer: Ref<Customer>?
  var count: Int

  init(hat: Ref<Hat>, customer: Ref<Customer>?, count: Int = 1) {
    self.hat = hat
    self.customer = customer
    self.count = count
  }

  init(row: EntityRow) throws {
    id = try row.id()
    hat = try row.read("hat")
    customer = try row.read("customer")
    count = try row.read("count", default: 1)
  }

  func write(to values: inout PropertyValues) throws {
    try values.set("count", count)
    try values.set("customer", customer)
    try values.set("hat", hat)
  }
}
