import Observation
import Varve

@Entity(kind: "Shape") class Shape {
  var note: String?
  init() {}
}

@Entity(kind: "Square") final class Square: Shape {
  var side: Double
  @Field("colour") var color = "black"
  @Transient var isSelected = false

  init(side: Double) {
    self.side = side
    super.init()
  }
}

@Entity(kind: "Pairs") final class Pair {
  var left: Child<Shape>
  var right: Child<Shape>?
  var others: [Child<Shape>] = []
  var cover = Lazy<Shape>()

  init(_ left: Shape) { self.left = Child(left) }
}

@Entity(kind: "Lamp") @Observable final class Lamp {
  var isOn: Bool
  var color = "white"
  init(isOn: Bool) { self.isOn = isOn }
}

enum Finish: String, Codable { case matt, gloss }

struct Extent: Codable, Equatable, Sendable {
  var width = 1
  var height = 2
}

@Entity(kind: "Panel") final class Panel {
  var finish: Finish
  var back: Finish?
  var size: Extent
  var frame: Extent?
  var tags: [String] = []
  var count = 3
  init(_ finish: Finish, _ size: Extent) { (self.finish, self.size) = (finish, size) }
}
