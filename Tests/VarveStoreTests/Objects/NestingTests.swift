import Testing
import VarveCore
import VarveStore

@MainActor
@Suite struct NestingTests {
  @Test(arguments: Engine.allCases)
  func `objects reachable from an object are saved in one commit and loaded with it`(
    engine: Engine
  ) async throws {
    let store = try await makeStore(engine)
    let objects = try await Objects.ofShapes(store)
    let before = try await store.commitCount()
    try await objects.save(
      Chain(
        id: "n1",
        Circle(id: "c1", radius: 1),
        next: Chain(id: "n2", Circle(id: "c2", radius: 2))
      )
    )
    #expect(try await store.commitCount() == before + 1)
    #expect(try await store.entity("n1")?["next"] == .reference("n2"))
    #expect(objects.live("c2") == nil)
    let chain = try await objects.load("n1", as: Chain.self)
    #expect(chain.next?.value.link.radius == 2)
    #expect(chain.next?.value.next == nil)
    #expect(objects.live("c2") === chain.next?.value.link.value)
  }

  @Test(arguments: Engine.allCases)
  func `a failing child writes nothing`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    let objects = try await Objects.ofShapes(store)
    let chain = Chain(
      id: "n1",
      Circle(id: "c1", radius: 1),
      next: Chain(id: "n2", Circle(id: "c2", radius: -2))
    )
    #expect(await failure { try await objects.save(chain) }?.code == .validationFailed)
    #expect(try await store.allIDs().isEmpty)
    #expect(objects.live("n1") == nil)
    chain.next?.value.link.radius = 2
    try await objects.save(chain)
    #expect(try await store.allIDs() == ["c1", "c2", "n2", "n1"])
  }

  @Test(arguments: Engine.allCases)
  func `a child that is missing, or of another kind, fails the load`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    let objects = try await Objects.ofShapes(store)
    try await store.create("Chain", id: "n1", ["link": .reference("gone")])
    try await store.create("Square", id: "s1", ["side": 1])
    try await store.create("Chain", id: "n2", ["link": "s1"])
    #expect(
      await failure { _ = try await objects.load("n1", as: Chain.self) }?.code == .noSuchDocument
    )
    let error = await failure { _ = try await objects.load("n2", as: Chain.self) }
    #expect(error?.mismatch?.expected == "Circle")
    #expect(error?.mismatch?.actual == "Square")
    #expect(objects.live("n1") == nil)
    #expect(objects.live("s1") == nil)
  }

  @Test(arguments: Engine.allCases)
  func `cycles close on the same object, and nothing of them leaks`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    let objects = try await Objects.ofShapes(store)
    weak var (made, loaded): (Chain?, Chain?)
    do {
      let first = Chain(id: "n1", Circle(id: "c1", radius: 1))
      let second = Chain(id: "n2", Circle(id: "c2", radius: 2), next: first)
      first.next = Child(second)
      try await objects.save(first)
      #expect(first.next?.value.next?.value === first)
      made = first
    }
    #expect(made == nil)
    #expect(objects.live("n2") == nil)
    do {
      let first = try await objects.load("n1", as: Chain.self)
      #expect(first.next?.value.next?.value === first)
      loaded = first
    }
    #expect(loaded == nil)
    #expect(objects.live("n2") == nil)
  }

  @Test(arguments: Engine.allCases)
  func `each object of a cycle leads to the others`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    let objects = try await Objects.ofShapes(store)
    try await store.create("Circle", id: "c", ["radius": 1])
    try await store.create("Chain", id: "n1", ["link": "c", "next": "n2"])
    try await store.create("Chain", id: "n2", ["link": "c", "next": "n1"])
    let second: Chain?
    do { second = try await objects.load("n1", as: Chain.self).next?.value }
    #expect(objects.live("n1") == nil)
    try await store.set("n1", "next", .reference("n1"))
    let first = second?.next?.value
    #expect(first?.id == "n1")
    #expect(objects.live("n1") === first)
    try await objects.refresh()
    #expect(first?.next?.value === first)
    #expect(second?.next?.value === first)
  }

  @Test(arguments: Engine.allCases)
  func `a lazy link loads when it is touched and is kept when it is not`(
    engine: Engine
  ) async throws {
    let store = try await makeStore(engine)
    let objects = try await Objects.ofShapes(store)
    try await objects.save(Drawing(id: "d", cover: Square(id: "s", side: 5)))
    let drawing = try await objects.load("d", as: Drawing.self)
    #expect(objects.live("s") == nil)
    drawing.title = "A square"
    try await objects.save(drawing)
    #expect(try await store.entity("d")?["cover"] == .reference("s"))
    #expect(objects.live("s") == nil)
    let cover = try await drawing.cover.load()
    #expect((cover as? Square)?.side == 5)
    #expect(objects.live("s") === cover)
    #expect(drawing.cover.loaded === cover)
  }

  @Test(arguments: Engine.allCases)
  func `a lazy link fails when it is touched`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.create("Drawing", id: "d", ["cover": "gone"])
    let drawing: Drawing
    do {
      let objects = try await Objects.ofShapes(store)
      drawing = try await objects.load("d", as: Drawing.self)
      #expect(await failure { _ = try await drawing.cover.load() }?.code == .noSuchDocument)
      #expect(try await Drawing().cover.load() == nil)
    }
    #expect(await failure { _ = try await drawing.cover.load() }?.code == .noContainer)
  }

  @Test(arguments: Engine.allCases)
  func `lists of children keep their order`(engine: Engine) async throws {
    let objects = try await Objects.ofShapes(makeStore(engine))
    try await objects.save(Drawing(id: "d", [Square(side: 1), Circle(radius: 2), Square(side: 3)]))
    let drawing = try await objects.load("d", as: Drawing.self)
    #expect(drawing.shapes.map { type(of: $0.value).kind } == ["Square", "Circle", "Square"])
  }

  @Test(arguments: Engine.allCases)
  func `two instances of one identifier are refused`(engine: Engine) async throws {
    let objects = try await Objects.ofShapes(makeStore(engine))
    let square = Square(id: "s", side: 1)
    try await objects.save(square)
    let error = await failure { try await objects.save(Square(id: "s", side: 2)) }
    #expect(error?.code == .duplicateIdentifier)
    #expect(square.side == 1)
  }

  @Test(arguments: Engine.allCases)
  func `a list may be loaded one by one`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    let objects = try await Objects.ofShapes(store)
    let kept = Square(id: "s", side: 1)
    try await objects.save(Album(id: "a", [Lazy(kept), Lazy(Circle(id: "c", radius: 2))]))
    #expect(try await store.entity("a")?["pages"] == [.reference("s"), .reference("c")])
    let album = try await objects.load("a", as: Album.self)
    #expect(objects.live("c") == nil)
    #expect(album.pages[0].loaded === kept)
    #expect((try await album.pages[1].load() as? Circle)?.radius == 2)
    album.pages.append(Lazy())
    #expect(await failure { try await objects.save(album) }?.code == .notEncodable)
  }

  @Test(arguments: Engine.allCases)
  func `each object of a cycle leads to the former others, whatever happened to them`(
    engine: Engine
  ) async throws {
    let store = try await makeStore(engine)
    let objects = try await Objects.ofShapes(store)
    try await store.create("Circle", id: "c", ["radius": 1])
    try await store.create("Chain", id: "n1", ["link": "c", "next": "n2"])
    try await store.create("Chain", id: "n2", ["link": "c", "next": "n1"])
    let second: Chain?
    do { second = try await objects.load("n1", as: Chain.self).next?.value }
    #expect(objects.live("n1") == nil)
    try await store.erase("n1")
    try await store.create("Square", id: "n1", ["side": 2])
    let square = try await objects.load("n1", as: Square.self)
    let first = second?.next?.value
    #expect(first?.link.radius == 1)
    #expect(first?.next?.value === second)
    #expect(objects.live("n1") === square)
  }

  @Test(arguments: Engine.allCases)
  func `each object of a cycle leads to those that existed before it`(
    engine: Engine
  ) async throws {
    let store = try await makeStore(engine)
    let objects = try await Objects.ofShapes(store)
    try await store.create("Circle", id: "c", ["radius": 1])
    try await store.create("Chain", id: "n1", ["link": "c", "next": "n2"])
    try await store.create("Circle", id: "d", ["radius": 2])
    try await store.create("Chain", id: "n2", ["link": "d", "next": "n1"])
    let second: Chain?
    do {
      let circle = try await objects.load("c", as: Circle.self)
      second = try await objects.load("n1", as: Chain.self).next?.value
      #expect(circle.radius == 1)
    }
    #expect(objects.live("c") == nil)
    #expect(second?.next?.value.link.radius == 1)
  }

  @Test(arguments: Engine.allCases)
  func `a new cycle keeps objects that an older one released`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    let objects = try await Objects.ofShapes(store)
    try await store.create("Pair", id: "a", ["left": "b"])
    try await store.create("Pair", id: "b", ["left": "a"])
    let third = Pair(id: "c")
    do {
      let second = try #require(try await objects.load("a", as: Pair.self).left?.value)
      third.left = Child(second)
      second.right = Child(third)
      try await objects.save(second)
    }
    #expect(objects.live("a") == nil)
    #expect(third.left?.value.left?.value.id == "a")
    #expect(third.left?.value.right?.value === third)
  }

  @Test(arguments: Engine.allCases)
  func `an object that others closed a cycle through is created again as they wrote it`(
    engine: Engine
  ) async throws {
    let store = try await makeStore(engine)
    let objects = try await Objects.ofShapes(store)
    try await store.create("Pair", id: "b")
    try await store.create("Pair", id: "c", ["left": "b"])
    let third = try await objects.load("c", as: Pair.self)
    try await store.set("b", "right", "c")
    try await objects.refresh()
    #expect(try await objects.releases("b"))
    #expect(third.left?.value.right?.value === third)
  }

  @Test(arguments: Engine.allCases)
  func `a cycle that others closed in one write is released with the values of all its objects`(
    engine: Engine
  ) async throws {
    let store = try await makeStore(engine)
    let objects = try await Objects.ofShapes(store)
    for id: EntityID in ["b", "d"] { try await store.create("Pair", id: id) }
    try await store.create("Pair", id: "c", ["left": "b"])
    let third = try await objects.load("c", as: Pair.self)
    try await store.write { tx in
      try await tx.set("b", "left", "d")
      try await tx.set("b", "right", "c")
      try await tx.set("c", "right", "d")
    }
    try await objects.refresh()
    #expect(third.left?.value.right?.value === third)
    #expect(third.left?.value.left?.value === third.right?.value)
  }

  @Test(arguments: Engine.allCases)
  func `a lazy link back keeps nothing, touched or brought up to date`(
    engine: Engine
  ) async throws {
    let store = try await makeStore(engine)
    let objects = try await Objects.ofShapes(store)
    weak var gone: Folder?
    do {
      let (outer, inner) = (Folder(id: "o", "outer"), Folder(id: "i", "inner"))
      outer.inner = [Child(inner)]
      inner.outer = Lazy(outer)
      try await objects.save(outer)
      #expect(try await inner.outer.load() === outer)
      inner.name = "edited"
      try await store.set("i", "name", "theirs")
      try await objects.refresh()
      #expect(inner.name == "edited")
      #expect(inner.outer.loaded === outer)
      gone = outer
    }
    #expect(try await objects.releases("i"))
    #expect(gone == nil)
  }
}
