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

/// Every form of link.
@Entity(kind: "Knot") final class Knot {
  var first = Child<Shape>(Square(side: 1))
  var all: [Child<Shape>]?
  var lid: Lazy<Shape>?
  var others: [Lazy<Shape>]?
  init() {}
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

/// Two classes below another, with what is private, observed, and there before what has no default.
@Entity(kind: "Device") @Observable class Device {
  var label = "none"
  private var serial: Int
  @ObservationIgnored @Transient var observerCount = 0

  init(serial: Int) { self.serial = serial }

  var number: Int { serial }
}

@Entity(kind: "Screen") @Observable class Screen: Device {
  var isBright = true
  var width: Int

  init(serial: Int, width: Int) {
    self.width = width
    super.init(serial: serial)
  }
}

@Entity(kind: "TouchScreen") final class TouchScreen: Screen {
  var fingers = 10
  override init(serial: Int, width: Int) { super.init(serial: serial, width: width) }
  override var number: Int { super.number * 10 }
}

enum Toolbox {
  @Entity(kind: "Saw") fileprivate final class Saw {
    private var teeth = 20
    fileprivate var isSharp: Bool
    init(isSharp: Bool) { self.isSharp = isSharp }
  }

  @MainActor static func sharpen(in objects: Objects) async throws -> Bool {
    objects.register(Saw.self)
    let saw = Saw(isSharp: false)
    try await objects.save(saw)
    saw.isSharp = true
    try await objects.save(saw)
    return try await objects.load(saw.id, as: Saw.self).isSharp
  }
}

/// A class of the main actor.
@MainActor @Entity(kind: "Window") final class Window {
  var title: String
  var panes: [Child<Window>] = []
  init(title: String) { self.title = title }
}

#if compiler(>=6.0)
@Entity(kind: "Gauge") final class Gauge {
  var value = 0.0
  #if DEBUG
  var description: String { "gauge \(value)" }
  #endif
  init() {}
}
#endif
