import Testing
import VarveCore
import VarveStore

/// Something whose name and place are its own.
private struct Seat: Persistable {
  static let schema = Schema<Seat>("seats", uniqueTogether: [["row", "number"]]) {
    SchemaField("name", \.name, .unique, .length(1...9))
    SchemaField("row", \.row)
    SchemaField("number", \.number)
  }
  var id: Identifier<Seat>
  var name: String
  var row: Int?
  var number: Int?
  init(_ id: Identifier<Seat>, _ name: String, _ row: Int? = nil, _ number: Int? = nil) {
    (self.id, self.name, self.row, self.number) = (id, name, row, number)
  }
  init(row: EntityRow) throws {
    id = try row.id()
    name = try row.read(0)
    self.row = try row.read(1)
    number = try row.read(2)
  }
  func write(to values: inout PropertyValues) throws {
    try values.append(name)
    try values.append(row)
    try values.append(number)
  }
}

@Suite("Models with something unique")
struct UniqueModelTests {
  private func seats(_ engine: Engine) async throws -> Store {
    let store = try await makeStore(engine)
    try await store.save([Seat("a", "one", 1, 1), Seat("b", "two", 1, 2), Seat("c", "three", 2, 1)])
    return store
  }

  @Test(arguments: Engine.allCases)
  func `models with something unique change places in one save`(engine: Engine) async throws {
    let store = try await seats(engine)
    try await store.save([Seat("a", "two", 1, 2), Seat("b", "three", 2, 1), Seat("c", "one", 1, 1)])
    #expect(try await store.fetch(Seat.all).map(\.name) == ["two", "three", "one"])
    #expect(try await store.issues(of: Seat.self) == [])
  }

  @Test(arguments: Engine.allCases)
  func `models with something unique change places in one transaction`(engine: Engine) async throws
  {
    let store = try await seats(engine)
    try await store.write { tx in
      try await tx.save(Seat("a", "two", 1, 1))
      try await tx.save(Seat("b", "one", 1, 2))
    }
    #expect(try await store.fetch(Seat.all).map(\.name) == ["two", "one", "three"])
    try await store.write { tx in
      try await tx.save(Seat("d", "three", 3, 3))
      _ = try await tx.erase(Seat("c", "three"))
    }
    #expect(try await store.issues(of: Seat.self) == [])
  }

  @Test(
    arguments: Engine.allCases
  )
  func `are refused where they are not at the end, and nothing is written`(engine: Engine)
    async throws
  {
    let store = try await seats(engine)
    let count = try await store.commitCount()
    let swaps: [[Seat]] = [
      [Seat("a", "two", 1, 1)],
      [Seat("a", "two", 1, 1), Seat("b", "three", 1, 2), Seat("c", "two", 2, 1)],
      [Seat("new", "five", 1, 1)], [Seat("d", "x", 7, 7), Seat("e", "x", 7, 7)],
    ]
    for seats in swaps {
      let error = await failure { try await store.save(seats) }
      #expect(error?.code == .validationFailed)
      #expect(error?.violations.allSatisfy { $0.message == "taken" } == true)
      let caught = await failure {
        try await store.write { tx in
          for seat in seats { _ = try? await tx.save(seat) }
        }
      }
      #expect(caught?.code == .validationFailed)
    }
    #expect(try await store.commitCount() == count)
    let both = await failure { try await store.save(Seat("new", "too long a name", 1, 1)) }
    #expect(both?.violations.map(\.message) == ["tooLong", "taken"])
  }
}
