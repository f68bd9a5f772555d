import Foundation
import VarveCore
import VarveJSON
import VarveStore

/// A hat; its color must be there.
struct HatRecord: RecordModel {
  static let name = "hat"
  static let schema = Schema<HatRecord>("hats", model: "hat") {
    SchemaField("color", \.color)
    SchemaField("brim_size", \.brimSize)
    SchemaField("store_id", \.store)
    SchemaField("created_at", \.createdAt, .createdAt)
    SchemaField("updated_at", \.updatedAt, .updatedAt)
    SchemaField("ascent_time", \.ascentTime)
    SchemaField("incandescence", \.incandescence)
  }

  var id = Identifier<HatRecord>()
  var color: String
  var brimSize: Int?
  var store: Ref<StoreRecord>?
  var createdAt: Date?
  var updatedAt: Date?
  var ascentTime: Int?
  var incandescence: Int?

  init(id: Identifier<HatRecord>, _ values: RecordValues) throws {
    self.id = id
    color = values.text("color") ?? ""
    brimSize = values.integer("brim_size")
    store = try values.reference("store_id")
    createdAt = try values.date("created_at")
    updatedAt = try values.date("updated_at")
    ascentTime = values.integer("ascent_time")
    incandescence = values.integer("incandescence")
  }

  init(row: EntityRow) throws {
    id = try row.id()
    color = try row.read(0)
    brimSize = try row.read(1)
    store = try row.read(2)
    createdAt = try row.read(3)
    updatedAt = try row.read(4)
    ascentTime = try row.read(5)
    incandescence = try row.read(6)
  }

  func write(to values: inout PropertyValues) throws {
    try values.append(color)
    try values.append(brimSize)
    try values.append(store)
    try values.append(createdAt)
    try values.append(updatedAt)
    try values.append(ascentTime)
    try values.append(incandescence)
  }

  var columns: [(String, JSON)] {
    [
      ("color", RecordModels.json(color)),
      ("brim_size", RecordModels.json(brimSize)),
      ("store_id", RecordModels.json(store)),
      ("created_at", RecordModels.json(createdAt)),
      ("updated_at", RecordModels.json(updatedAt)),
      ("ascent_time", RecordModels.json(ascentTime)),
      ("incandescence", RecordModels.json(incandescence)),
    ]
  }
}
