import Testing
import VarveCore
import VarveStore

@Suite struct SavingObjectsTests {
  @Test(arguments: Engine.allCases)
  func `a class that is not registered is not saved, as it could not be loaded`(
    engine: Engine
  ) async throws {
    let store = try await makeStore(engine)
    let objects = try await Objects(store)
    let square = Square(id: "s", side: 1)
    let error = await failure { try await objects.save(square) }
    #expect(error?.code == .unregisteredKind)
    #expect(try await store.allIDs().isEmpty)
    objects.register(Chain.self)
    let child = await failure { try await objects.save(Chain(Circle(radius: 1))) }
    #expect(child?.code == .unregisteredKind)
    #expect(try await store.allIDs().isEmpty)
    objects.register(Square.self)
    try await objects.save(square)
    #expect(try await Objects.ofShapes(store).load("s", as: Square.self).side == 1)
  }

  @Test(arguments: Engine.allCases)
  func `what could not be loaded for its empty name is not saved`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    let objects = try await Objects(store)
    objects.register(Kindless.self, Nameless.self)
    #expect(await failure { try await objects.save(Kindless()) }?.code == .malformedDocument)
    #expect(await failure { try await objects.save(Nameless()) }?.code == .notEncodable)
    #expect(try await store.allIDs().isEmpty)
  }

  @Test(arguments: Engine.allCases)
  func `an instance belongs to one context, whether it was saved or loaded there`(
    engine: Engine
  ) async throws {
    let store = try await makeStore(engine)
    let (one, two) = (try await Objects.ofShapes(store), try await Objects.ofShapes(store))
    let saved = Square(id: "s", side: 1)
    try await one.save(saved)
    saved.side = 2
    #expect(await failure { try await two.save(saved) }?.code == .invalidArgument)
    try await store.create("Square", id: "t", ["side": 1])
    let loaded = try await one.load("t", as: Square.self)
    #expect(await failure { try await two.save(loaded) }?.code == .invalidArgument)
    #expect(!two.contains(saved) && two.live("t") == nil)
    try await one.save(saved, loaded)
    #expect(try await two.load("s", as: Square.self).side == 2)
    // A store of its own is another context all the more.
    let other = try await Objects.ofShapes(try await makeStore(engine))
    #expect(await failure { try await other.save(saved) }?.code == .invalidArgument)
  }

  @Test(arguments: Engine.allCases)
  func `an instance of another context is refused as one, also if this one has its own`(
    engine: Engine
  ) async throws {
    let store = try await makeStore(engine)
    let (one, two) = (try await Objects.ofShapes(store), try await Objects.ofShapes(store))
    let foreign = Square(id: "s", side: 1)
    try await one.save(foreign)
    let own = try await two.load("s", as: Square.self)
    foreign.side = 2
    let error = await failure { try await two.save(foreign) }
    #expect(error?.code == .invalidArgument)
    #expect(error?.message.contains("another context") == true)
    // As a child, and beside the context's own instance.
    let drawing = Drawing(id: "d", [foreign])
    #expect(await failure { try await two.save(drawing) }?.code == .invalidArgument)
    #expect(await failure { try await two.save(own, foreign) }?.code == .invalidArgument)
    #expect(await failure { try await two.discardChanges(of: foreign) }?.code == .invalidArgument)
    #expect(await failure { _ = try two.hasChanges(foreign) }?.code == .invalidArgument)
    #expect(own.side == 1 && foreign.side == 2)
    #expect(try await store.entity("s")?["side"] == 1.0)
    // An instance that belongs to no context is still the second one of an identifier.
    let stray = await failure { try await two.save(Square(id: "s", side: 3)) }
    #expect(stray?.code == .duplicateIdentifier)
    withExtendedLifetime((one, foreign)) {}
  }

  @Test(arguments: Engine.allCases)
  func `an instance of a context that is gone can be saved with another`(
    engine: Engine
  ) async throws {
    let store = try await makeStore(engine)
    let square = Square(id: "s", side: 1)
    do {
      let first = try await Objects.ofShapes(store)
      try await first.save(square)
    }
    square.side = 2
    try await Objects.ofShapes(store).save(square)
    #expect(try await store.entity("s")?["side"] == 2.0)
  }

  @Test(arguments: Engine.allCases)
  func `an object that is not edited need not be valid, so that its child can be saved`(
    engine: Engine
  ) async throws {
    let store = try await makeStore(engine)
    try await store.create("Circle", id: "good", ["radius": 1.0])
    try await store.create("Crate", id: "bad", ["limit": -1, "circle": .reference("good")])
    let objects = try await Objects.ofShapes(store)
    objects.register(Crate.self)
    let crate = try await objects.load("bad", as: Crate.self)
    crate.circle.value.radius = 5
    try await objects.save(crate)
    #expect(try await store.entity("good")?["radius"] == 5.0)
    crate.limit = -2
    #expect(await failure { try await objects.save(crate) }?.code == .validationFailed)
    crate.limit = 1
    try await objects.save(crate)
  }
}

/// A class whose kind is empty.
private final class Kindless: StoredObject {
  static let kind: EntityType = ""
  let id = EntityID.new()
  init() {}
  init(row: ObjectRow) throws {}
  func read(_ row: ObjectRow) throws {}
  func write(to values: inout ObjectValues) throws { try values.set("size", 1) }
}

/// A class that stores a property under an empty name.
private final class Nameless: StoredObject {
  static let kind: EntityType = "Nameless"
  let id = EntityID.new()
  init() {}
  init(row: ObjectRow) throws {}
  func read(_ row: ObjectRow) throws {}
  func write(to values: inout ObjectValues) throws { try values.set("", 1) }
}

/// A class that refuses what is below zero.
private final class Crate: StoredObject {
  static let kind: EntityType = "Crate"
  let id: EntityID
  var limit: Int
  var circle: Child<Circle>

  init(row: ObjectRow) throws {
    id = row.id
    limit = try row.read("limit")
    circle = try row.read("circle")
  }

  func read(_ row: ObjectRow) throws {
    limit = try row.read("limit")
    circle = try row.read("circle")
  }

  func write(to values: inout ObjectValues) throws {
    try values.set("limit", limit)
    try values.set("circle", circle)
  }

  func validate(_ validation: Validation) throws -> Validation {
    validation.bounds(of: "limit", .int(Int64(limit)), min: 0)
  }
}
