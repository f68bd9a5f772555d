import VarveCore
import VarveStore

/// Closed databases with the same suppliers and items that refer to them, references indexed.
struct StockTemplates {
  let varve: String
  let plain: String
  let rowPerValue: String
  /// The number of regions of the suppliers.
  static let regionCount = 100

  init(_ context: Context, supplierCount: Int, itemCount: Int) async throws {
    varve = context.workspace.freshPath("varve")
    plain = context.workspace.freshPath()
    rowPerValue = context.workspace.freshPath()
    var random = SeededGenerator(state: 9)
    let suppliers = (0..<supplierCount).map { number in
      let id = EntityID.new(millisecondsSince1970: 1_750_000_000_000, using: &random)
      return Supplier(
        id: Identifier(id),
        name: "supplier-\(number)",
        region: number % Self.regionCount
      )
    }
    let items = ItemGenerator.small(itemCount).enumerated().map { index, item in
      var item = item
      item.supplier = suppliers[index % supplierCount].id.entityID
      item.textSupplier = item.supplier.text
      return item
    }
    let store = try await Store.open(varve)
    try await store.save(suppliers)
    try await store.save(items.map { StockItem($0) })
    try await store.addIndex(on: "supplier", of: "Item")
    try await store.close()
    let raw = try RawStock(plain)
    try raw.insert(suppliers, items)
    try raw.items.database.checkpoint()
    try Self.insert(suppliers, items, into: RowPerValue(rowPerValue))
  }

  private static func insert(
    _ suppliers: [Supplier],
    _ items: [Item],
    into rows: RowPerValue
  ) throws {
    try rows.transaction {
      for supplier in suppliers {
        let number = try rows.insert(entity: supplier.id.text, type: "Supplier")
        try rows.set(number, "name", supplier.name)
        try rows.set(number, "region", Int64(supplier.region))
      }
      for item in items { try rows.insert(item) }
    }
    try rows.addIndex(on: "region")
    try rows.addIndex(on: "supplier")
    try rows.database.checkpoint()
  }
}

/// Suppliers and items by the C interface.
struct RawStock {
  let items: RawItems
  private let insertion: RawStatement
  private let suppliers: RawStatement
  private let byRegion: RawStatement

  init(_ path: String) throws {
    items = try RawItems(path)
    let database = items.database
    try database.execute(
      """
      CREATE TABLE IF NOT EXISTS supplier (id TEXT PRIMARY KEY, name TEXT, region INTEGER);
      CREATE INDEX IF NOT EXISTS supplier_region ON supplier (region);
      CREATE INDEX IF NOT EXISTS item_supplier ON item (supplier);
      """
    )
    insertion = try database.prepare("INSERT INTO supplier (id, name, region) VALUES (?, ?, ?)")
    suppliers = try database.prepare("SELECT id, name, region FROM supplier")
    let columns = RawItems.columns.split(separator: ", ").map { "item.\($0)" }
    byRegion = try database.prepare(
      """
      SELECT \(columns.joined(separator: ", ")) FROM item
      JOIN supplier ON supplier.id = item.supplier WHERE supplier.region = ?
      """
    )
  }

  func insert(_ suppliers: [Supplier], _ items: [Item]) throws {
    try self.items.database.transaction {
      for supplier in suppliers {
        insertion.bind(1, supplier.id.text)
        insertion.bind(2, supplier.name)
        insertion.bind(3, Int64(supplier.region))
        _ = try insertion.step()
        insertion.reset()
      }
      for item in items { try self.items.insert(item) }
    }
  }

  func items(ofRegion region: Int) throws -> [RawItem] {
    byRegion.bind(1, Int64(region))
    return try items.fetch(byRegion)
  }

  /// Returns every supplier with its items, by two queries.
  func suppliersWithItems() throws -> [(id: String, name: String, items: [RawItem])] {
    let bySupplier = Dictionary(grouping: try items.fetchAll(), by: \.supplier)
    defer { suppliers.reset() }
    var all: [(id: String, name: String, items: [RawItem])] = []
    while try suppliers.step() {
      let id = suppliers.text(0)
      all.append((id, suppliers.text(1), bySupplier[id] ?? []))
    }
    return all
  }
}
