import Foundation
import Testing
import VarveCore
import VarveStore
import VarveTestSupport

/// An entity whose mass is an exact decimal number.
private struct Stone: Persistable {
  static let schema = Schema<Stone>("stones") {
    SchemaField("mass", \.mass, .unique)
    SchemaField("price", \.price, .range(0...99.5), .index)
  }
  var id = Identifier<Stone>()
  var mass: Decimal
  var price: Decimal?
  init(_ mass: Decimal, price: Decimal? = nil) { (self.mass, self.price) = (mass, price) }
  init(row: EntityRow) throws {
    id = try row.id()
    mass = try row.read(0)
    price = try row.read(1)
  }
  func write(to values: inout PropertyValues) throws {
    try values.append(mass)
    try values.append(price)
  }
}

/// What names a mass.
private struct Label: Persistable {
  static let schema = Schema<Label>("labels") { SchemaField("mass", \.mass) }
  var id = Identifier<Label>()
  var mass: Decimal
  init(_ mass: Decimal) { self.mass = mass }
  init(row: EntityRow) throws {
    id = try row.id()
    mass = try row.read(0)
  }
  func write(to values: inout PropertyValues) throws { try values.append(mass) }
}

@Suite("Decimal numbers")
struct DecimalTests {
  private func number(_ text: String) throws -> Decimal { try #require(Decimal(string: text)) }

  @Test(arguments: Engine.allCases)
  func `decimal numbers of 9 and 10 are ordered, compared and summed as numbers`(engine: Engine)
    async throws
  {
    let store = try await makeStore(engine)
    try await store.save([Stone(10), Stone(9)])
    let heavy = Stone.where { $0.mass > 9 }
    #expect(try await store.fetch(heavy).map(\.mass) == [10])
    #expect(try await store.fetch(Stone.all.order(by: \.mass)).map(\.mass) == [9, 10])
    #expect(try await store.fetch(Stone.all.order(by: "mass")).map(\.mass) == [9, 10])
    #expect(try await store.count(Stone.where { $0.mass.between(9...9.5) }) == 1)
    let (sum, least, greatest) = try await store.aggregate(
      Stone.all,
      .sum(\.mass),
      .minimum(\.mass),
      .maximum(\.mass)
    )
    #expect((sum, least, greatest) == (19, 9, 10))
    #expect(try await store.aggregate(Stone.all, .average(\.mass)) == 9.5)
  }

  @Test(arguments: Engine.allCases)
  func `decimal numbers that others wrote in another form are the same numbers`(engine: Engine)
    async throws
  {
    let store = try await makeStore(engine)
    let forms: [Value] = ["1.00", "1", "+1e0", "0.10E+1", 1, 1.0]
    for (index, value) in forms.enumerated() {
      try await store.create("stones", id: EntityID(stringLiteral: "s\(index)"), ["mass": value])
    }
    try await store.create("stones", id: "none", ["mass": "1 stone"])
    #expect(try await store.count(Stone.where { $0.mass == 1 }) == 6)
    #expect(try await store.fetch(Stone.all).map(\.mass) == Array(repeating: 1, count: 6))
    #expect(try await store.fetchReport(Stone.all).unreadable.map(\.id) == ["none"])
    #expect(try await store.aggregate(Stone.all, .sum(\.mass)) == 6)
    let groups = try await store.aggregate(Stone.all, by: \.mass, .count)
    #expect(groups.map(\.key) == [1])
    #expect(groups.map(\.values) == [6])
    let doubles = try await store.issues(of: Stone.self).compactMap { issue -> Int? in
      if case .duplicate(let double) = issue { double.entities.count } else { nil }
    }
    #expect(doubles == [6])
  }

  @Test(arguments: Engine.allCases)
  func `decimal numbers are exact to the last of 38 digits, and 128 places`(engine: Engine)
    async throws
  {
    let store = try await makeStore(engine)
    let texts = [
      "99999999999999999999999999999999999998", "99999999999999999999999999999999999999",
      "-99999999999999999999999999999999999999", "0", "1e-128", "-1e-128", "1e127",
      "0.12345678901234567890123456789012345678", "0.12345678901234567890123456789012345679",
    ]
    let masses = try texts.map(number)
    try await store.save(masses.map { Stone($0) })
    #expect(try await store.fetch(Stone.all.order(by: \.mass)).map(\.mass) == masses.sorted())
    for mass in masses {
      #expect(try await store.count(Stone.where { $0.mass == mass }) == 1)
      let above = masses.count { $0 > mass }
      #expect(try await store.count(Stone.where { $0.mass > mass }) == above)
    }
  }

  @Test(arguments: Engine.allCases)
  func `sum exactly in any order, and not at all beyond their digits`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    let great = try number("99999999999999999999999999999999999999")
    try await store.save([Stone(great), Stone(try number("0.5")), Stone(-great)])
    #expect(try await store.aggregate(Stone.all, .sum(\.mass)) == number("0.5"))
    let error = await failure {
      _ = try await store.aggregate(Stone.where { $0.mass > 0 }, .sum(\.mass))
    }
    #expect(error?.code == .valueTooLarge)
    #expect(try await store.aggregate(Stone.where { $0.mass > great }, .sum(\.mass)) == nil)
  }

  @Test(arguments: Engine.allCases)
  func `decimal numbers are unique, in range and joined as numbers`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.create("stones", id: "one", ["mass": "1.50"])
    try await store.create("stones", id: "two", ["mass": "2"])
    let error = await failure { try await store.save(Stone(1.5)) }
    #expect(error?.violations.map(\.message) == ["taken"])
    for price: Decimal in [-1, 100, 99.51] {
      #expect(await failure { try await store.save(Stone(3, price: price)) } != nil)
    }
    try await store.save(Stone(3, price: 99.5))
    try await store.save(Label(1.5))
    let joined = Stone.all.join(Label.self, on: \.mass, equals: \.mass)
    #expect(try await store.fetch(joined).map(\.id.text) == ["one"])
    let light = joined.where(joined: Label.self) { $0.mass < 1.6 }
    #expect(try await store.count(light) == 1)
    #expect(try await store.count(joined.where(joined: Label.self) { $0.mass < 1.5 }) == 0)
  }

  @Test(arguments: Engine.allCases)
  func `decimal numbers are asked for without a model too`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    for (index, value) in (["10", "9", "x", 9.5, nil] as [Value?]).enumerated() {
      let id = EntityID(stringLiteral: "s\(index)")
      try await store.create("stones", id: id, value.map { ["mass": $0] } ?? [:])
    }
    let mass = Field.decimal(Field("mass"))
    let query = Query("stones")
    #expect(try await store.fetch(query.where(mass > 9)).map(\.id) == ["s0", "s3"])
    #expect(try await store.fetch(query.where(!(mass > "9"))).map(\.id) == ["s1"])
    #expect(try await store.fetch(query.where(mass.isIn([9, "9.50"]))).map(\.id) == ["s1", "s3"])
    #expect(try await store.fetch(query.where(mass.isMissing)).map(\.id) == ["s4"])
    let ordered = try await store.fetch(query.order(by: mass, descending: true)).map(\.id)
    #expect(ordered == ["s0", "s3", "s1", "s2", "s4"])
    let rows = try await store.aggregate(
      query,
      [
        Aggregation(.sum, of: mass), Aggregation(.average, of: mass),
        Aggregation(.maximum, of: mass), Aggregation(.count, of: mass),
      ]
    )
    #expect(rows.map(\.values) == [["28.5", "9.5", "10", 3]])
  }
}
