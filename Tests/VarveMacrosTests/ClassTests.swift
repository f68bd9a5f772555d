import SwiftDiagnostics
import SwiftParser
import SwiftSyntax
import Testing
import VarveMacros

@Suite("@Entity reads and renders classes")
struct ClassTests {
  /// The members generated for a class, and what is wrong with it.
  private func parse(
    _ text: String,
    isSubclass: Bool = false
  ) -> (members: [String], messages: [String]) {
    let declarations = Parser.parse(source: text).statements
      .compactMap { $0.item.as(ClassDeclSyntax.self) }
    guard let model = declarations.first,
      let attribute = model.attributes.first?.as(AttributeSyntax.self)
    else { return ([], ["no class"]) }
    let parsed = ClassParser.parse(
      model,
      attribute,
      inheritsConformance: isSubclass
    )
    return (parsed.spec?.members ?? [], parsed.diagnostics.map(\.message))
  }

  @Test("a class without one above gets an identifier")
  func root() {
    let members = parse(#"@Entity(kind: "Shape") public class Shape { var name: String? }"#).members
    #expect(
      members == [
        "public class var kind: Varve.EntityType { \"Shape\" }",
        "public private(set) var id: Varve.EntityID = .new()",
        """
        public required init(row: Varve.ObjectRow) throws {
          self.name = try row.read("name")
          self.id = row.id
        }
        """,
        """
        public func read(_ row: Varve.ObjectRow) throws {
          self.name = try row.read("name")
        }
        """,
        """
        public func write(to values: inout Varve.ObjectValues) throws {
          try values.set("name", self.name)
        }
        """,
      ]
    )
  }

  @Test("a subclass does what the class above does, first")
  func subclass() {
    let text = #"@Entity(kind: "squares") final class Square: Shape { @Field("s") var side = 1.0 }"#
    #expect(
      parse(text, isSubclass: true).members == [
        "override class var kind: Varve.EntityType { \"squares\" }",
        """
        required init(row: Varve.ObjectRow) throws {
          if row["s"] != nil { self.side = try row.read("s") }
          try super.init(row: row)
        }
        """,
        """
        override func read(_ row: Varve.ObjectRow) throws {
          try super.read(row)
          self.side = try row.read("s", default: 1.0)
        }
        """,
        """
        override func write(to values: inout Varve.ObjectValues) throws {
          try super.write(to: &values)
          try values.set("s", self.side)
        }
        """,
      ]
    )
  }

  @Test(
    "what is wrong with a class",
    arguments: [
      (
        "@Entity class Box<T> {}",
        "a generic class cannot be an entity: one kind has one class"
      ),
      (
        "@Entity class Box { @Field(.unique) var name: String }",
        "'.unique' is for models that are structs"
      ),
      (
        "@Entity class Box { weak var lid: Lid? }",
        "'lid' cannot be stored: it is a weak reference"
      ),
      (
        "@Entity class Box { let size: Int }",
        "'size' must be a variable, to be brought up to date"
      ),
      (
        "@Entity class Box { @Transient var size: Int }",
        "'size' is @Transient and needs a default value, for rows do not have it"
      ),
      (
        "@Entity class Box { var open: () -> Bool }",
        "'open' cannot be stored: it is a closure"
      ),
    ]
  )
  func mistakes(text: String, message: String) { #expect(parse(text).messages == [message]) }
}
