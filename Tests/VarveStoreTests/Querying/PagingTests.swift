import Foundation
import Testing
import VarveCore
import VarveStore

@Suite("Pages")
struct PagingTests {
  /// Five orders, each of a customer of their own; the names rise against the orders' creation.
  private func orders(_ engine: Engine) async throws -> Store {
    let store = try await makeStore(engine)
    let hat = Hat(id: "hat", "red", 10)
    try await store.save(hat)
    for (index, name) in ["e", "d", "c", "b", "a"].enumerated() {
      let customer = Customer(id: Identifier(try EntityID("c\(index)")), name)
      try await store.save(customer)
      try await store.create(
        "orders",
        id: try EntityID("o\(index)"),
        ["hat": .reference("hat"), "customer": .reference(customer.id.entityID), "count": 1]
      )
    }
    return store
  }

  private func names(descending: Bool = false) throws -> TypedQuery<Order> {
    let joined = Order.all.join(Customer.self, on: \.id, equals: \.customer)
    let name = Field.of("customers", Field("name"))
    return try TypedQuery(joined.untyped.order(by: name, descending: descending))
  }

  private func together<Model>(
    _ query: TypedQuery<Model>,
    _ size: Int,
    in reading: some Reading
  ) async throws -> [String] {
    var (found, mark): ([String], PageMark?) = ([], nil)
    repeat {
      let page = try await reading.page(of: query, size: size, after: mark)
      found += page.models.map(\.id.text)
      mark = page.next
      guard found.count < 50 else { break }
    } while mark != nil
    return found
  }

  @Test(arguments: Engine.allCases)
  func `pages go through a joined order once, up and down`(engine: Engine) async throws {
    let store = try await orders(engine)
    for size in [1, 2, 3, 5, 6, .max] {
      let up = try await together(names(), size, in: store)
      #expect(up == ["o4", "o3", "o2", "o1", "o0"], "\(size)")
      let down = try await together(names(descending: true), size, in: store)
      #expect(down == ["o0", "o1", "o2", "o3", "o4"], "\(size)")
    }
  }

  @Test(
    arguments: Engine.allCases
  )
  func `pages of distinct rows sort by the first joined row, and return no row twice`(
    engine: Engine
  ) async throws {
    let store = try await orders(engine)
    // Each customer has a second order, so that its first and last counts differ.
    for index in 0..<5 {
      try await store.create(
        "orders",
        ["customer": .reference(try EntityID("c\(index)")), "count": .int(Int64(10 - index))]
      )
    }
    let joined = Customer.all.join(Order.self, on: \.customer, equals: \.id).distinct
    for isDescending in [false, true] {
      let count = Field.of("orders", Field("count"))
      let query = try TypedQuery<Customer>(
        joined.untyped.order(by: count, descending: isDescending)
      )
      let whole = try await store.fetch(query).map(\.id.text)
      #expect(whole.count == 5)
      if isDescending { #expect(whole == ["c0", "c1", "c2", "c3", "c4"]) }
      for size in 1...6 { #expect(try await together(query, size, in: store) == whole) }
    }
  }

  @Test(arguments: Engine.allCases)
  func `pages refuse a mark of another query, order or direction`(engine: Engine) async throws {
    let store = try await orders(engine)
    let mark = try #require(try await store.page(of: names(), size: 2).next)
    let others = [
      Order.all, Order.all.order(by: \.count), try names(descending: true),
      try names().where { $0.count > 0 }, try names().distinct,
    ]
    for query in others {
      let error = await failure { _ = try await store.page(of: query, size: 2, after: mark) }
      #expect(error?.code == .invalidArgument)
    }
    #expect(try await store.page(of: names(), size: 2, after: mark).models.count == 2)
  }

  @Test(arguments: Engine.allCases)
  func `pages have the size asked for, whatever rows cannot be read`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    for index in 0..<9 {
      let color: Value = index.isMultiple(of: 3) || index == 8 ? 7 : "red"
      try await store.create("hats", id: try EntityID("h\(index)"), ["color": color])
    }
    let page = try await store.page(of: Hat.all, size: 2)
    #expect(page.models.map(\.id.text) == ["h1", "h2"])
    for size in [1, 2, 4, 5, .max] {
      #expect(try await together(Hat.all, size, in: store) == ["h1", "h2", "h4", "h5", "h7"])
    }
    // Nothing that can be read comes after the fifth.
    #expect(try await store.page(of: Hat.all, size: 5).next == nil)
  }
}
