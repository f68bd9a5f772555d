import Testing
import VarveMacroExpansion

@Suite("What a struct stores")
struct ParsingTests {
  @Test func `every stored property that can be set, under its own name`() {
    let spec = Source(
      """
      @Entity struct Hat {
        var id = Identifier<Hat>()
        var color: String
        var brimSize = 10
        var note: String?
        var shop: Ref<Shop>?
        var buyers: Many<Customer> = Many()
      }
      """
    ).spec
    #expect(
      spec
        == EntitySpec(
          properties: [
            PropertySpec("color"),
            PropertySpec("brimSize", .column(hasDefault: true)),
            PropertySpec("note"),
            PropertySpec("shop"),
            PropertySpec("buyers", .many),
          ]
        )
    )
  }

  @Test(arguments: [
    ("Equatable", false), ("Swift.Equatable", false), ("Codable, Equatable", false),
    ("Hashable", true), ("Persistable, Hashable", true), ("Codable & Hashable", true),
    ("nonisolated Hashable", true),
  ]
  )
  func `compared by all stored properties, if the struct names Equatable or Hashable`(
    names: String,
    isHashed: Bool
  ) {
    let members = """
      var id = Identifier<Hat>(); var a, b: Int; let c: Int; let d = 1; static var e = 2
      var f: Int { 3 }; lazy var g = 4; @Transient var h = 5; var i: Many<Hat>
      """
    let spec = Source("@Entity struct Hat: \(names) { \(members) }").spec
    let compared = ["id", "a", "b", "c", "h", "i"]
    #expect(spec?.equality == EntitySpec.Equality(properties: compared, isHashed: isHashed))
  }

  @Test(arguments: [
    "struct Hat { }", "struct Hat: Persistable, Codable { }",
    "struct Hat: Equatable { static func == (a: Hat, b: Hat) -> Bool { true } }",
    "struct Hat: Hashable { static func ==(a: Self, b: Self) -> Bool { true } }",
  ]
  )
  func `compared by their identifiers otherwise, or by what the struct declares`(text: String) {
    let source = Source("@Entity " + text.replacing("{ ", with: "{ var id = Identifier<Hat>(); "))
    #expect(source.messages == [] && source.spec?.equality == nil)
  }

  @Test func `a hash that the struct declares is kept`() {
    let hash = "func hash(into hasher: inout Hasher) {}"
    let text = "@Entity struct Hat: Hashable { var id = Identifier<Hat>(); \(hash) }"
    let wanted = EntitySpec.Equality(properties: ["id"], isHashed: false)
    #expect(Source(text).spec?.equality == wanted)
  }

  @Test func `properties that cannot be compared are reported at their declarations`() {
    let text = "struct Hat: Hashable { var id = Identifier<Hat>(); MEMBER }"
    let member = "@Transient var done: (() -> Void)?"
    #expect(
      Source("@Entity " + text.replacing("MEMBER", with: member)).messages == [
        "'done' cannot be compared: it is a closure; declare '==' in the struct, or do not name "
          + "'Equatable' and 'Hashable'"
      ]
    )
    let own = "\(member); static func == (a: Hat, b: Hat) -> Bool { a.id == b.id }"
    #expect(Source("@Entity " + text.replacing("MEMBER", with: own)).messages == [])
  }

  @Test(arguments: [
    "let kind = 5",
    "lazy var size = 5",
    "static var size = 5",
    "static let size: Int = 5",
    "var size: Int { 5 }",
    "var size: Int { get { 5 } set {} }",
    "@Transient var size = 5",
    "@Transient var size: Int?",
    "@Transient var done: (() -> Void)?",
    "@Varve.Transient var size = 5",
    "func `nothing else`() -> Int { var size = 5; return size }",
    "struct Size { var size: Int }",
    "#if DEBUG\n  func size() -> Int { 5 }\n  #endif",
    "#if DEBUG\n  @Transient var size = 5\n  #endif",
  ]
  )
  func nothingElse(member: String) {
    #expect(Source.properties(member) == [])
  }

  @Test(arguments: [
    "var size = 5  // a comment",
    "var size: Int = 5 // a comment with = and ,",
    "var size = /* why */ 5 /* not */",
    "var size: Int = 5 { didSet { print(size) } }",
    "var size = 5 { willSet {} didSet {} }",
    "private(set) var size = 5",
    "@Clamped(0...9) var size = 5",
    "var size = { 5 }()",
    "let size: Int = 5, other = 4\n  var size = 5",
    "static let other = 4\n  var size: Optional<Int>.Wrapped = 5",
  ]
  )
  func `however it is written`(member: String) {
    #expect(Source.properties(member) == [PropertySpec("size", .column(hasDefault: true))])
  }

  @Test func `constants that wait for a value`() {
    #expect(Source.properties("let size: Int") == [PropertySpec("size")])
  }

  @Test func `all the properties of one declaration`() {
    #expect(Source.properties("var a, b: Int") == [PropertySpec("a"), PropertySpec("b")])
    #expect(
      Source.properties("var a = 1, b: Int, hats, shops: Many<Hat>")
        == [
          PropertySpec("a", .column(hasDefault: true)), PropertySpec("b"),
          PropertySpec("hats", .many), PropertySpec("shops", .many),
        ]
    )
  }

  @Test func `names without their backticks`() {
    #expect(
      Source.properties("var `default`: Int") == [PropertySpec("`default`", storedName: "default")]
    )
  }

  @Test(arguments: [
    "var hats: Many<Hat>",
    "var hats: VarveStore.Many<Shop.Hat> = []",
    "var hats = Many<Hat>()",
    "var hats = Varve.Many<Hat>()",
    "var hats = Many<Hat>.init()",
    "var hats: (Many<Hat>) = .init()",
  ]
  )
  func `relations to many, in any spelling`(member: String) {
    #expect(Source.properties(member) == [PropertySpec("hats", .many)])
  }

  @Test func `names and options from @Field, in their order`() {
    #expect(
      Source.properties(
        #"@Field("brim_size", .range(5...15), .check("odd") { $0 != nil }) var brimSize: Int"#
      ) == [
        PropertySpec(
          "brimSize",
          storedName: "brim_size",
          options: [".range(5...15)", #".check("odd") { $0 != nil }"#]
        )
      ]
    )
    #expect(Source.properties("@Field var a: Int") == [PropertySpec("a")])
    #expect(
      Source.properties("@Field(.unique) @Varve.Field(FieldOption.index) var a: Int")
        == [PropertySpec("a", options: [".unique", "FieldOption.index"])]
    )
    #expect(
      Source.properties(#"@Field("row") var a: Int"#) == [PropertySpec("a", storedName: "row")]
    )
  }

  @Test func `relations as they are written`() {
    #expect(
      Source.properties(#"@Relation(.owns, inverse: \Hat.shop) var hats: Many<Hat>"#)
        == [PropertySpec("hats", .many, options: [#".relation(.owns, inverse: \Hat.shop)"#])]
    )
    #expect(
      Source.properties("@Relation var shop: Optional<Ref<Shop>>")
        == [PropertySpec("shop", options: [".relation()"])]
    )
  }

  @Test(arguments: [
    "var createdAt: Date?",
    "var createdAt: Optional<Foundation.Date>",
    "@Field(.createdAt) var createdAt: Date?",
  ]
  )
  func `dates that saving sets, by their names`(member: String) {
    #expect(Source.properties(member) == [PropertySpec("createdAt", options: [".createdAt"])])
  }

  @Test(arguments: [
    "var updatedAt: Date = .now", "var updatedAt = Date()", "var updatedAt = Date.now",
  ]
  )
  func `dates that saving sets, which begin with a value`(member: String) {
    #expect(
      Source.properties(member)
        == [PropertySpec("updatedAt", .column(hasDefault: true), options: [".updatedAt"])]
    )
  }

  @Test func `no date of another type is set`() {
    #expect(Source.properties("var createdAt: String") == [PropertySpec("createdAt")])
  }

  @Test func `the arguments of @Entity, stored names for those of properties`() {
    let spec = Source(
      """
      @available(*, deprecated)
      @Entity("hats", model: Names.hat, uniqueTogether: [["color", "brimSize"], ["color"]])
      public struct Hat {
        public var id: Varve.Identifier<Self> = .init()
        public var color: String
        @Field("brim_size") public var brimSize: Int
      }
      """
    ).spec
    #expect(spec?.type == "\"hats\"")
    #expect(spec?.model == "Names.hat")
    #expect(spec?.uniqueTogether == [["color", "brim_size"], ["color"]])
    #expect(spec?.access == "public")
    #expect(spec?.availability == ["@available(*, deprecated)"])
  }

  @Test func `the access of the struct, or of the extension around it`() {
    func access(_ before: String, _ after: String = "") -> String? {
      Source("\(before) struct Hat { var id = Identifier<Hat>() } \(after)").spec?.access
    }
    #expect(access("@Entity") == nil)
    #expect(access("@Entity internal") == nil)
    #expect(access("@Entity private") == nil)
    #expect(access("@Entity package") == "package")
    #expect(access("public extension Shop { @Entity", "}") == "public")
    #expect(access("public extension Shop { @Entity internal", "}") == nil)
    #expect(access("public enum Shop { @Entity", "}") == nil)
  }
}
