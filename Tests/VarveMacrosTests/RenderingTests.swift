import Testing
import VarveMacroExpansion

@Suite("The code of a model")
struct RenderingTests {
  let hat = EntitySpec(
    access: "public",
    type: "\"hats\"",
    uniqueTogether: [["color", "brim_size"]],
    properties: [
      PropertySpec("color", options: [".length(1...40)", ".unique"]),
      PropertySpec("buyers", .many),
      PropertySpec("brimSize", storedName: "brim_size", .column(hasDefault: true)),
    ]
  )

  @Test func `the code of a model in the struct: its schema and its writing`() {
    #expect(
      hat.members == [
        #"""
        public nonisolated static let schema: Varve.Schema<Self> = Varve.Schema("hats", uniqueTogether: [["color", "brim_size"]]) {
          Varve.SchemaField("color", \.color, .length(1...40), .unique)
          Varve.SchemaField("buyers", \.buyers)
          Varve.SchemaField("brim_size", \.brimSize)
        }
        """#,
        """
        public nonisolated func write(to values: inout Varve.PropertyValues) throws {
          try values.append(self.color)
          try values.append(self.brimSize)
        }
        """,
      ]
    )
  }

  @Test func `the code of a model outside: its reading, by position among the columns`() {
    #expect(
      hat.extending("Shop.Hat") == """
        nonisolated extension Shop.Hat: Varve.Persistable {
          public init(row: Varve.EntityRow) throws {
            self.id = try row.id()
            self.color = try row.read(0)
            self.buyers = Varve.Many()
            self.brimSize = try row.read(1, default: self.brimSize)
          }
        }
        """
    )
  }

  @Test func `the code of a model through the memberwise initialiser if that suffices`() {
    let spec = EntitySpec(
      properties: [PropertySpec("color"), PropertySpec("buyers", .many)],
      memberwiseIdentifier: 1
    )
    #expect(
      spec.extending("Hat") == """
        nonisolated extension Hat: Varve.Persistable {
          init(row: Varve.EntityRow) throws {
            try self.init(
              color: row.read(0),
              id: row.id(),
              buyers: Varve.Many()
            )
          }
        }
        """
    )
  }

  @Test func `no conformance twice, and availability as the struct has it`() {
    let spec = EntitySpec(availability: ["@available(macOS 26, *)"])
    #expect(
      spec.extending("Hat", isConforming: false) == """
        @available(macOS 26, *)
        nonisolated extension Hat {
          init(row: Varve.EntityRow) throws {
            self.id = try row.id()
          }
        }
        """
    )
  }

  @Test func `stored names as literals, whatever they contain`() {
    let spec = EntitySpec(
      properties: [PropertySpec("`default`", storedName: "a \"b\"\\")],
    )
    #expect(spec.members[0].contains(#"Varve.SchemaField("a \"b\"\\", \.`default`)"#))
    #expect(spec.members[1].contains("try values.append(self.`default`)"))
  }
}
