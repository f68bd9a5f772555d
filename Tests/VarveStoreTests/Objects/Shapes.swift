import Observation
import VarveCore
import VarveStore

/// A shape of no particular form.
class Shape: StoredObject {
  class var kind: EntityType { "Shape" }
  let id: EntityID
  init(id: EntityID = .new()) { self.id = id }
  required init(row: ObjectRow) throws { id = row.id }
  func read(_ row: ObjectRow) throws {}
  func write(to values: inout ObjectValues) throws {}
  func validate(_ validation: Validation) throws -> Validation { validation }
}

final class Square: Shape {
  override class var kind: EntityType { "Square" }
  var side: Double
  var color: String

  init(id: EntityID = .new(), side: Double, color: String = "black") {
    (self.side, self.color) = (side, color)
    super.init(id: id)
  }

  required init(row: ObjectRow) throws {
    side = try row.read("side")
    color = try row.read("color", default: "black")
    try super.init(row: row)
  }

  override func read(_ row: ObjectRow) throws {
    side = try row.read("side")
    color = try row.read("color", default: "black")
  }

  override func write(to values: inout ObjectValues) throws {
    try values.set("side", side)
    try values.set("color", color)
  }
}

final class Circle: Shape {
  override class var kind: EntityType { "Circle" }
  var radius: Double

  init(id: EntityID = .new(), radius: Double) {
    self.radius = radius
    super.init(id: id)
  }

  required init(row: ObjectRow) throws {
    radius = try row.read("radius")
    try super.init(row: row)
  }

  override func read(_ row: ObjectRow) throws { radius = try row.read("radius") }

  override func write(to values: inout ObjectValues) throws { try values.set("radius", radius) }

  override func validate(_ validation: Validation) throws -> Validation {
    validation.bounds(of: "radius", .double(radius), min: 0)
  }
}

/// A circle, and perhaps another link.
final class Chain: StoredObject {
  static let kind: EntityType = "Chain"
  let id: EntityID
  var link: Child<Circle>
  var next: Child<Chain>?

  init(id: EntityID = .new(), _ circle: Circle, next: Chain? = nil) {
    self.id = id
    link = Child(circle)
    self.next = next.map { Child($0) }
  }

  init(row: ObjectRow) throws {
    id = row.id
    link = try row.read("link")
    next = try row.read("next")
  }

  func read(_ row: ObjectRow) throws {
    link = try row.read("link")
    next = try row.read("next")
  }

  func write(to values: inout ObjectValues) throws {
    try values.set("link", link)
    try values.set("next", next)
  }
}

/// A list of shapes, and one that is loaded when it is touched.
final class Drawing: StoredObject {
  static let kind: EntityType = "Drawing"
  let id: EntityID
  var shapes: [Child<Shape>]
  var cover: Lazy<Shape>
  var title: String?

  init(id: EntityID = .new(), _ shapes: [Shape] = [], cover: Shape? = nil) {
    self.id = id
    self.shapes = shapes.map { Child($0) }
    self.cover = Lazy(cover)
  }

  init(row: ObjectRow) throws {
    id = row.id
    shapes = try row.read("shapes")
    cover = try row.read("cover")
    title = try row.read("title")
  }

  func read(_ row: ObjectRow) throws {
    shapes = try row.read("shapes")
    cover = try row.read("cover")
    title = try row.read("title")
  }

  func write(to values: inout ObjectValues) throws {
    try values.set("shapes", shapes)
    try values.set("cover", cover)
    try values.set("title", title)
  }
}

/// Two of its own kind, perhaps.
final class Pair: StoredObject {
  static let kind: EntityType = "Pair"
  let id: EntityID
  var left: Child<Pair>?
  var right: Child<Pair>?

  init(id: EntityID = .new()) { self.id = id }

  init(row: ObjectRow) throws {
    id = row.id
    left = try row.read("left")
    right = try row.read("right")
  }

  func read(_ row: ObjectRow) throws {
    left = try row.read("left")
    right = try row.read("right")
  }

  func write(to values: inout ObjectValues) throws {
    try values.set("left", left)
    try values.set("right", right)
  }
}

/// A folder in a folder, which it leads back to.
final class Folder: StoredObject {
  static let kind: EntityType = "Folder"
  let id: EntityID
  var name: String
  var inner: [Child<Folder>] = []
  var outer = Lazy<Folder>()

  init(id: EntityID = .new(), _ name: String) { (self.id, self.name) = (id, name) }

  init(row: ObjectRow) throws {
    id = row.id
    name = try row.read("name")
    inner = try row.read("inner")
    outer = try row.read("outer")
  }

  func read(_ row: ObjectRow) throws {
    name = try row.read("name")
    inner = try row.read("inner")
    outer = try row.read("outer")
  }

  func write(to values: inout ObjectValues) throws {
    try values.set("name", name)
    try values.set("inner", inner)
    try values.set("outer", outer)
  }
}

/// Pages that are loaded one by one.
final class Album: StoredObject {
  static let kind: EntityType = "Album"
  let id: EntityID
  var pages: [Lazy<Shape>]

  init(id: EntityID = .new(), _ pages: [Lazy<Shape>] = []) { (self.id, self.pages) = (id, pages) }

  init(row: ObjectRow) throws {
    id = row.id
    pages = try row.read("pages")
  }

  func read(_ row: ObjectRow) throws { pages = try row.read("pages") }

  func write(to values: inout ObjectValues) throws { try values.set("pages", pages) }
}

/// A class that reads the properties which another property lists.
final class Notebook: StoredObject {
  static let kind: EntityType = "Notebook"
  let id: EntityID
  private(set) var texts: [String] = []

  init(row: ObjectRow) throws {
    id = row.id
    try read(row)
  }

  func read(_ row: ObjectRow) throws {
    let keys: [String] = try row.read("keys")
    texts = try keys.map { try row.read(PropertyKey($0)) }
  }

  func write(to values: inout ObjectValues) throws {}
}

/// An observable object.
@Observable final class Light: StoredObject {
  static let kind: EntityType = "Light"
  @ObservationIgnored let id: EntityID
  var isOn: Bool
  var name: String

  init(id: EntityID = .new(), isOn: Bool, name: String = "") {
    self.id = id
    self.isOn = isOn
    self.name = name
  }

  init(row: ObjectRow) throws {
    id = row.id
    isOn = try row.read("isOn")
    name = try row.read("name")
  }

  func read(_ row: ObjectRow) throws {
    isOn = try row.read("isOn")
    name = try row.read("name")
  }

  func write(to values: inout ObjectValues) throws {
    try values.set("isOn", isOn)
    try values.set("name", name)
  }
}

extension Objects {
  /// A context that knows the classes above.
  static func ofShapes(
    _ store: Store,
    isolation: isolated (any Actor)? = #isolation
  ) async throws -> Objects {
    let objects = try await Objects(store)
    objects.register(
      Shape.self,
      Square.self,
      Circle.self,
      Chain.self,
      Drawing.self,
      Pair.self,
      Folder.self,
      Album.self,
      Notebook.self,
      Light.self
    )
    return objects
  }

  /// Returns whether an object is released, within a minute. A turn of the context that began before
  /// may still read its values.
  func releases(
    _ id: EntityID,
    isolation: isolated (any Actor)? = #isolation
  ) async throws -> Bool {
    for _ in 0..<30_000 {
      if live(id) == nil { return true }
      try await Task.sleep(for: .milliseconds(2))
    }
    return false
  }
}
