import VarveCore
import VarveStore

/// A shape of no particular form.
class Shape: CaseObject {
  override class var kind: EntityType { "Shape" }
}

/// A square.
final class Square: Shape {
  override class var kind: EntityType { "Square" }
  override class var fields: [String: String] { ["side": "number"] }
  private var side: Number?

  required init(id: EntityID) { super.init(id: id) }

  required init(row: ObjectRow) throws {
    side = try row.read("side") as Number
    try super.init(row: row)
  }

  override func read(_ row: ObjectRow) throws { side = try row.read("side") as Number }

  override func write(to values: inout ObjectValues) throws {
    try super.write(to: &values)
    try values.set("side", side)
  }

  override func content(of field: String) -> FieldContent? { .value(side?.value) }

  override func take(_ input: FieldInput, into field: String) throws -> Bool {
    guard let number = input.number else { return false }
    side = number
    return true
  }
}

/// A circle.
final class Circle: Shape {
  override class var kind: EntityType { "Circle" }
  override class var fields: [String: String] { ["radius": "number"] }
  private var radius: Number?

  required init(id: EntityID) { super.init(id: id) }

  required init(row: ObjectRow) throws {
    radius = try row.read("radius") as Number
    try super.init(row: row)
  }

  override func read(_ row: ObjectRow) throws { radius = try row.read("radius") as Number }

  override func write(to values: inout ObjectValues) throws {
    try super.write(to: &values)
    try values.set("radius", radius)
  }

  override func content(of field: String) -> FieldContent? { .value(radius?.value) }

  override func take(_ input: FieldInput, into field: String) throws -> Bool {
    guard let number = input.number else { return false }
    radius = number
    return true
  }
}

/// A star, whose class cases leave unregistered.
final class Star: Shape {
  override class var kind: EntityType { "Star" }
  override class var fields: [String: String] { ["points": "number"] }
  private var points: Number?

  required init(id: EntityID) { super.init(id: id) }

  required init(row: ObjectRow) throws {
    points = try row.read("points") as Number
    try super.init(row: row)
  }

  override func read(_ row: ObjectRow) throws { points = try row.read("points") as Number }

  override func write(to values: inout ObjectValues) throws {
    try super.write(to: &values)
    try values.set("points", points)
  }

  override func content(of field: String) -> FieldContent? { .value(points?.value) }

  override func take(_ input: FieldInput, into field: String) throws -> Bool {
    guard let number = input.number else { return false }
    points = number
    return true
  }
}
