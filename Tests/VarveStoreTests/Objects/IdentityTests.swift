import Testing
import VarveCore
import VarveStore

@MainActor
@Suite struct IdentityTests {
  @Test(arguments: Engine.allCases)
  func `an identifier is one instance while anyone holds it`(engine: Engine) async throws {
    let objects = try await Objects.ofShapes(makeStore(engine))
    let square = Square(side: 3)
    #expect(objects.live(square.id) == nil)
    try await objects.save(square)
    #expect(try await objects.load(square.id, as: Square.self) === square)
    #expect(try await objects.load(square.id, as: Shape.self) === square)
    for try await shape in objects.stream(Shape.self) { #expect(shape === square) }
  }

  @Test(arguments: Engine.allCases)
  func `instances of two contexts are of the same entity`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    let (left, right) = (try await Objects.ofShapes(store), try await Objects.ofShapes(store))
    let square = Square(id: "s", side: 3)
    #expect(square.isSameEntity(as: square))
    try await left.save(square, Square(id: "other", side: 3))
    let again = try await right.load("s", as: Shape.self)
    #expect(again !== square && again.isSameEntity(as: square) && square.isSameEntity(as: again))
    #expect(!square.isSameEntity(as: try await left.load("other", as: Shape.self)))
    square.side = 4
    try await left.save(square)
    #expect(again.isSameEntity(as: square))
    try await store.erase("s")
    #expect(again.isSameEntity(as: square))
  }

  @Test(arguments: Engine.allCases)
  func `the context keeps nothing alive`(engine: Engine) async throws {
    let objects = try await Objects.ofShapes(makeStore(engine))
    weak var reference: Square?
    let id: EntityID
    do {
      let square = Square(side: 2)
      id = square.id
      try await objects.save(square)
      reference = square
      #expect(objects.live(id) === square)
    }
    #expect(reference == nil)
    #expect(objects.live(id) == nil)
    let first = try await objects.load(id, as: Square.self)
    let second = try await objects.load(id, as: Square.self)
    #expect(first === second)
    #expect(first.side == 2)
  }

  @Test(arguments: Engine.allCases)
  func `the stored kind decides the class`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await Objects.ofShapes(store).save(Square(id: "s", side: 3), Circle(id: "c", radius: 1))
    let objects = try await Objects.ofShapes(store)
    #expect(try await objects.load("s", as: Shape.self) is Square)
    let error = await failure { _ = try await objects.load("s", as: Circle.self) }
    #expect(error?.code == .kindMismatch)
    #expect(error?.mismatch?.expected == "Circle")
    #expect(error?.mismatch?.actual == "Square")
    let other = await failure { _ = try await objects.load("c", as: Square.self) }
    #expect(other?.mismatch?.actual == "Circle")
    #expect(objects.live("c") == nil)
  }

  @Test(arguments: Engine.allCases)
  func `a failing load states the reason`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    let objects = try await Objects(store)
    objects.register(Square.self)
    try await store.create("Star", id: "star")
    try await store.create("Square", id: "bare")
    try await store.create("Square", id: "text", ["side": "long"])
    try await store.create("", id: "kindless", ["side": 3])
    try await store.create("Square", id: "bodiless", ["": "[1, 2]"])
    func code(_ id: EntityID) async -> VarveError.Code? {
      await failure { _ = try await objects.load(id, as: Square.self) }?.code
    }
    #expect(await code("nobody") == .noSuchDocument)
    #expect(await code("star") == .unregisteredKind)
    #expect(await code("bare") == .missingField)
    #expect(await code("text") == .fieldType)
    #expect(await code("kindless") == .malformedDocument)
    #expect(await code("bodiless") == .malformedDocument)
    #expect(try await objects.load(nil as EntityID?, as: Square.self) == nil)
  }

  @Test(arguments: Engine.allCases)
  func `all of a type are lazy, include subtypes and skip unreadable rows`(
    engine: Engine
  ) async throws {
    let store = try await makeStore(engine)
    let objects = try await Objects.ofShapes(store)
    for index in 1...3 {
      try await objects.save(
        Square(id: try EntityID("s\(index)"), side: Double(index)),
        Circle(id: try EntityID("c\(index)"), radius: 1)
      )
    }
    try await store.create("Square", id: "bad", ["side": "long"])
    var shapes: [Shape] = []
    var unreadable: [EntityID] = []
    for try await shape in objects.stream(Shape.self, unreadable: { unreadable.append($0.id) }) {
      shapes.append(shape)
    }
    #expect(shapes.count == 6)
    #expect(shapes.filter { $0 is Square }.count == 3)
    #expect(unreadable == ["bad"])
    let circles = objects.stream(Circle.self).makeAsyncIterator()
    let first = try await circles.next()
    #expect(first === shapes.first { $0.id == first?.id })
    let strangers = try await Objects(store).stream(Circle.self).makeAsyncIterator()
    #expect(await failure { _ = try await strangers.next() }?.code == .unregisteredKind)
  }

  @Test(arguments: Engine.allCases)
  func `those of a kind can be chosen and ordered`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    let objects = try await Objects.ofShapes(store)
    let kept = Square(id: "s2", side: 2)
    try await objects.save(Square(id: "s1", side: 1), kept, Square(id: "s3", side: 3))
    try await objects.save(Circle(id: "c", radius: 5))
    var found: [Shape] = []
    let wide = objects.stream(Shape.self) { query in
      query.where(Field("side") >= 2).order(by: Field("side"), descending: true)
    }
    for try await shape in wide { found.append(shape) }
    #expect(found.map(\.id) == ["s3", "s2"])
    #expect(found.last === kept)
  }

  @Test(arguments: Engine.allCases)
  func `objects may be saved and erased while all are gone through`(engine: Engine) async throws {
    guard engine != .reference else { return }
    let store = try await makeStore(engine)
    let objects = try await Objects.ofShapes(store)
    for index in 0..<250 {
      try await objects.save(Square(id: try EntityID("s\(1_000 + index)"), side: 1))
    }
    var sides: [Double] = []
    for try await square in objects.stream(Square.self) {
      if sides.isEmpty {
        let last = try await objects.load("s1249", as: Square.self)
        last.side = 5
        try await objects.save(last)
        try await store.erase("s1248")
      }
      sides.append(square.side)
    }
    #expect(sides.count == 249)
    #expect(sides.last == 5)
  }

  @Test func `loads need memory for retained objects only`() async throws {
    let objects = try await Objects.ofShapes(makeStore(.memory))
    for index in 0..<1_000 {
      try await objects.save(Square(id: try EntityID("s\(index)"), side: Double(index)))
    }
    var window: [Square] = []
    for index in 0..<20_000 {
      let square = try await objects.load(try EntityID("s\(index % 1_000)"), as: Square.self)
      window.append(square)
      if window.count > 100 { window.removeFirst() }
    }
    #expect(objects.entryCount <= 256)
  }

  @Test(arguments: Engine.allCases)
  func `kinds are distinguished whatever was loaded before`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    for index in 0..<6 {
      try await store.create("Square", id: try EntityID("s\(index)"), ["side": 3])
      try await store.create(
        "Circle",
        id: try EntityID("c\(index)"),
        ["radius": .int(Int64(index))]
      )
    }
    let objects = try await Objects.ofShapes(store)
    for index in 0..<6 {
      let square = try await objects.load(try EntityID("s\(index)"), as: Shape.self)
      #expect((square as? Square)?.color == "black")
      let circle = try await objects.load(try EntityID("c\(index)"), as: Shape.self)
      #expect((circle as? Circle)?.radius == Double(index))
    }
    try await store.create("Square", id: "text", ["side": "long"])
    try await store.create("Square", id: "bodiless", ["": "[1, 2]"])
    try await store.create("Star", id: "star")
    func error(_ id: EntityID) async -> VarveError? {
      await failure { _ = try await objects.load(id, as: Square.self) }
    }
    #expect(await error("text")?.code == .fieldType)
    #expect(await error("bodiless")?.code == .malformedDocument)
    #expect(await error("nobody")?.code == .noSuchDocument)
    #expect(await error("c0")?.code == .kindMismatch)
    #expect(await error("star")?.code == .unregisteredKind)
    #expect(await error("star")?.mismatch?.expected == "Square")
    #expect(await error("star")?.mismatch?.actual == "Star")
  }

  @Test(arguments: Engine.allCases)
  func `a class may ask for other properties each time`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    for index in 0..<12 {
      let keys = (0...index).map { "key \($0)" }
      var values = Dictionary(
        uniqueKeysWithValues: keys.map { (PropertyKey($0), Value.string($0)) }
      )
      values["keys"] = .array(keys.map { .string($0) })
      try await store.create("Notebook", id: try EntityID("n\(index)"), values)
    }
    for _ in 0..<2 {
      let objects = try await Objects.ofShapes(store)
      for index in 0..<12 {
        let notebook = try await objects.load(try EntityID("n\(index)"), as: Notebook.self)
        #expect(notebook.texts == (0...index).map { "key \($0)" })
      }
    }
  }

  @Test(arguments: Engine.allCases)
  func `a class without a kind of its own is not saved as the class above`(
    engine: Engine
  ) async throws {
    let store = try await makeStore(engine)
    let objects = try await Objects.ofShapes(store)
    let error = await failure { try await objects.save(Sticker()) }
    #expect(error?.code == .unregisteredKind)
    #expect(try await store.allIDs().isEmpty)
  }

  @Test(arguments: Engine.allCases)
  func `nothing is loaded inside a write, whose state may never be`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    let objects = try await Objects.ofShapes(store)
    let square = Square(id: "s", side: 1)
    try await objects.save(square)
    try await store.create("Square", id: "t", ["side": 1])
    let error = await failure {
      try await store.write { transaction in
        try await transaction.set("t", "side", 2)
        #expect(try await objects.load("s", as: Square.self) === square)
        _ = try await objects.load("t", as: Square.self)
      }
    }
    #expect(error?.code == .nestedTransaction)
    #expect(try await objects.load("t", as: Square.self).side == 1)
  }
}

private final class Sticker: Shape {}
