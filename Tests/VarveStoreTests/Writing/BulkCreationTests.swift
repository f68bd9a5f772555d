import Foundation
import Testing
import VarveCore
import VarveStore
import VarveTestSupport

private typealias Row = (EntityID, [Value?])

@Suite("Creating in bulk")
struct BulkCreationTests {
  private func id(_ number: Int) -> EntityID { EntityID(stringLiteral: "e\(number)") }

  @Test(arguments: Engine.allCases)
  func `many rows become one commit, in order`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    let rows = (0..<1_300).map {
      (id($0), [.int(Int64($0)), $0 % 3 == 0 ? nil : "odd"] as [Value?])
    }
    try await store.create("Row", keys: ["n", "s"], rows: rows)
    #expect(try await store.commitCount() == 1)
    #expect(try await store.count(Query("Row")) == 1_300)
    let all = try await store.fetch(Query("Row"))
    #expect(all.map(\.id) == rows.map(\.0))
    #expect(all[700]["n"] == 700)
    #expect(all[699]["s"] == nil)
    #expect(all[700].property("s")?.semanticType == "string")
  }

  @Test(
    arguments: Engine.allCases
  )
  func `a column of several kinds keeps each value's kind as its semantic type`(engine: Engine)
    async throws
  {
    let store = try await makeStore(engine)
    let values: [Value?] = [1, "two", nil, 3.5, 4, 5]
    try await store.create(
      "Row",
      keys: ["v", "never"],
      rows: values.enumerated().map { (id($0), [$1, nil]) }
    )
    for (index, value) in values.enumerated() {
      let property = try await store.require(id(index)).property("v")
      #expect(property == value.map { StoredEntity.Property($0) })
    }
    #expect(try await store.require(id(0)).property("never") == nil)
  }

  @Test(
    arguments: Engine.allCases
  )
  func `identifiers that are erased or only named are created one by one`(engine: Engine)
    async throws
  {
    let store = try await makeStore(engine)
    try await store.createNodes("e1", "x")
    try await store.set("e1", "old", 1)
    try await store.erase("e1")
    try await store.relate("x", .owns, "e2")
    try await store.create("Row", keys: ["n"], rows: (0..<4).map { (id($0), [.int(Int64($0))]) })
    #expect(try await store.fetch(Query("Row")).map(\.id).sorted() == (0..<4).map(id))
    #expect(try await store.require("e1").keys == ["n"])
    #expect(try await store.relatedIDs("x", .owns) == ["e2"])
  }

  @Test(
    arguments: Engine.allCases
  )
  func `among many rows, known identifiers are found at any place`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    let erased = [3, 17, 18, 31, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49]
    for number in erased {
      try await store.create("Row", id: id(number), ["old": 1])
      try await store.erase(id(number))
    }
    try await store.createNodes("x")
    try await store.relate("x", .owns, id(25))
    try await store.create("Row", keys: ["n"], rows: (0..<100).map { (id($0), [.int(Int64($0))]) })
    for number in 0..<100 {
      #expect(try await store.require(id(number)).properties == ["n": .init(.int(Int64(number)))])
      #expect(try await store.history(of: id(number), "n").map(\.value) == [.int(Int64(number))])
    }
    #expect(try await store.check().findings == [])
  }

  @Test(
    arguments: Engine.allCases
  )
  func `rows side by side keep values of every kind and size, whatever their neighbours have`(
    engine: Engine
  ) async throws {
    let store = try await makeStore(engine)
    let long = String(repeating: "long ", count: 2_000)
    let values: [Value?] = [
      1, nil, "two", .string(long), .double(.nan), -0.0, .data(Data([1, 2])), .data(Data()),
      [1, "two"], true,
      ["key": [nested]], .reference("e1"), .date(.distantPast), "", 3.5, .data(Data(long.utf8)),
    ]
    // A table holds rows of one kind a column: twelve of each, of which eight go together.
    let rows = (0..<192).map { number -> Row in
      let text: Value? = number % 3 == 0 ? nil : .string(String(repeating: "t", count: number % 40))
      return (id(number), [text, values[number / 12]])
    }
    try await store.create("Row", keys: ["s", "v"], rows: rows)
    for (id, values) in rows {
      let entity = try await store.require(id)
      #expect([entity["s"], entity["v"]] == values)
      #expect(
        try await store.history(of: id, "v").map(\.value) == values[1...].filter { $0 != nil }
      )
    }
    #expect(try await store.check().findings == [])
  }

  private let nested: Value = ["inner": false]

  @Test(
    arguments: Engine.allCases
  )
  func `a live identifier fails the write, even if the error is caught`(engine: Engine) async throws
  {
    let store = try await makeStore(engine)
    try await store.createNodes("e2")
    let error = await failure {
      try await store.write { tx in
        let rows = (0..<4).map { (id($0), [.int(Int64($0))] as [Value?]) }
        let inner = await failure { try await tx.create("Row", keys: ["n"], rows: rows) }
        #expect(inner?.code == .duplicateIdentifier)
        let next = await failure { try await tx.create("Row") }
        #expect(next?.code == .duplicateIdentifier)
      }
    }
    #expect(error?.code == .duplicateIdentifier)
    #expect(try await store.count(Query("Row")) == 0)
    #expect(try await store.commitCount() == 1)
  }

  @Test(arguments: Engine.allCases)
  func `an identifier twice among the rows is a duplicate`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    let error = await failure {
      try await store.create(
        "Row",
        keys: ["n"],
        rows: (0..<20).map { (id($0 == 12 ? 9 : $0), [.int(Int64($0))]) }
      )
    }
    #expect(error?.code == .duplicateIdentifier)
    #expect(try await store.commitCount() == 0)
  }

  @Test(arguments: Engine.allCases)
  func `rows must fit their keys, and keys must not be repeated`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    let misfit = await failure {
      try await store.create("Row", keys: ["n"], rows: [("a", [1]), ("b", [1, 2])] as [Row])
    }
    #expect(misfit?.code == .invalidArgument)
    #expect(misfit?.place == "row 1")
    let repeated = await failure {
      try await store.create("Row", keys: ["n", "n"], rows: [("a", [1, 2])] as [Row])
    }
    #expect(repeated?.code == .invalidArgument)
    #expect(try await store.commitCount() == 0)
  }

  @Test(arguments: Engine.allCases)
  func `rows too large for a table are kept entirely`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    let long = Value.string(String(repeating: "l", count: 300_000))
    let keys = (0..<4).map { PropertyKey("k\($0)") }
    try await store.create(
      "Row",
      keys: keys,
      rows: [("a", [1, 2, 3, 4]), ("b", [long, long, long, long]), ("c", [5, nil, nil, 6])] as [Row]
    )
    #expect(try await store.require("b").properties.values.allSatisfy { $0.value == long })
    #expect(try await store.require("c")["k3"] == 6)
    #expect(try await store.fetch(Query("Row")).map(\.id) == ["a", "b", "c"])
  }

  @Test(arguments: Engine.allCases)
  func `more keys than a table has columns are kept`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    let keys = (0..<600).map { PropertyKey("k\($0)") }
    try await store.create(
      "Row",
      keys: keys,
      rows: (0..<3).map { (id($0), keys.indices.map { .int(Int64($0)) }) }
    )
    #expect(try await store.require("e2").properties.count == 600)
  }

  @Test(arguments: Engine.allCases)
  func `rows take the time given, or the write's`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.write(at: .test(-10)) { tx in
      try await tx.create("Row", keys: ["n"], rows: [("a", [1])] as [Row])
      try await tx.create("Row", keys: ["n"], rows: [("b", [1])] as [Row], at: .test(-20))
    }
    #expect(try await store.require("a").datestamp.date == .test(-10))
    #expect(try await store.require("b").datestamp.date == .test(-20))
  }
}
