import Foundation
import VarveCore
import VarveStore

/// The work of the Lighter suite: all orders, of fourteen columns, into structs, again and again.
/// Also in a state of a year ago, since when one order of twenty was changed.
enum OrdersFetched {
  static let name = "orders of 14 columns as structs"
  private static let orderCount = 15_889
  private static let fetchCount = 500
  private static let past = "a year ago"

  static func make(_ context: Context) async throws -> Benchmark {
    let orders = Order.all(orderCount)
    let fetchCount = context.scaled(fetchCount)
    let (path, plain) = (context.workspace.freshPath("varve"), context.workspace.freshPath())
    let (year, now) = (365.0 * 86_400, Date())
    let store = try await Store.open(path)
    try await store.write(at: now - 2 * year) { _ = try await $0.save(orders) }
    let changed = orders.enumerated().map { place, order in
      var order = order
      if place % 20 == 0 { order.shipName = "changed \(place)" }
      return order
    }
    try await store.save(changed)
    let raw = try RawOrders(plain)
    try raw.insert(changed)
    let then = try store.asOf(now - year)
    try await prove(store, changed)
    try await prove(then, orders)
    guard try raw.fetchAll().map(\.shipName) == changed.map(\.shipName) else {
      throw RawError(description: "\(name): the table has other orders")
    }
    let count = orderCount * fetchCount
    return Benchmark(
      name: name,
      contestants: [
        .init(name: Contestants.varve, count: count) {
          try await seconds {
            for _ in 0..<fetchCount { try await demand(store.fetch(Order.all).count) }
          }
        },
        .init(name: past, count: count) {
          try await seconds {
            for _ in 0..<fetchCount { try await demand(then.fetch(Order.all).count) }
          }
        },
        .init(name: Contestants.raw, count: count) {
          try await seconds {
            for _ in 0..<fetchCount { try demand(raw.fetchAll().count) }
          }
        },
      ],
      comparisons: [
        .init(
          name: name,
          subject: Contestants.varve,
          anchor: Contestants.raw,
          kind: .cost,
          bar: Bars.ordersToRaw
        ),
        .init(
          name: "\(name), \(past)",
          subject: past,
          anchor: Contestants.varve,
          kind: .cost,
          bar: Bars.pastOrdersToPresent
        ),
      ]
    )
  }

  private static func demand(_ count: Int) throws {
    guard count == orderCount else { throw RawError(description: "\(name): \(count) orders") }
  }

  private static func prove(_ state: some Reading, _ orders: [Order]) async throws {
    guard try await state.fetch(Order.all) == orders else {
      throw RawError(description: "\(name): a state has other orders")
    }
  }
}
