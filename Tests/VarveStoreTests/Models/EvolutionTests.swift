import Foundation
import Testing
import VarveCore
import VarveStore

/// A model in three versions: fields added, renamed, retyped and removed.
private enum First {
  struct Car: Persistable {
    static let schema = Schema<Car>("cars") {
      SchemaField("label", \.label)
      SchemaField("doors", \.doors)
      SchemaField("colour", \.colour)
    }
    var id = Identifier<Car>()
    var label: String
    var doors: String
    var colour: String?
    init(id: Identifier<Car>, label: String, doors: String, colour: String? = nil) {
      (self.id, self.label, self.doors, self.colour) = (id, label, doors, colour)
    }
    init(row: EntityRow) throws {
      id = try row.id()
      label = try row.read(0)
      doors = try row.read(1)
      colour = try row.read(2)
    }
    func write(to values: inout PropertyValues) throws {
      try values.append(label)
      try values.append(doors)
      try values.append(colour)
    }
  }
}

private enum Second {
  struct Car: Persistable {
    static let schema = Schema<Car>("cars") {
      SchemaField("name", \.name, .renamed(from: "label"))
      SchemaField(
        "doors",
        \.doors,
        .converted { $0.stringValue.flatMap { Int64($0) }.map { .int($0) } }
      )
      SchemaField("wheels", \.wheels)
    }
    var id = Identifier<Car>()
    var name: String
    var doors: Int
    var wheels = 4
    init(id: Identifier<Car>, name: String, doors: Int) {
      (self.id, self.name, self.doors) = (id, name, doors)
    }
    init(row: EntityRow) throws {
      id = try row.id()
      name = try row.read(0)
      doors = try row.read(1)
      wheels = try row.read(2, default: 4)
    }
    func write(to values: inout PropertyValues) throws {
      try values.append(name)
      try values.append(doors)
      try values.append(wheels)
    }
  }
}

@Suite("Models that change")
struct EvolutionTests {
  @Test(
    arguments: Engine.allCases
  )
  func `a later version reads values of an earlier one, and migrates them when it saves`(
    engine: Engine
  ) async throws {
    let store = try await makeStore(engine)
    try await store.save([
      First.Car(id: "a", label: "Beetle", doors: "2", colour: "red"),
      First.Car(id: "b", label: "Van", doors: "many"),
    ])
    let count = try await store.log().count
    let report = try await store.fetchReport(Second.Car.all)
    #expect(report.models.map(\.name) == ["Beetle"])
    #expect(report.models.map(\.doors) == [2])
    #expect(report.models.map(\.wheels) == [4])
    #expect(report.unreadable.map(\.id) == ["b"])
    #expect(try await store.log().count == count)
    #expect(try await store.count(Second.Car.where { $0.name == "Beetle" }) == 1)
    // The van comes first, but cannot be read.
    let last = Second.Car.all.order(by: \.name, descending: true).limit(1)
    #expect(try await store.fetch(last).map(\.id) == ["a"])
    var beetle = try #require(report.models.first)
    beetle.name = "Bug"
    try await store.save(beetle)
    let entity = try #require(try await store.entity("a"))
    #expect(entity["name"] == "Bug")
    #expect(entity["label"] == nil)
    #expect(entity["doors"] == 2)
    #expect(entity["wheels"] == 4)
    #expect(entity["colour"] == "red")
    #expect(try await store.history(of: beetle, \.name).map(\.value) == ["Bug", "Beetle"])
    #expect(try await store.count(Second.Car.where { $0.name.isIn(["Bug", "Van"]) }) == 2)
    #expect(try await store.check().isClean)
  }

  @Test(
    arguments: Engine.allCases
  )
  func `an earlier version omits unreadable rows of a later one, and loses nothing`(engine: Engine)
    async throws
  {
    let store = try await makeStore(engine)
    try await store.save(Second.Car(id: "a", name: "Bug", doors: 2))
    try await store.save(First.Car(id: "b", label: "Van", doors: "4"))
    #expect(try await store.fetchReport(First.Car.all).unreadable.map(\.id) == ["a"])
    #expect(try await store.fetch(First.Car.all).map(\.id) == ["b"])
    #expect(try await store.fetch(Second.Car.all.order(by: \.name)).map(\.name) == ["Bug", "Van"])
  }

  @Test(
    arguments: Engine.allCases
  )
  func `a save that moves a value to its new name is not a removal in the history`(engine: Engine)
    async throws
  {
    let store = try await makeStore(engine)
    try await store.save(First.Car(id: "a", label: "Beetle", doors: "2"))
    try await store.remove("a", "label")
    try await store.set("a", "label", "Van")
    var car = try await store.require(Identifier<Second.Car>("a"))
    try await store.save(car)
    #expect(
      try await store.history(of: car, \.name).map(\.value) == ["Van", "Van", nil, "Beetle"]
    )
    #expect(try await store.history(of: car, \.name, limit: 3).map(\.value) == ["Van", "Van", nil])
    // An older version of the program writes the older name again.
    try await store.set("a", "label", "Bus")
    car.name = "Coach"
    try await store.save(car)
    #expect(
      try await store.history(of: car, \.name, limit: 3).map(\.value) == ["Coach", "Bus", "Van"]
    )
  }
}
