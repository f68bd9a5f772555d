import Testing
import Varve

@Entity(kind: "Engine") final class Engine {
  var power: Int
  init(power: Int) { self.power = power }
}

@Entity(kind: "Wheel") final class Wheel {
  var size = 1
  init() {}
}

/// A class whose children die with it.
@Entity(kind: "Car") final class Car {
  @Relation(.owns) var engine: Child<Engine>?
  @Relation(.owns) var wheels: [Child<Wheel>] = []
  @Relation(.owns) @Field("spare_wheel") var spare: Lazy<Wheel> = Lazy()
  var rival = Lazy<Car>()
  init() {}
}

@MainActor
@Suite("Live objects are found by key paths")
struct ObjectQueryTests {
  private func context(_ store: Store) async throws -> Objects {
    let objects = try await Objects(store)
    objects.register(Shape.self, Square.self, Pair.self, Lamp.self, Screen.self, TouchScreen.self)
    objects.register(Device.self, Engine.self, Wheel.self, Car.self, Window.self)
    return objects
  }

  @Test func `own, inherited, renamed and observed properties are compared`() async throws {
    let store = try await Store.open(.inMemory)
    let objects = try await context(store)
    let squares = [3.0, 12, 20].map { Square(side: $0) }
    squares[1].note = "wide"
    squares[2].color = "red"
    try await objects.save(squares)
    try await objects.save(Shape(), Lamp(isOn: true), TouchScreen(serial: 7, width: 9))
    let wide = try await objects.loadAll(Square.self) { $0.side > 10 }
    #expect(wide.map(\.side) == [12, 20])
    #expect(wide.first === squares[1])
    #expect(try await objects.loadAll(Square.self) { $0.note == "wide" }.count == 1)
    #expect(try await objects.loadAll(Square.self) { $0.note == nil && $0.side < 20 }.count == 1)
    #expect(try await objects.loadAll(Square.self) { $0.color == "red" }.first === squares[2])
    #expect(try await objects.loadAll(Square.self) { $0.id == squares[0].id }.count == 1)
    #expect(try await objects.loadAll(Shape.self).count == 4)
    #expect(try await objects.loadAll(Lamp.self) { $0.isOn == true }.count == 1)
    #expect(
      try await objects.loadAll(TouchScreen.self) { $0.width == 9 && $0.fingers >= 10 }.count == 1
    )
    #expect(try await objects.loadAll(Screen.self) { $0.label.hasPrefix("no") }.count == 1)
    let last = try await objects.loadAll(Square.self, by: \.side, descending: true, limit: 2)
    #expect(last.map(\.side) == [20, 12])
  }

  @Test func `a property that is not stored is refused`() async throws {
    let objects = try await context(try await Store.open(.inMemory))
    let error = await #expect(throws: VarveError.self) {
      _ = try await objects.loadAll(Square.self) { $0.isSelected == true }
    }
    #expect(error?.code == .unknownProperty)
  }

  @Test func `objects that link to one are its inverse, by links and by lists`() async throws {
    let store = try await Store.open(.inMemory)
    let objects = try await context(store)
    let (one, other) = (Square(side: 1), Square(side: 2))
    let pairs = [Pair(one), Pair(other), Pair(one)]
    pairs[1].others = [Child(one), Child(other)]
    pairs[2].cover = Lazy(other)
    pairs[2].right = Child(other)
    try await objects.save(pairs)
    #expect(
      try await objects.referrers(Pair.self, to: one, by: \.left).map(\.id) == [
        pairs[0].id, pairs[2].id,
      ]
    )
    #expect(try await objects.referrers(Pair.self, to: other, by: \.right).first === pairs[2])
    #expect(try await objects.referrers(Pair.self, to: other, by: \.cover).count == 1)
    #expect(try await objects.referrers(Pair.self, to: one, by: \.others).first === pairs[1])
    #expect(try await objects.loadAll(Pair.self) { $0.left == other }.first === pairs[1])
    try await objects.erase(pairs[2])
    #expect(try await objects.referrers(Pair.self, to: other, by: \.cover).isEmpty)
  }

  // MARK: Ownership

  private func car(in objects: Objects) async throws -> Car {
    let car = Car()
    car.engine = Child(Engine(power: 5))
    car.wheels = [Child(Wheel()), Child(Wheel())]
    car.spare = Lazy(Wheel())
    car.rival = Lazy(Car())
    try await objects.save(car)
    return car
  }

  @Test func `owned children die with their parent, and come back with it`() async throws {
    let store = try await Store.open(.inMemory)
    let objects = try await context(store)
    let car = try await car(in: objects)
    let died = try await objects.erase(car)
    #expect(died.count == 5)
    #expect(try await store.count(Query("Wheel")) == 0)
    #expect(try await store.count(Query("Engine")) == 0)
    #expect(try await store.count(Query("Car")) == 1)
    try await objects.undo()
    #expect(try await store.count(Query("Wheel")) == 3)
    try await store.erase(car.id)
    try await store.restore(car.id)
    #expect(try await store.count(Query("Wheel")) == 3)
    #expect(try await store.count(Query("Engine")) == 1)
  }

  @Test func `a child that is replaced is given up, and one that is shared lives on`() async throws
  {
    let store = try await Store.open(.inMemory)
    let objects = try await context(store)
    let car = try await car(in: objects)
    let (engine, wheel) = (try #require(car.engine), car.wheels[0])
    let other = Car()
    other.wheels = [wheel]
    try await objects.save(other)
    car.engine = Child(Engine(power: 9))
    car.wheels.removeLast()
    try await objects.save(car)
    #expect(try await store.relatedIDs(car.id, .owns, named: "engine") == [car.engine?.id])
    #expect(try await store.relatedIDs(car.id, .owns, named: "wheels") == [wheel.id])
    try await objects.erase(car)
    #expect(try await store.entity(engine.id) != nil)
    #expect(try await store.entity(wheel.id) != nil)
    #expect(try await store.count(Query("Wheel")) == 2)
    let again = try await objects.save(other)
    #expect(again == nil)
  }

  @Test func `copies that replace a child at once own the one that a merge keeps`() async throws {
    let store = try await Store.open(.inMemory)
    let objects = try await context(store)
    let car = try await car(in: objects)
    let copy = try await Store.open(.inMemory)
    try await copy.merge(from: store)
    let others = try await context(copy)
    let same = try await others.load(car.id, as: Car.self)
    car.engine = Child(Engine(power: 1))
    try await objects.save(car)
    same.engine = Child(Engine(power: 2))
    try await others.save(same)
    try await store.merge(from: copy)
    try await copy.merge(from: store)
    try await objects.refresh()
    let kept = try #require(car.engine).id
    for store in [store, copy] {
      #expect(try await store.relatedIDs(car.id, .owns, named: "engine") == [kept])
    }
    let before = try await store.frontier()
    try await store.purge([kept])
    #expect(try await store.asOf(before).count(Query("Car")) == 2)
  }

  // MARK: Observing

  @Test func `a query of objects is observed, whoever changes them`() async throws {
    let store = try await Store.open(.inMemory)
    let objects = try await context(store)
    let square = Square(side: 11)
    try await objects.save(square)
    let live = try await objects.observe(Square.self) { $0.side > 10 }
    let results = live.makeAsyncIterator()
    #expect(try await results.next()?.map(\.side) == [11])
    try await objects.save(Lamp(isOn: true))
    try await store.create("Square", id: "two", ["side": 12.0])
    let two = try #require(try await results.next())
    #expect(two.map(\.side) == [11, 12] && two.first === square)
    square.side = 5
    try await objects.save(square)
    #expect(try await results.next()?.map(\.side) == [12])
    let other = try await Store.open(.inMemory)
    try await other.merge(from: store)
    try await other.set("two", "side", 30.0)
    try await store.merge(from: other)
    #expect(try await results.next()?.map(\.side) == [30])
    try await store.close()
    #expect(try await results.next() == nil)
  }

  @Test func `an object is observed until it is erased`() async throws {
    let store = try await Store.open(.inMemory)
    let objects = try await context(store)
    let square = Square(side: 1)
    try await objects.save(square)
    let states = try await objects.observe(square).makeAsyncIterator()
    #expect(try await states.next()?.side == 1)
    try await store.create("Square", ["side": 9.0])
    try await store.set(square.id, "side", 2.0)
    #expect(try await states.next() === square)
    #expect(square.side == 2)
    square.side = 3
    try await objects.save(square)
    #expect(try await states.next()?.side == 3)
    try await store.erase(square.id)
    #expect(try await states.next() == nil)
    #expect(try await states.next() == nil)
  }
}
