import Foundation
import VarveCore
import VarveStore

/// An item as a live object.
final class LiveItem: StoredObject {
  static let kind: EntityType = "Item"
  let id: EntityID
  private var name: String
  private var city: String
  private var note: String
  private var count: Int
  private var price: Double
  private var isActive: Bool
  private var created: Date
  private var supplier: Lazy<LiveItem>

  init(row: ObjectRow) throws {
    id = row.id
    name = try row.read("name")
    city = try row.read("city")
    note = try row.read("note")
    count = try row.read("count")
    price = try row.read("price")
    isActive = try row.read("isActive")
    created = try row.read("created")
    supplier = try row.read("supplier")
  }

  func read(_ row: ObjectRow) throws {
    name = try row.read("name")
    city = try row.read("city")
    note = try row.read("note")
    count = try row.read("count")
    price = try row.read("price")
    isActive = try row.read("isActive")
    created = try row.read("created")
    supplier = try row.read("supplier")
  }

  func write(to values: inout ObjectValues) throws {
    try values.set("name", name)
    try values.set("city", city)
    try values.set("note", note)
    try values.set("count", count)
    try values.set("price", price)
    try values.set("isActive", isActive)
    try values.set("created", created)
    try values.set("supplier", supplier)
  }
}
