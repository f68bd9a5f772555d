import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacroExpansion
import SwiftSyntaxMacros
import SwiftSyntaxMacrosGenericTestSupport
import Testing
import VarveMacroExpansion

@Suite("@Entity(kind:) expands")
struct ClassExpansionTests {
  @Test func `to members and a conformance; defaults are read after all else`() {
    expand(
      """
      @Entity(kind: "Lamp") final class Lamp {
        private var color = "white"
        var isOn: Bool
        init(isOn: Bool) { self.isOn = isOn }
      }
      """,
      to: """
        final class Lamp {
          private var color = "white"
          var isOn: Bool
          init(isOn: Bool) { self.isOn = isOn }

          static var kind: Varve.EntityType {
            "Lamp"
          }

          private(set) var id: Varve.EntityID = .new()

          required init(row: Varve.ObjectRow) throws {
            self.isOn = try row.read("isOn")
            self.id = row.id
            if row["color"] != nil {
              self.color = try row.read("color")
            }
          }

          func read(_ row: Varve.ObjectRow) throws {
            self.color = try row.read("color", default: "white")
            self.isOn = try row.read("isOn")
          }

          func write(to values: inout Varve.ObjectValues) throws {
            try values.set("color", self.color)
            try values.set("isOn", self.isOn)
          }

          static var storedProperties: [Swift.AnyKeyPath: Varve.PropertyKey] {
            storedProperties(of: Lamp.self)
          }

          static func storedProperties<VarveRoot: Lamp>(of root: VarveRoot.Type) -> [Swift.AnyKeyPath: Varve.PropertyKey] {
            [\\VarveRoot.id: "", \\VarveRoot.color: "color", \\VarveRoot.isOn: "isOn"]
          }
        }

        extension Lamp: Varve.StoredObject {
        }
        """
    )
  }

  @Test func `@Entity(kind:) expands of the main actor, to a conformance of it`() {
    expand(
      """
      @MainActor @Entity(kind: "Window") final class Window {
        init() {}
      }
      """,
      to: """
        @MainActor final class Window {
          init() {}

          static var kind: Varve.EntityType {
            "Window"
          }

          private(set) var id: Varve.EntityID = .new()

          required init(row: Varve.ObjectRow) throws {
            self.id = row.id
          }

          func read(_ row: Varve.ObjectRow) throws {

          }

          func write(to values: inout Varve.ObjectValues) throws {

          }

          static var storedProperties: [Swift.AnyKeyPath: Varve.PropertyKey] {
            storedProperties(of: Window.self)
          }

          static func storedProperties<VarveRoot: Window>(of root: VarveRoot.Type) -> [Swift.AnyKeyPath: Varve.PropertyKey] {
            [\\VarveRoot.id: ""]
          }
        }

        extension Window: @MainActor Varve.StoredObject {
        }
        """
    )
  }

  @Test func `of an open class, to members that other modules can override`() {
    expand(
      """
      @Entity(kind: "Shape") open class Shape {
        public var name: String?
      }
      """,
      to: """
        open class Shape {
          public var name: String?

          open class var kind: Varve.EntityType {
            "Shape"
          }

          public private(set) var id: Varve.EntityID = .new()

          public required init(row: Varve.ObjectRow) throws {
            self.name = try row.read("name")
            self.id = row.id
          }

          open func read(_ row: Varve.ObjectRow) throws {
            self.name = try row.read("name")
          }

          open func write(to values: inout Varve.ObjectValues) throws {
            try values.set("name", self.name)
          }

          open class var storedProperties: [Swift.AnyKeyPath: Varve.PropertyKey] {
            storedProperties(of: Shape.self)
          }

          public static func storedProperties<VarveRoot: Shape>(of root: VarveRoot.Type) -> [Swift.AnyKeyPath: Varve.PropertyKey] {
            [\\VarveRoot.id: "", \\VarveRoot.name: "name"]
          }
        }

        extension Shape: Varve.StoredObject {
        }
        """
    )
  }

  @Test func `a nested class, at its place`() {
    expand(
      """
      enum Toolbox {
        @Entity(kind: "Saw") fileprivate final class Saw {
          init() {}
        }
      }
      """,
      to: """
        enum Toolbox {
          fileprivate final class Saw {
            init() {}

            static var kind: Varve.EntityType {
              "Saw"
            }

            private(set) var id: Varve.EntityID = .new()

            required init(row: Varve.ObjectRow) throws {
              self.id = row.id
            }

            func read(_ row: Varve.ObjectRow) throws {

            }

            func write(to values: inout Varve.ObjectValues) throws {

            }

            static var storedProperties: [Swift.AnyKeyPath: Varve.PropertyKey] {
              storedProperties(of: Saw.self)
            }

            static func storedProperties<VarveRoot: Saw>(of root: VarveRoot.Type) -> [Swift.AnyKeyPath: Varve.PropertyKey] {
              [\\VarveRoot.id: ""]
            }
          }
        }

        extension Toolbox.Saw: Varve.StoredObject {
        }
        """
    )
  }

  @Test func `a class with an error, to the error only`() {
    expand(
      """
      @Entity(kind: "Box") final class Box {
        #if DEBUG
        var size = 5
        #endif
      }
      """,
      to: """
        final class Box {
          #if DEBUG
          var size = 5
          #endif
        }
        """,
      DiagnosticSpec(
        message:
          "stored properties of a model cannot depend on '#if': mark them @Transient, or move them out",
        line: 2,
        column: 3
      )
    )
  }

  private func expand(
    _ source: String,
    to expanded: String,
    _ diagnostics: DiagnosticSpec...,
    at location: Testing.SourceLocation = #_sourceLocation
  ) {
    assertMacroExpansion(
      source,
      expandedSource: expanded,
      diagnostics: diagnostics,
      macroSpecs: [
        "Entity": MacroSpec(type: ClassMacro.self, conformances: ["Varve.StoredObject"])
      ],
      indentationWidth: .spaces(2),
      failureHandler: { Issue.record("\($0.message)", sourceLocation: location) }
    )
  }
}

private enum ClassMacro: ClassExpanding {}
