import VarveCore
import VarveStore

/// Items in a store, through the public interface.
struct VarveItems {
  let store: Store

  static let type: EntityType = "Item"
  static let keys: [PropertyKey] = [
    "name", "city", "note", "count", "price", "isActive", "created", "supplier",
  ]

  init(_ path: String) async throws { store = try await Store.open(path) }

  init(_ store: Store) { self.store = store }

  static func values(_ item: Item) -> [Value?] {
    [
      .string(item.name), .string(item.city), .string(item.note), .int(Int64(item.count)),
      .double(item.price), .bool(item.isActive), .date(item.created), .reference(item.supplier),
    ]
  }

  func insert(_ items: [Item]) async throws {
    try await store.create(
      Self.type,
      keys: Self.keys,
      rows: items.lazy.map { ($0.id, Self.values($0)) }
    )
  }

  static func properties(_ item: Item) -> [PropertyKey: Value] {
    [
      "name": .string(item.name), "city": .string(item.city), "note": .string(item.note),
      "count": .int(Int64(item.count)), "price": .double(item.price),
      "isActive": .bool(item.isActive), "created": .date(item.created),
      "supplier": .reference(item.supplier),
    ]
  }
}
