import Foundation
import VarveStore

/// An item as a model. The conformance is what `@Entity` writes; the macro itself would make the
/// benchmarks build swift-syntax.
struct StockItem {
  var id = Identifier<StockItem>()
  var name: String
  var city: String
  var note: String
  var count: Int
  var price: Double
  var isActive: Bool
  var created: Date
  var supplier: Ref<Supplier>
}

extension StockItem {
  init(_ item: Item) {
    self.init(
      id: Identifier(item.id),
      name: item.name,
      city: item.city,
      note: item.note,
      count: item.count,
      price: item.price,
      isActive: item.isActive,
      created: item.created,
      supplier: Ref(Identifier(item.supplier))
    )
  }
}

extension StockItem: Persistable {
  static let schema = Schema<StockItem>("Item") {
    SchemaField("name", \.name)
    SchemaField("city", \.city)
    SchemaField("note", \.note)
    SchemaField("count", \.count)
    SchemaField("price", \.price)
    SchemaField("isActive", \.isActive)
    SchemaField("created", \.created)
    SchemaField("supplier", \.supplier)
  }

  init(row: EntityRow) throws {
    self.init(
      id: try row.id(),
      name: try row.read(0),
      city: try row.read(1),
      note: try row.read(2),
      count: try row.read(3),
      price: try row.read(4),
      isActive: try row.read(5),
      created: try row.read(6),
      supplier: try row.read(7)
    )
  }

  func write(to values: inout PropertyValues) throws {
    try values.append(name)
    try values.append(city)
    try values.append(note)
    try values.append(count)
    try values.append(price)
    try values.append(isActive)
    try values.append(created)
    try values.append(supplier)
  }
}

/// A supplier of items.
struct Supplier {
  var id = Identifier<Supplier>()
  var name: String
  var region: Int
  var items = Many<StockItem>()
}

extension Supplier: Persistable {
  static let schema = Schema<Supplier>("Supplier") {
    SchemaField("name", \.name)
    SchemaField("region", \.region, .index)
    SchemaField("items", \.items, .relation(inverse: \StockItem.supplier))
  }

  init(row: EntityRow) throws {
    id = try row.id()
    name = try row.read(0)
    region = try row.read(1)
  }

  func write(to values: inout PropertyValues) throws {
    try values.append(name)
    try values.append(region)
  }
}
