import Observation
import Testing
import Varve

@MainActor
@Suite("Classes with @Entity")
struct ObjectTests {
  private func context(_ store: Store) async throws -> Objects {
    let objects = try await Objects(store)
    objects.register(Shape.self, Square.self, Pair.self, Lamp.self, Panel.self)
    return objects
  }

  @Test func `subclasses are own types, and are returned when the base is queried`()
    async throws
  {
    let store = try await Store.open(.inMemory)
    let square = Square(side: 3)
    square.note = "first"
    square.isSelected = true
    try await context(store).save(square)
    #expect(try await store.entity(square.id)?.type == "Square")
    #expect(try await store.entity(square.id)?["colour"] == "black")
    let objects = try await context(store)
    let loaded = try await objects.load(square.id, as: Shape.self)
    #expect((loaded as? Square)?.side == 3)
    #expect(loaded.note == "first")
    #expect((loaded as? Square)?.isSelected == false)
    try await store.set(square.id, ["colour": "red", "note": nil])
    try await objects.refresh()
    #expect((loaded as? Square)?.color == "red")
    #expect(loaded.note == nil)
    try await store.remove(square.id, "colour")
    try await objects.refresh()
    #expect((loaded as? Square)?.color == "black")
  }

  @Test func `children and lazy links are properties like others`() async throws {
    let store = try await Store.open(.inMemory)
    let pair = Pair(Square(side: 1))
    pair.others = [Child(Square(side: 2)), Child(Shape())]
    pair.cover = Lazy(Square(side: 4))
    try await context(store).save(pair)
    #expect(try await store.count(Query("Square")) == 3)
    let loaded = try await context(store).load(pair.id, as: Pair.self)
    #expect((loaded.left.value as? Square)?.side == 1)
    #expect(loaded.right == nil)
    #expect(loaded.others.map { type(of: $0.value).kind } == ["Square", "Shape"])
    #expect(loaded.cover.loaded == nil)
  }

  @Test func `optional lists of links distinguish empty and nil`() async throws {
    let store = try await Store.open(.inMemory)
    let (none, some) = (Knot(), Knot())
    some.all = []
    some.others = [Lazy(Square(side: 2))]
    some.lid = Lazy(Square(side: 3))
    let writing = try await context(store)
    writing.register(Knot.self)
    try await writing.save(none, some)
    let reading = try await context(store)
    reading.register(Knot.self)
    let bare = try await reading.load(none.id, as: Knot.self)
    #expect(bare.all == nil && bare.lid == nil && bare.others == nil)
    #expect((bare.first.value as? Square)?.side == 1)
    let full = try await reading.load(some.id, as: Knot.self)
    #expect(full.all == [] && full.others?.count == 1)
    #expect((try await full.lid?.load() as? Square)?.side == 3)
    full.all = nil
    try await reading.save(full)
    #expect(try await store.entity(some.id)?["all"] == nil)
  }

  @Test func `enumerations and Codable types are properties too`() async throws {
    let store = try await Store.open(.inMemory)
    let panel = Panel(.gloss, Extent(width: 5))
    panel.frame = Extent(height: 9)
    panel.tags = ["a", "b"]
    try await context(store).save(panel)
    let loaded = try await context(store).load(panel.id, as: Panel.self)
    #expect(loaded !== panel)
    #expect(loaded.finish == .gloss)
    #expect(loaded.back == nil)
    #expect(loaded.size == Extent(width: 5))
    #expect(loaded.frame == Extent(height: 9))
    #expect(loaded.tags == ["a", "b"])
    #expect(loaded.count == 3)
  }

  @Test func `observable classes publish changes by others`() async throws {
    let store = try await Store.open(.inMemory)
    let objects = try await context(store)
    let lamp = Lamp(isOn: false)
    try await objects.save(lamp)
    let told = AsyncStream<Void>.makeStream()
    withObservationTracking {
      _ = lamp.isOn
    } onChange: {
      told.continuation.yield()
    }
    try await store.set(lamp.id, "isOn", true)
    for await _ in told.stream { break }
    try await objects.refresh()
    #expect(lamp.isOn)
  }

  @Test func `classes three levels deep are loaded as what they are`() async throws {
    let store = try await Store.open(.inMemory)
    let objects = try await Objects(store)
    objects.register(Device.self, Screen.self, TouchScreen.self)
    let touch = TouchScreen(serial: 7, width: 80)
    touch.fingers = 2
    touch.isBright = false
    try await objects.save(touch, Screen(serial: 8, width: 90), Device(serial: 9))
    let fresh = try await Objects(store)
    fresh.register(Device.self, Screen.self, TouchScreen.self)
    let loaded = try await fresh.load(touch.id, as: Device.self)
    let screen = try #require(loaded as? TouchScreen)
    #expect((screen.number, screen.width, screen.fingers) == (70, 80, 2))
    #expect((screen.label, screen.isBright) == ("none", false))
    var kinds: [EntityType] = []
    for try await device in fresh.stream(Device.self) { kinds.append(type(of: device).kind) }
    #expect(kinds.sorted() == ["Device", "Screen", "TouchScreen"])
    try await store.set(touch.id, ["fingers": 5, "label": "new"])
    try await fresh.refresh()
    #expect((screen.fingers, screen.label) == (5, "new"))
  }

  @Test func `nested classes and private properties are stored`() async throws {
    let store = try await Store.open(.inMemory)
    #expect(try await Toolbox.sharpen(in: try await Objects(store)))
    #expect(try await store.first(Query("Saw"))?["teeth"] == 20)
  }

  @Test func `classes may belong to the main actor`() async throws {
    let store = try await Store.open(.inMemory)
    let objects = try await Objects(store)
    objects.register(Window.self)
    let window = Window(title: "main")
    window.panes = [Child(Window(title: "left"))]
    try await objects.save(window)
    let fresh = try await Objects(store)
    fresh.register(Window.self)
    let loaded = try await fresh.load(window.id, as: Window.self)
    #expect(loaded.panes.map(\.value.title) == ["left"])
    try await store.set(window.id, "title", "other")
    try await fresh.refresh()
    #expect(loaded.title == "other")
    var count = 0
    for try await _ in fresh.stream(Window.self) { count += 1 }
    #expect(count == 2)
  }
}
