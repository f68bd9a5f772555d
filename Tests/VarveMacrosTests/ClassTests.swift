import SwiftDiagnostics
import SwiftParser
import SwiftSyntax
import Testing
import VarveMacroExpansion

@Suite("@Entity reads and renders classes")
struct ClassTests {
  /// The members generated for the first class in a text that is marked, and what is wrong with it.
  private func parse(
    _ text: String,
    isSubclass: Bool = false
  ) -> (members: [String], messages: [String]) {
    let finder = ClassFinder(viewMode: .sourceAccurate)
    finder.walk(Parser.parse(source: text))
    guard let (attribute, model) = finder.found else { return ([], ["no class"]) }
    let context = sequence(first: Syntax(model).parent, next: { $0?.parent }).compactMap(\.self)
      .filter { $0.asProtocol((any DeclGroupSyntax).self) != nil }
    let parsed = ClassParser.parse(
      model,
      attribute,
      inside: context,
      inheritsConformance: isSubclass
    )
    return (parsed.spec?.members ?? [], parsed.diagnostics.map(\.message))
  }

  @Test func `a class without one above gets an identifier`() {
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
        """
        public class var storedProperties: [Swift.AnyKeyPath: Varve.PropertyKey] { \
        storedProperties(of: Shape.self) }
        """,
        #"""
        public static func storedProperties<VarveRoot: Shape>(of root: VarveRoot.Type) -> \#
        [Swift.AnyKeyPath: Varve.PropertyKey] {
          [\VarveRoot.id: "", \VarveRoot.name: "name"]
        }
        """#,
      ]
    )
  }

  @Test func `a subclass does what the class above does, first`() {
    let text = #"@Entity(kind: "squares") final class Square: Shape { @Field("s") var side = 1.0 }"#
    #expect(
      parse(text, isSubclass: true).members == [
        "override class var kind: Varve.EntityType { \"squares\" }",
        """
        required init(row: Varve.ObjectRow) throws {
          try super.init(row: row)
          if row["s"] != nil { self.side = try row.read("s") }
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
        """
        override class var storedProperties: [Swift.AnyKeyPath: Varve.PropertyKey] { \
        storedProperties(of: Square.self) }
        """,
        #"""
        static func storedProperties<VarveRoot: Square>(of root: VarveRoot.Type) -> \#
        [Swift.AnyKeyPath: Varve.PropertyKey] {
          super.storedProperties(of: root).merging([\VarveRoot.side: "s"]) { $1 }
        }
        """#,
      ]
    )
  }

  @Test func `an owning link says so, and any other relation is an error`() {
    let owning = parse("@Entity class Box { @Relation(.owns) var lid: Child<Lid>? }")
    #expect(owning.messages.isEmpty)
    #expect(owning.members.contains { $0.contains("values.own(\"lid\")") })
    for mark in ["@Relation", "@Relation(.free)", "@Relation(.owns, as: .list)"] {
      let other = parse("@Entity class Box { \(mark) var lid: Child<Lid>? }")
      #expect(other.messages == ["'@Relation' is for models that are structs"])
    }
    let value = parse("@Entity class Box { @Relation(.owns) var lid: Int = 1 }")
    #expect(value.messages == ["'@Relation' is for models that are structs"])
  }

  @Test(arguments: [
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
      "'lid' cannot be stored: it is a reference to an object"
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
    (
      "struct Crate<T> { @Entity class Box {} }",
      "a generic class cannot be an entity: one kind has one class"
    ),
    (
      "struct Crate { @Entity private class Box {} }",
      "a nested model must be 'fileprivate' at least, for @Entity to extend it"
    ),
    (
      "@Entity class Box { @Relation(.free) var lid: Lazy<Lid> }",
      "'@Relation' is for models that are structs"
    ),
    (
      "@Entity class Box { let id = EntityID.new() }",
      "'id' with a value must be a variable: rows have one of their own"
    ),
    ("@Entity class Box { var id: UUID }", "'id' must be an 'EntityID'"),
    (
      "@Entity class Box { private var id: EntityID }",
      "'id' must be as accessible as its model, to be set as well"
    ),
    (
      "@Entity class Box { @Field(\"a\") var b = 1; var a = 2 }",
      "two properties are stored as \"a\""
    ),
    (
      "@Entity class Box { var lids: Many<Lid> }",
      "'lids' cannot be stored: live objects link to many others by '[Child<T>]' or '[Lazy<T>]'"
    ),
    (
      "@Entity class Box { @Field lazy var b = 1 }",
      "@Field has no meaning for a lazy property"
    ),
  ]
  )
  func `@Entity reads and renders classes errors of a class`(text: String, message: String) {
    #expect(parse(text).messages == [message])
  }

  @Test(arguments: [
    "[Child<Lid>?]", "[[Child<Lid>]]", "[String: Child<Lid>]", "Child<Lid>??",
    "[Array<Child<Lid>>]", "Varve.Child<Lid>??", "[Child<Lid>?]?",
  ]
  )
  func `links in forms that cannot be stored are named where they stand`(type: String) {
    let messages = parse("@Entity class Box { var lids: \(type) }").messages
    #expect(
      messages == [
        "'lids' cannot be stored: write 'Child<T>', '[Child<T>]' or an optional of these"
      ]
    )
    let lazy = type.replacing("Child", with: "Lazy")
    #expect(
      parse("@Entity class Box { var lids: \(lazy) }").messages == [
        "'lids' cannot be stored: write 'Lazy<T>', '[Lazy<T>]' or an optional of these"
      ]
    )
  }

  @Test(arguments: [
    "Child<Lid>", "Child<Lid>?", "[Child<Lid>]", "[Child<Lid>]?", "Lazy<Lid>?", "[Lazy<Lid>]?",
    "Optional<Child<Lid>>", "Array<Child<Lid>>", "(Child<Lid>)", "Varve.Lazy<Lid>",
  ]
  )
  func `links in forms that can be stored are not`(type: String) {
    #expect(parse("@Entity class Box { var lids: \(type) }").messages == [])
  }

  @Test func `a class that belongs to no actor has a conformance that does not either`() {
    #expect(
      ClassSpec(kind: "\"Hook\"", isNonisolated: true).extending("Hook")
        == "nonisolated extension Hook: Varve.StoredObject {}"
    )
  }

  @Test func `a subclass has the identifier of its superclass, and stores its own properties`() {
    #expect(
      parse("@Entity class Box: Crate { let id: EntityID }", isSubclass: true).messages
        == ["the class above has the identifier already"]
    )
    let text = "@Entity class Box: Crate { override var size: Int { didSet {} } }"
    let parsed = parse(text, isSubclass: true)
    #expect(parsed.messages.isEmpty)
    #expect(!parsed.members.joined().contains("size"))
  }
}

/// Finds the class that `@Entity` is attached to.
private final class ClassFinder: SyntaxVisitor {
  var found: (AttributeSyntax, ClassDeclSyntax)?

  override func visit(_ node: ClassDeclSyntax) -> SyntaxVisitorContinueKind {
    let attributes = node.attributes.compactMap { $0.as(AttributeSyntax.self) }
    let attribute = attributes.first { $0.attributeName.trimmedDescription == "Entity" }
    if let attribute { found = (attribute, node) }
    return found == nil ? .visitChildren : .skipChildren
  }
}
