import Foundation
import Varve

/// A hat shop, from its opening to its closing. Every step prints what it did.
@main
struct Example {
  let store: Store

  static func main() async throws {
    let example = Example(store: try await Store.open(.inMemory))  // or a file
    let shop = try await example.open(on: day("2024-03-01"))
    try await example.refuse()
    try await example.ask()
    let order = try await example.sell()
    try await example.raisePrices(on: day("2024-04-01"))
    try await example.lookBack(to: day("2024-03-15"))
    try await example.close(shop, order)
  }

  /// Models are saved one by one or many at once, as one commit with an author and a message.
  func open(on date: Date) async throws -> Shop {
    let shop = Shop(name: "Fedora & Sons")
    try await store.write(author: "sam", message: "opening", at: date) { tx in
      try await tx.save(shop)
      try await tx.save([
        Hat(name: "Fedora", size: 58, priceCents: 8_900, stock: 2, shop: shop.ref),
        Hat(name: "Fedora", size: 60, priceCents: 9_100, stock: 5, shop: shop.ref),
        Hat(name: "Boater", size: 57, priceCents: 4_500, material: .straw, shop: shop.ref),
        Hat(name: "Beanie", size: 56, priceCents: 1_950, material: .wool, stock: 9, shop: shop.ref),
      ])
    }
    print("1. Opened with \(try await store.count(Hat.all)) hats")
    return shop
  }

  /// Shows that a model that violates a rule is not written, and that the error names every
  /// violation.
  func refuse() async throws {
    do {
      try await store.save(Hat(name: "", size: 12, priceCents: 100))
    } catch let error as VarveError where error.code == .validationFailed {
      print("2. Refused:")
      for violation in error.violations { print("   \(violation)") }
    }
  }

  /// Queries are values; key paths name the properties, and `with` loads what a relation names.
  func ask() async throws {
    let inStock = Hat.where { $0.stock > 0 && $0.priceCents < 9_000 }.order(by: \.priceCents)
    print("3. In stock below 90:")
    for hat in try await store.fetch(inStock.with(\.shop)) {
      let shop = hat.shop?.loaded?.name ?? "no shop"
      print("   \(hat.name) \(hat.size), \(hat.price), at \(shop)")
    }
  }

  /// Sells hats in a transaction, which is written completely or not at all.
  func sell() async throws -> Order {
    let ana = try await store.save(Customer(name: "Ana", email: "ana@example.org"))
    let order = try await store.write(author: "ana", message: "order") { tx in
      let query = Hat.where { $0.name == "Fedora" && $0.size == 58 }
      var hat = try await tx.fetch(query)[0]
      let order = try await tx.save(Order(customer: ana.ref, hat: hat.ref, count: 2))
      hat.stock -= order.count
      try await tx.save(hat)
      return order
    }
    let customers = Customer.all.with(\.orders) { $0.with(\.hat) }
    for customer in try await store.fetch(customers) {
      let orders = customer.orders.loaded ?? []
      let hats = orders.map { "\($0.count) × \($0.hat.loaded?.name ?? "?")" }
      print("4. \(customer.name) ordered \(hats.joined(separator: ", "))")
    }
    return order
  }

  func raisePrices(on date: Date) async throws {
    try await store.write(author: "bo", message: "spring prices", at: date) { tx in
      for var hat in try await tx.fetch(Hat.where { $0.name == "Fedora" }) {
        hat.priceCents += 500
        try await tx.save(hat)
      }
    }
    print("5. Prices raised")
  }

  /// Reads every value that a property had, and runs a query on a past state.
  func lookBack(to date: Date) async throws {
    let fedoras = Hat.where { $0.name == "Fedora" }.order(by: \.size)
    let hat = try await store.fetch(fedoras)[0]
    print("6. What a Fedora cost:")
    for version in try await store.history(of: hat, \.priceCents) {
      print(
        "   \(version.value ?? 0) cents, by \(version.author ?? "-"): \(version.commit.message ?? "")"
      )
    }
    let then = try await store.asOf(date).fetch(fedoras)
    print("   On 15 March: \(then.map(\.price).joined(separator: " and "))")
  }

  /// Destroys a shop with everything that it owns, and restores it.
  func close(_ shop: Shop, _ order: Order) async throws {
    let gone = try await store.as("sam", message: "closing").erase(shop)
    print("7. Closed: \(gone.count) entities gone, \(try await store.count(Hat.all)) hats left")
    print("   The order stays: \(try await store.find(order.id) == order)")
    try await store.restore(shop.id.entityID)
    print("   Restored: \(try await store.count(Hat.all)) hats")
  }

  private static func day(_ text: String) throws -> Date {
    try Date("\(text)T00:00:00Z", strategy: .iso8601)
  }
}
