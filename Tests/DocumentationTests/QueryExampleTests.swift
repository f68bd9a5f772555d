import Foundation
import Testing
import Varve

@Entity struct Customer {
  var id = Identifier<Customer>()
  @Field(.searchable) var name: String
}

@Entity struct Order {
  var id = Identifier<Order>()
  var hat: Ref<Hat>
  var customer: Ref<Customer>?
  var count: Int
}

@Entity struct Ware {
  var id = Identifier<Ware>()
  var name: String
  var color: String
  var price: Int
  var cost: Int?
  var tags: [String] = []
  var maker: [String: String] = [:]
}

@Suite("The examples of queries behave as documented")
struct QueryExampleTests {
  /// A shop with a red hat, sold to Ann, and a blue one.
  private func sold() async throws -> (store: Store, shop: Shop, hat: Hat) {
    let store = try await Store.open(.inMemory)
    let shop = try await store.save(Shop(name: "A"))
    let hats = try await store.save([
      Hat(color: "red", brimSize: 12, shop: shop.ref), Hat(color: "blue", brimSize: 7),
    ])
    let ann = try await store.save(Customer(name: "Anna Smith"))
    try await store.save(Order(hat: hats[0].ref, customer: ann.ref, count: 2))
    return (store, shop, hats[0])
  }

  @Test func `narrowing, in Swift and in SQL`() async throws {
    let (store, _, hat) = try await sold()
    let monday = Date.now
    // snippet: Sources/VarveStore/VarveStore.docc/QueryingModels.md
    let wide = Hat.where { $0.color == "red" && $0.brimSize > 10 }
    let hats = try await store.fetch(wide.order(by: \.brimSize, descending: true).limit(10))
    let first = try await store.first(wide)
    let count = try await store.count(wide)
    let then = try await store.asOf(monday).fetch(wide)
    // end
    #expect(hats == [hat])
    #expect(first == hat)
    #expect(count == 1)
    #expect(then == [hat])
    // snippet: Sources/VarveStore/VarveStore.docc/QueryingModels.md
    let named = Hat.all.where(["color": "red", "shop": nil]).order(by: "brim_size")
    let raw = Hat.all.where(sql: "brim_size > ? OR color = ?", [10, "red"])
    // end
    #expect(try await store.count(named) == 0)
    #expect(try await store.fetch(raw) == [hat])
  }

  @Test func `columns among themselves, without case, and inside values`() async throws {
    let store = try await Store.open(.inMemory)
    var hat = Ware(name: "Hat", color: "Red", price: 9, cost: 4)
    hat.tags = ["new"]
    hat.maker = ["city": "Milan"]
    try await store.save([hat, Ware(name: "Cap", color: "red", price: 3, cost: 4)])
    // snippet: Sources/VarveStore/VarveStore.docc/QueryingModels.md
    let profitable = Ware.where { $0.price > $0.cost }
    let reds = Ware.where { $0.color.ignoringCase == "RED" }.order { $0.name.ignoringCase }
    let milanese = Ware.where { $0.maker["city", as: String.self] == "Milan" }
    let tagged = Ware.where { $0.tags.includes("new") }
    // end
    #expect(try await store.fetch(reds).map(\.name) == ["Cap", "Hat"])
    for query in [profitable, milanese, tagged] {
      #expect(try await store.fetch(query) == [hat])
    }
  }

  @Test func `missing values`() async throws {
    let store = try await Store.open(.inMemory)
    let costs = [4, 5, nil]
    try await store.save(costs.map { Ware(name: "Hat", color: "red", price: 9, cost: $0) })
    // snippet: Sources/VarveStore/VarveStore.docc/QueryingModels.md
    let another = Ware.where { $0.cost != 4 }  // another cost; not: no cost
    let notFour = Ware.where { $0.cost != 4 || $0.cost.isMissing }  // no cost, too
    let priced = Ware.where { $0.cost != nil }  // any cost
    let fourOrNone = Ware.where { $0.cost.isIn([4, nil]) }  // 4, or no cost
    let none = Ware.where { $0.cost.isIn([]) }  // no row
    let some = Ware.where { !$0.cost.isIn([]) }  // any cost; not: every row
    // end
    #expect(try await store.fetch(another).map(\.cost) == [5])
    #expect(try await store.fetch(notFour).map(\.cost) == [5, nil])
    #expect(try await store.fetch(priced).map(\.cost) == [4, 5])
    #expect(try await store.fetch(fourOrNone).map(\.cost) == [4, nil])
    #expect(try await store.isEmpty(none))
    #expect(try await store.fetch(some).map(\.cost) == [4, 5])
  }

  @Test func `rows that cannot be read`() async throws {
    let (store, _, _) = try await sold()
    try await store.create("hats", id: "hat-7", ["brim_size": 7])
    // snippet: Sources/VarveStore/VarveStore.docc/QueryingModels.md
    let report = try await store.fetchReport(Hat.all)
    for row in report.unreadable { print(row) }  // hats hat-7: "color" is missing
    // end
    #expect(report.unreadable.map(\.description) == ["hats hat-7: \"color\" is missing"])
    #expect(report.models.count == 2)
  }

  @Test func `the examples of queries behave as documented pages, parts and sums`() async throws {
    let (store, _, _) = try await sold()
    // snippet: Sources/VarveStore/VarveStore.docc/QueryingModels.md
    let page = try await store.page(of: Hat.all.order(by: \.color), size: 50)
    let next = try await store.page(of: Hat.all.order(by: \.color), size: 50, after: page.next)
    for try await hat in store.stream(Hat.all) { print(hat.color) }
    let pairs = try await store.fetch(Hat.all.select(\.color, \.brimSize))
    let (number, widest) = try await store.aggregate(Hat.all, .count, .maximum(\.brimSize))
    let byColor = try await store.aggregate(Hat.all, by: \.color, .count)
    // end
    // snippet: Sources/VarveStore/VarveStore.docc/QueryingModels.md
    let groups = Hat.all.grouped(by: \.color, \.brimSize).having(.count > 1)
    for group in try await store.aggregate(groups, .count) { print(group.keys, group.values) }
    // end
    #expect(try await store.aggregate(groups, .count).isEmpty)
    #expect(page.models.count == 2)
    #expect(page.next == nil)
    #expect(next.models.count == 2)
    #expect(pairs.map(\.0) == ["red", "blue"])
    #expect((number, widest) == (2, 12))
    #expect(byColor.map(\.key) == ["blue", "red"])
  }

  @Test func `relations and words`() async throws {
    let (store, shop, hat) = try await sold()
    // snippet: Sources/VarveStore/VarveStore.docc/QueryingModels.md
    let shops = try await store.fetch(Shop.all.with(\.hats) { $0.order(by: \.color) })
    let ofShop = try await store.fetch(shop.query(\.hats).where { $0.color == "red" })
    let orders = try await store.fetch(hat.toMany(Order.self))
    let buyers = try await store.fetch(
      hat.toMany(Customer.self, through: hat.toMany(Order.self)).distinct
    )
    let joined = Customer.all.join(Order.self, on: \.customer, equals: \.id)
      .where(joined: Order.self) { $0.count > 1 }
    // end
    // snippet: Sources/VarveStore/VarveStore.docc/QueryingModels.md
    let byShop = Hat.all.order(by: \.shop, \.name).where { $0.shop.name != "Outlet" }
    let large = Shop.where { $0.hats.count() > 3 || $0.hats.exist { $0.brimSize > 11 } }
    let widest = Shop.all.order(descending: true) { $0.hats.models().maximum(\.brimSize) }
    // end
    #expect(try await store.fetch(byShop) == [hat])
    #expect(try await store.fetch(large) == [shop])
    #expect(try await store.fetch(widest) == [shop])
    #expect(shops.map { $0.hats.loaded ?? [] } == [[hat]])
    #expect(ofShop == [hat])
    #expect(orders.map(\.count) == [2])
    #expect(buyers.map(\.name) == ["Anna Smith"])
    #expect(try await store.count(joined) == 1)
    // snippet: Sources/VarveStore/VarveStore.docc/QueryingModels.md
    let found = try await store.fetch(Customer.all.matching("ann* smith", in: \.name))
    let best = try await store.fetch(Customer.all.matching("\"anna smith\"", byRelevance: true))
    // end
    #expect(best.map(\.name) == ["Anna Smith"])
    #expect(found.map(\.name) == ["Anna Smith"])
  }
}
