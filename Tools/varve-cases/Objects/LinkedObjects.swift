import VarveCore
import VarveStore

/// Two circles.
final class VennDiagram: CaseObject {
  override class var kind: EntityType { "VennDiagram" }
  override class var fields: [String: String] { ["left": "ref:Circle", "right": "ref:Circle"] }
  private var left: Child<Circle>?
  private var right: Child<Circle>?

  required init(id: EntityID) { super.init(id: id) }

  required init(row: ObjectRow) throws {
    left = try row.read("left") as Child<Circle>
    right = try row.read("right") as Child<Circle>
    try super.init(row: row)
  }

  override func read(_ row: ObjectRow) throws {
    left = try row.read("left") as Child<Circle>
    right = try row.read("right") as Child<Circle>
  }

  override func write(to values: inout ObjectValues) throws {
    try super.write(to: &values)
    try values.set("left", left)
    try values.set("right", right)
  }

  override func content(of field: String) -> FieldContent? {
    .object((field == "left" ? left : right)?.value)
  }

  override func take(_ input: FieldInput, into field: String) throws -> Bool {
    guard let circle = input.object(Circle.self) else { return false }
    if field == "left" { left = circle.map { Child($0) } } else { right = circle.map { Child($0) } }
    return true
  }
}

/// A square that is loaded when it is touched.
final class LazySquare: CaseObject {
  override class var kind: EntityType { "LazySquare" }
  override class var fields: [String: String] { ["square": "lazy:Square"] }
  private var square = Lazy<Square>()

  required init(id: EntityID) { super.init(id: id) }

  required init(row: ObjectRow) throws {
    square = try row.read("square")
    try super.init(row: row)
  }

  override func read(_ row: ObjectRow) throws { square = try row.read("square") }

  override func write(to values: inout ObjectValues) throws {
    try super.write(to: &values)
    try values.set("square", square)
  }

  override func content(of field: String) -> FieldContent? {
    .link(square.id, load: { [square] in try await square.load() })
  }

  override func take(_ input: FieldInput, into field: String) throws -> Bool {
    guard let square = input.object(Square.self) else { return false }
    self.square = Lazy(square)
    return true
  }
}

/// A circle, and perhaps another link.
final class Chain: CaseObject {
  override class var kind: EntityType { "Chain" }
  override class var fields: [String: String] { ["link": "ref:Circle", "next": "ref:Chain?"] }
  private var link: Child<Circle>?
  private var next: Child<Chain>?

  required init(id: EntityID) { super.init(id: id) }

  required init(row: ObjectRow) throws {
    link = try row.read("link") as Child<Circle>
    next = try row.read("next")
    try super.init(row: row)
  }

  override func read(_ row: ObjectRow) throws {
    link = try row.read("link") as Child<Circle>
    next = try row.read("next")
  }

  override func write(to values: inout ObjectValues) throws {
    try super.write(to: &values)
    try values.set("link", link)
    try values.set("next", next)
  }

  override func content(of field: String) -> FieldContent? {
    field == "link" ? .object(link?.value) : .object(next?.value)
  }

  override func take(_ input: FieldInput, into field: String) throws -> Bool {
    if field == "link" {
      guard let circle = input.object(Circle.self) else { return false }
      link = circle.map { Child($0) }
    } else {
      guard let chain = input.object(Chain.self) else { return false }
      next = chain.map { Child($0) }
    }
    return true
  }
}
