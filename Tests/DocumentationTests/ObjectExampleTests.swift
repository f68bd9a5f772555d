import Testing
import Varve

// snippet: Sources/Varve/Varve.docc/LiveObjects.md
@Entity(kind: "Shape") class Shape {
  var note: String?
  init() {}
}

@Entity(kind: "Square") final class Square: Shape {
  var side: Double
  var color = "black"

  init(side: Double) {
    self.side = side
    super.init()
  }
}

@Entity(kind: "Drawing") final class Drawing {
  var shapes: [Child<Shape>] = []  // loaded along
  var cover = Lazy<Shape>()  // loaded when it is touched
  init() {}
}
// end

// snippet: Sources/Varve/Varve.docc/LiveObjects.md
@Entity(kind: "Board") final class Board {
  @Relation(.owns) var pins: [Child<Shape>] = []
  init() {}
}
// end

@MainActor
@Suite("The examples of live objects behave as documented")
struct ObjectExampleTests {
  @Test func `loading, foreign changes, undoing`() async throws {
    let store = try await Store.open(.inMemory)
    // snippet: Sources/Varve/Varve.docc/LiveObjects.md
    let objects = try await Objects(store)
    objects.register(Shape.self, Square.self, Drawing.self)

    let drawing = Drawing()
    drawing.shapes = [Child(Square(side: 3)), Child(Shape())]
    drawing.cover = Lazy(Square(side: 1))
    try await objects.save(drawing)  // and its shapes, in one commit

    let shape = try await objects.load(drawing.shapes[0].id, as: Shape.self)
    print(shape is Square, shape === drawing.shapes[0].value)  // true true
    for try await square in objects.stream(Square.self) { print(square.side) }
    let cover = try await drawing.cover.load()
    // end
    #expect(shape is Square && shape === drawing.shapes[0].value)
    #expect((cover as? Square)?.side == 1)
    // snippet: Sources/Varve/Varve.docc/LiveObjects.md
    let wide = try await objects.loadAll(Square.self) { $0.side > 2 && $0.color != "red" }
    let largest = try await objects.loadAll(Square.self, by: \.side, descending: true, limit: 1)
    let drawings = try await objects.referrers(Drawing.self, to: wide[0], by: \.shapes)
    // end
    #expect(wide.map(\.side) == [3] && largest.first === wide.first)
    #expect(drawings.first === drawing)
    // snippet: Sources/Varve/Varve.docc/LiveObjects.md
    let results = try await objects.observe(Square.self) { $0.side > 2 }.makeAsyncIterator()
    let now = try await results.next()
    // end
    #expect(now?.map(\.id) == wide.map(\.id))
    objects.register(Board.self)
    let board = Board()
    board.pins = [Child(Square(side: 1))]
    try await objects.save(board)
    #expect(try await objects.erase(board).count == 2)
    // snippet: Sources/Varve/Varve.docc/LiveObjects.md
    let square = Square(side: 3)
    try await objects.save(square)
    square.color = "blue"
    try await store.set(square.id, ["side": 4, "color": "green"])
    try await objects.refresh()
    print(square.side, square.color)  // 4.0 blue
    try await objects.discardChanges(of: square)
    print(square.color)  // green
    // end
    #expect(square.color == "green")
    // snippet: Sources/Varve/Varve.docc/LiveObjects.md
    square.side = 5
    try await objects.save(square)
    try await objects.undo()
    print(square.side)  // 4.0
    try await objects.redo()
    // end
    #expect(square.side == 5)
  }
}
