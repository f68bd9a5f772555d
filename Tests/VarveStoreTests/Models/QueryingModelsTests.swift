import Foundation
import Testing
import VarveCore
import VarveStore

@Suite("Querying models")
struct QueryingModelsTests {
  private func hats(_ engine: Engine) async throws -> Store {
    let store = try await makeStore(engine)
    try await store.write { tx in
      for (index, (color, size)) in [("black", 10), ("red", 11), ("blue", 10), ("black", 12)]
        .enumerated()
      {
        try await tx.save(Hat(id: Identifier(try EntityID("hat-\(index + 1)")), color, size))
      }
    }
    return store
  }

  private func ids(_ hats: [Hat]) -> [String] { hats.map(\.id.text) }

  @Test(arguments: Engine.allCases)
  func `operators and named methods are equivalent`(engine: Engine) async throws {
    let store = try await hats(engine)
    let wide = Hat.where { $0.color == "black" && $0.brimSize > 10 }
    #expect(ids(try await store.fetch(wide)) == ["hat-4"])
    let named = Hat.where { $0.color == "black" && $0.brimSize > 10 }
    #expect(ids(try await store.fetch(named)) == ["hat-4"])
    #expect(try await store.count(Hat.where { $0.brimSize.between(10...11) }) == 3)
    #expect(try await store.count(Hat.where { $0.color.isIn(["red", "blue"]) }) == 2)
    #expect(try await store.count(Hat.where { $0.color.hasPrefix("bl") }) == 3)
    #expect(try await store.count(Hat.where { $0.shop == nil }) == 4)
    #expect(try await store.count(Hat.where { $0.id == "hat-2" }) == 1)
    #expect(try await store.count(Hat.where { $0.id != "hat-2" }) == 3)
    #expect(try await store.count(Hat.all.where(["color": "black", "brim_size": 12])) == 1)
    #expect(try await store.count(Hat.all.where([:])) == 4)
  }

  @Test(arguments: Engine.allCases)
  func `orders, windows, first and last`(engine: Engine) async throws {
    let store = try await hats(engine)
    let ordered = Hat.all.order(by: \.brimSize).order(by: \.color, descending: true)
    #expect(ids(try await store.fetch(ordered)) == ["hat-3", "hat-1", "hat-2", "hat-4"])
    #expect(ids(try await store.fetch(ordered.reversed)) == ["hat-4", "hat-2", "hat-1", "hat-3"])
    #expect(try await store.first(ordered)?.id == "hat-3")
    #expect(try await store.last(ordered)?.id == "hat-4")
    #expect(try await store.last(ordered.limit(2))?.id == "hat-1")
    #expect(try await store.last(Hat.all)?.id == "hat-4")
    #expect(try await store.last(Hat.where { $0.color == "green" }) == nil)
    #expect(ids(try await store.fetch(Hat.all.offset(1).limit(2))) == ["hat-2", "hat-3"])
    #expect(try await store.count(Hat.all.limit(3)) == 3)
    #expect(try await store.find("hat-1", in: Hat.where { $0.color == "red" }) == nil)
    #expect(try await store.find("hat-2", in: Hat.where { $0.color == "red" })?.id == "hat-2")
    #expect(try await store.isEmpty(Hat.where { $0.color == "green" }))
    #expect(try await store.exists(Hat.where { $0.color == "red" }))
  }

  @Test(arguments: Engine.allCases)
  func `a row that cannot be read is omitted, named, and not lost`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.write { tx in
      try await tx.create("hats", id: "a", ["brim_size": 3])
      try await tx.create("hats", id: "b", ["color": 12])
      try await tx.create("hats", id: "c", ["color": "red", "brim_size": "wide"])
      try await tx.create("hats", id: "d", ["color": "blue"])
    }
    let report = try await store.fetchReport(Hat.all)
    #expect(report.models.map(\.id) == ["d"])
    #expect(
      report.unreadable.map(\.description) == [
        "hats a: \"color\" is missing", "hats b: \"color\" is integer, not string",
        "hats c: \"brim_size\" is string, not integer",
      ]
    )
    #expect(try await store.first(Hat.all)?.id == "d")
    #expect(try await store.count(Hat.all) == 4)
    #expect(try await store.entity("c")?["brim_size"] == "wide")
    await #expect {
      _ = try await store.find(Identifier<Hat>("c"))
    } throws: {
      ($0 as? VarveError)?.code == .fieldType
    }
    var streamed: [Hat] = []
    for try await hat in store.stream(Hat.all, pageSize: 2) { streamed.append(hat) }
    #expect(streamed.map(\.id) == ["d"])
  }

  @Test(arguments: Engine.allCases)
  func `any query runs on any past state`(engine: Engine) async throws {
    let store = try await hats(engine)
    let then = try await store.frontier()
    try await store.set("hat-1", "color", "green")
    try await store.erase("hat-2")
    let black = Hat.where { $0.color == "black" }
    #expect(try await store.count(black) == 1)
    let past = store.asOf(then)
    #expect(ids(try await past.fetch(black)) == ["hat-1", "hat-4"])
    #expect(try await past.find(Identifier<Hat>("hat-2"))?.color == "red")
    #expect(try await past.aggregate(black, .count) == 2)
  }

  @Test(
    arguments: Engine.allCases
  )
  func `pages go by the order's values, with ties, gaps and other kinds`(engine: Engine)
    async throws
  {
    let store = try await hats(engine)
    try await store.write { tx in
      for (id, size) in [("x", nil), ("y", 10), ("z", nil)] as [(String, Int?)] {
        try await tx.save(Hat(id: Identifier(try EntityID(id)), "grey", size))
      }
    }
    for query in [
      Hat.all, Hat.all.order(by: \.brimSize), Hat.all.order(by: \.brimSize, descending: true),
      Hat.all.order(by: \.color).order(by: \.brimSize, descending: true),
    ] {
      let whole = try await store.fetch(query.order(by: \.id)).map(\.id)
      for size in 1...8 {
        var (found, mark): ([Identifier<Hat>], PageMark?) = ([], nil)
        repeat {
          let page = try await store.page(of: query, size: size, after: mark)
          found += page.models.map(\.id)
          mark = page.next
        } while mark != nil
        #expect(found == whole)
      }
    }
    await #expect(throws: VarveError.self) { try await store.page(of: Hat.all.limit(2), size: 1) }
    await #expect(throws: VarveError.self) { try await store.page(of: Hat.all, size: 0) }
  }

  @Test(arguments: Engine.allCases)
  func `aggregates, of all and by group`(engine: Engine) async throws {
    let store = try await hats(engine)
    let (count, sum, mean) = try await store.aggregate(
      Hat.all,
      .count,
      .sum(\.brimSize),
      .average(\.brimSize)
    )
    #expect((count, sum) == (4, 43))
    #expect(mean == 10.75)
    let groups = try await store.aggregate(Hat.all, by: \.color, .count, .maximum(\.brimSize))
    #expect(groups.map(\.key) == ["black", "blue", "red"])
    #expect(groups.map(\.values.0) == [2, 1, 1])
    #expect(groups.map(\.values.1) == [12, 10, 11])
    let none = try await store.aggregate(Hat.where { $0.color == "x" }, .count, .sum(\.brimSize))
    #expect(none.0 == 0)
    #expect(none.1 == nil)
    let window = try await store.aggregate(Hat.all.order(by: \.brimSize).limit(2), .sum(\.brimSize))
    #expect(window == 20)
  }

  @Test(arguments: Engine.allCases)
  func `aggregates over mixed kinds are those of the kind asked for`(engine: Engine) async throws {
    let store = try await hats(engine)
    try await store.set("hat-1", "brim_size", "wide")
    let (count, sum) = try await store.aggregate(Hat.all, .count(\.brimSize), .sum(\.brimSize))
    #expect((count, sum) == (4, 33))
    try await store.set("hat-2", "brim_size", .int(.max))
    await #expect {
      _ = try await store.aggregate(Hat.all, .sum(\.brimSize))
    } throws: {
      ($0 as? VarveError)?.code == .valueTooLarge
    }
  }

  @Test(arguments: Engine.allCases)
  func `some properties alone`(engine: Engine) async throws {
    let store = try await hats(engine)
    let pairs = try await store.fetch(
      Hat.all.order(by: \.brimSize).limit(2).select(\.color, \.brimSize, \.id)
    )
    #expect(pairs.map(\.0) == ["black", "blue"])
    #expect(pairs.map(\.1) == [10, 10])
  }

  @Test(arguments: Engine.allCases)
  func `an unknown property is an error, in whatever place`(engine: Engine) async throws {
    let store = try await hats(engine)
    for query in [
      Hat.all.where(["nope": 1]), Hat.all.order(by: "nope"), Hat.all.where(Field("nope").isMissing),
    ] {
      await #expect {
        try await store.fetch(query)
      } throws: {
        ($0 as? VarveError)?.code == .unknownProperty
      }
    }
  }

  @Test(
    arguments: Engine.allCases
  )
  func `rows of another type do not count in an aggregate`(engine: Engine) async throws {
    let store = try await hats(engine)
    for odd: Value in ["wide", 2.5, false] {
      try await store.set("hat-1", "brim_size", odd)
      let (sum, least, greatest) = try await store.aggregate(
        Hat.all,
        .sum(\.brimSize),
        .minimum(\.brimSize),
        .maximum(\.brimSize)
      )
      #expect(sum == 33, "\(odd)")
      #expect(least == 10, "\(odd)")
      #expect(greatest == 12, "\(odd)")
    }
    let alone = try await store.aggregate(Hat.all, .count) + 1
    #expect(alone == 5)
  }

  @Test(
    arguments: Engine.allCases
  )
  func `a double counts in no aggregate of integers, wherever it is among them`(engine: Engine)
    async throws
  {
    let store = try await hats(engine)
    // Below all others, between them, equal to one of them, above them, beyond all integers.
    for odd in [-2.5, 10, 10.5, 11, 99.5, 1e300] {
      try await store.set("hat-4", "brim_size", .double(odd))
      #expect(try await store.aggregate(Hat.all, .sum(\.brimSize)) == 31, "\(odd)")
      #expect(try await store.aggregate(Hat.all, .minimum(\.brimSize)) == 10, "\(odd)")
      #expect(try await store.aggregate(Hat.all, .maximum(\.brimSize)) == 11, "\(odd)")
      #expect(try await store.aggregate(Hat.all, .average(\.brimSize)) == 31.0 / 3, "\(odd)")
      let groups = try await store.aggregate(Hat.all, by: \.color, .sum(\.brimSize))
      #expect(groups.map(\.key) == ["black", "blue", "red"])
      #expect(groups.map(\.values) == [10, 10, 11], "\(odd)")
    }
  }

  @Test(
    arguments: Engine.allCases
  )
  func `rows that a join repeats cannot be paged, and unknown names are reported`(engine: Engine)
    async throws
  {
    let store = try await hats(engine)
    let repeated = Hat.all.join(Order.self, on: \.hat, equals: \.id)
    let error = await failure { _ = try await store.page(of: repeated, size: 2) }
    #expect(error?.code == .invalidQuery)
    _ = try await store.page(of: repeated.distinct, size: 2)
    for query in [
      Hat.all.join(Order.self, on: "nope", equals: "id"),
      repeated.where(.of("orders", Field("nope")) == 1),
    ] {
      let error = await failure { _ = try await store.fetch(query) }
      #expect(error?.code == .unknownProperty)
    }
    #expect(try await store.find("hat-4", in: Hat.all.order(by: \.brimSize).limit(1)) == nil)
  }

  @Test(arguments: Engine.allCases)
  func `the sum of small integers needs no room in their type`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    var samples = (0..<3).map { Sample(id: Identifier(EntityID(stringLiteral: "s\($0)"))) }
    for index in samples.indices {
      (samples[index].small, samples[index].float) = (100, 3e38)
      samples[index].unsigned = UInt64(Int64.max) / 4
    }
    try await store.save(samples)
    let (small, float, unsigned) = try await store.aggregate(
      Sample.all,
      .sum(\.small),
      .sum(\.float),
      .sum(\.unsigned)
    )
    #expect(small == 300)
    #expect(float == 3 * Double(Float(3e38)))
    #expect(unsigned == Int(Int64.max / 4 * 3))
    #expect(try await store.aggregate(Sample.all, .average(\.small)) == 100)
  }

  @Test(arguments: Engine.allCases)
  func `a sum that overflows on the way and fits in the end is exact`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    for (index, number) in [Int.max, 1, -1].enumerated() {
      var sample = Sample(id: Identifier(EntityID(stringLiteral: "s\(index)")))
      sample.int = number
      try await store.save(sample)
    }
    #expect(try await store.aggregate(Sample.all, .sum(\.int)) == Int.max)
  }

  @Test(
    arguments: Engine.allCases
  )
  func `values of a wrong type count in no aggregate, as their rows are not fetched`(engine: Engine)
    async throws
  {
    let store = try await makeStore(engine)
    let odd: [PropertyKey: Value] = [
      "small": 300, "unsigned": -1, "grade": 9, "uuid": "zzz", "decimal": "heavy", "text": 5,
    ]
    try await store.create("samples", id: "odd", odd)
    var sample = Sample(id: "even")
    (sample.small, sample.unsigned, sample.grade) = (-3, 3, .middle)
    (sample.uuid, sample.decimal, sample.text) = (Domain.uuids[1], 7, "a")
    try await store.save(sample)
    #expect(try await store.fetch(Sample.all).map(\.id) == ["even"])
    let (small, unsigned, grade) = try await store.aggregate(
      Sample.all,
      .maximum(\.small),
      .minimum(\.unsigned),
      .maximum(\.grade)
    )
    #expect((small, unsigned, grade) == (-3, 3, .middle))
    let (uuid, decimal, text) = try await store.aggregate(
      Sample.all,
      .maximum(\.uuid),
      .maximum(\.decimal),
      .maximum(\.text)
    )
    #expect((uuid, decimal, text) == (Domain.uuids[1], 7, "a"))
    let (sum, mean) = try await store.aggregate(Sample.all, .sum(\.small), .average(\.small))
    #expect((sum, mean) == (-3, -3))
    let groups = try await store.aggregate(Sample.all, by: \.text, .maximum(\.small))
    #expect(groups.map(\.values) == [nil, -3])
  }

  @Test func `nothing is one of no values, and what compares with nothing is not either of both`()
    async throws
  {
    for engine in Engine.allCases {
      let store = try await makeStore(engine)
      for (index, number) in [1.5, .nan, nil].enumerated() {
        var sample = Sample(id: Identifier(EntityID(stringLiteral: "s\(index)")))
        sample.double = number
        try await store.save(sample)
      }
      #expect(try await store.count(Sample.where { $0.double.isIn([]) }) == 0)
      let others = try await store.fetch(Sample.where { !$0.double.isIn([]) })
      #expect(others.map(\.id) == ["s0"])
      let some = try await store.fetch(Sample.where { $0.double.isIn([nil, 1.5]) })
      #expect(some.map(\.id) == ["s0", "s2"])
    }
  }
}
