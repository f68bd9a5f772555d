import Testing
import VarveMacroExpansion

/// A mistake, its diagnostics, and the source with the fix-it applied, if there is one.
struct Mistake: CustomTestStringConvertible {
  let source: String
  let message: String
  let fixed: String?

  init(_ source: String, _ message: String, fixed: String? = nil) {
    self.source = source
    self.message = message
    self.fixed = fixed
  }

  /// A mistake in a member of a struct.
  init(member: String, _ message: String, fixed: String? = nil) {
    func model(_ member: String) -> String {
      "@Entity struct Hat {\n  var id = Identifier<Hat>()\n  \(member)\n}"
    }
    self.init(model(member), message, fixed: fixed.map(model))
  }

  var testDescription: String { source }
}

@Suite("Errors of a model are reported at their places")
struct FindingTests {
  @Test(arguments: Mistake.ofModels)
  func `errors of a model are reported at their places of the declaration`(mistake: Mistake) {
    check(mistake)
  }

  @Test(arguments: Mistake.ofIdentifiers)
  func `errors of a model are reported at their places of the identifier`(mistake: Mistake) {
    check(mistake)
  }

  @Test(arguments: Mistake.ofProperties)
  func `errors of a model are reported at their places of properties`(mistake: Mistake) {
    check(mistake)
  }

  @Test(arguments: Mistake.ofRelations)
  func `errors of a model are reported at their places of relations`(mistake: Mistake) {
    check(mistake)
  }

  @Test(arguments: Mistake.ofMarks)
  func `errors of a model are reported at their places of attributes`(mistake: Mistake) {
    check(mistake)
  }

  @Test(arguments: Mistake.ofNames)
  func `errors of a model are reported at their places of names`(mistake: Mistake) {
    check(mistake)
  }

  private func check(_ mistake: Mistake) {
    let source = Source(mistake.source)
    #expect(source.messages == [mistake.message])
    #expect(source.spec == nil)
    #expect(source.fixed == mistake.fixed ?? mistake.source)
  }

  @Test(arguments: Mistake.all)
  func `if a fix-it inserts no placeholder, its result is a model`(mistake: Mistake) {
    guard let fixed = mistake.fixed, !fixed.contains("<#") else { return }
    #expect(Source(fixed).messages == [])
  }

  @Test func `several errors are reported at once`() {
    let source = Source("@Entity struct Hat { let id = 5; var size: (Int, Int)?; var a: Any }")
    #expect(source.messages.count == 4)
  }
}

extension Mistake {
  static var all: [Mistake] {
    ofModels + ofIdentifiers + ofProperties + ofRelations + ofMarks + ofNames
  }

  static let ofModels = [
    Mistake(
      "@Entity class Hat {}",
      "@Entity is for structs, and this is a class; @Entity(kind:) is for those"
    ),
    Mistake("@Entity enum Hat {}", "@Entity is for structs, and this is an enum"),
    Mistake("@Entity actor Hat {}", "@Entity is for structs, and this is an actor"),
    Mistake("@Entity protocol Hat {}", "@Entity is for structs, and this is a protocol"),
    Mistake(
      "@Entity struct Hat<Size> { var id = Identifier<Hat>() }",
      "a generic struct cannot be an entity: one model has one table"
    ),
    Mistake(
      "struct Shop<Kind> { @Entity struct Hat { var id = Identifier<Hat>() } }",
      "a generic struct cannot be an entity: one model has one table"
    ),
    Mistake(
      "enum Shop { @Entity private struct Hat { var id = Identifier<Hat>() } }",
      "a nested model must be 'fileprivate' at least, for @Entity to extend it",
      fixed: "enum Shop { @Entity fileprivate struct Hat { var id = Identifier<Hat>() } }"
    ),
  ]

  static let ofIdentifiers = [
    Mistake(
      "@Entity struct Hat {\n  /// The colour.\n  var color: String\n}",
      "a model needs an identifier: 'var id = Identifier<Hat>()'",
      fixed: """
        @Entity struct Hat {
          var id = Identifier<Hat>()
          /// The colour.
          var color: String
        }
        """
    ),
    Mistake(
      "@Entity public struct Hat { public var color: String }",
      "a model needs an identifier: 'var id = Identifier<Hat>()'",
      fixed:
        "@Entity public struct Hat { public var id = Identifier<Hat>(); public var color: String }"
    ),
    Mistake(
      "@Entity struct Hat {}",
      "a model needs an identifier: 'var id = Identifier<Hat>()'",
      fixed: "@Entity struct Hat { var id = Identifier<Hat>() }"
    ),
    ofOtherType("var id = UUID()"),
    ofOtherType("var id: Int"),
    ofOtherType("var id: Identifier<Shop>"),
    ofOtherType("var id: Identifier<Hat>?"),
    Mistake(
      "@Entity struct Hat { let id = Identifier<Hat>() }",
      "'id' must be a variable",
      fixed: "@Entity struct Hat { var id = Identifier<Hat>() }"
    ),
    Mistake(
      "@Entity struct Hat { private(set) var id = Identifier<Hat>() }",
      "'id' must be as accessible as its model, to be set as well",
      fixed: "@Entity struct Hat { var id = Identifier<Hat>() }"
    ),
    Mistake(
      "@Entity struct Hat { @Field(\"key\") var id = Identifier<Hat>() }",
      "@Field has no meaning for the identifier",
      fixed: "@Entity struct Hat { var id = Identifier<Hat>() }"
    ),
  ]

  private static func ofOtherType(_ id: String) -> Mistake {
    Mistake(
      "@Entity struct Hat { \(id) }",
      "'id' must be an 'Identifier<Hat>'",
      fixed: "@Entity struct Hat { var id = Identifier<Hat>() }"
    )
  }
}
