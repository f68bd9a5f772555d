import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacroExpansion
import SwiftSyntaxMacros
import SwiftSyntaxMacrosGenericTestSupport
import Testing
import VarveMacroExpansion

@Suite("Macros expand")
struct ExpansionTests {
  @Test func `@Entity to members and a conformance; its marks to nothing`() {
    expand(
      #"""
      @Entity struct Shop {
        var id = Identifier<Shop>()
        var name: String
        @Relation(.owns, inverse: \Hat.shop) var hats: Many<Hat> = Many()
        @Transient var isOpen = false
      }
      """#,
      to: #"""
        struct Shop {
          var id = Identifier<Shop>()
          var name: String
          var hats: Many<Hat> = Many()
          var isOpen = false

          nonisolated static let schema: Varve.Schema<Self> = Varve.Schema {
            Varve.SchemaField("name", \.name)
            Varve.SchemaField("hats", \.hats, .relation(.owns, inverse: \Hat.shop))
          }

          nonisolated func write(to values: inout Varve.PropertyValues) throws {
            try values.append(self.name)
          }
        }

        nonisolated extension Shop: Varve.Persistable {
          init(row: Varve.EntityRow) throws {
            try self.init(
              id: row.id(),
              name: row.read(0),
              hats: Varve.Many()
            )
          }
        }
        """#
    )
  }

  @Test func `a struct that names Hashable, to equality of all its stored properties`() {
    expand(
      """
      @Entity public struct Hat: Hashable, Codable {
        public var id = Identifier<Hat>()
        public var `class`: String
        @Transient var isSelected = false
      }
      """,
      to: #"""
        public struct Hat: Hashable, Codable {
          public var id = Identifier<Hat>()
          public var `class`: String
          var isSelected = false

          public nonisolated static let schema: Varve.Schema<Self> = Varve.Schema {
            Varve.SchemaField("class", \.`class`)
          }

          public nonisolated func write(to values: inout Varve.PropertyValues) throws {
            try values.append(self.`class`)
          }

          public nonisolated static func == (left: Self, right: Self) -> Bool {
            guard left.id == right.id else {
              return false
            }
            guard left.`class` == right.`class` else {
              return false
            }
            guard left.isSelected == right.isSelected else {
              return false
            }
            return true
          }

          public nonisolated func hash(into hasher: inout Swift.Hasher) {
            hasher.combine(self.id)
            hasher.combine(self.`class`)
            hasher.combine(self.isSelected)
          }
        }

        nonisolated extension Hat: Varve.Persistable {
          public init(row: Varve.EntityRow) throws {
            self.id = try row.id()
            self.`class` = try row.read(0)
          }
        }
        """#
    )
  }

  @Test func `a model with errors to nothing, and report each error once`() {
    expand(
      "@Entity class Hat {}",
      to: "class Hat {}",
      DiagnosticSpec(
        message: "@Entity is for structs, and this is a class; @Entity(kind:) is for those",
        line: 1,
        column: 9
      )
    )
  }

  @Test(arguments: ["Field", "Relation", "Transient"])
  func `macros expand marks outside models to an error`(mark: String) {
    expand(
      "struct Hat {\n  @\(mark) var size: Int\n}",
      to: "struct Hat {\n  var size: Int\n}",
      DiagnosticSpec(
        message: "@\(mark) is for the stored properties of an @Entity struct or class",
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
        "Entity": MacroSpec(type: EntityMacro.self, conformances: ["Varve.Persistable"]),
        "Field": MacroSpec(type: FieldMacro.self),
        "Relation": MacroSpec(type: RelationMacro.self),
        "Transient": MacroSpec(type: TransientMacro.self),
      ],
      indentationWidth: .spaces(2),
      failureHandler: { Issue.record("\($0.message)", sourceLocation: location) }
    )
  }
}

private enum EntityMacro: EntityExpanding {}
private enum FieldMacro: MarkExpanding {}
private enum RelationMacro: MarkExpanding {}
private enum TransientMacro: MarkExpanding {}
