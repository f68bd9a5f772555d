import Testing
import VarveCore

@Suite("Fields that ignore case")
struct FoldedFieldTests {
  @Test(arguments: [
    ("ANNA", "anna"), ("\u{C9}", "\u{E9}"), ("\u{3A3}", "\u{3C2}"), ("\u{3C3}", "\u{3C2}"),
    ("\u{212A}", "k"), ("\u{17F}", "S"), ("\u{B5}", "\u{3BC}"), ("\u{1E9E}", "\u{DF}"),
    ("\u{10400}", "\u{10428}"), ("\u{13A0}", "\u{AB70}"), ("\u{1C90}", "\u{10D0}"),
    ("\u{1FD3}", "\u{390}"), ("\u{FB05}", "\u{FB06}"),
  ]
  )
  func `fields that ignore case take all forms of a letter as one, in no locale`(
    one: String,
    other: String
  ) {
    let entity = ConditionTests.sample("x", ["name": .string(one)])
    #expect((Field("name").ignoringCase == .string(other)).holds(for: entity) == true)
    #expect((Field("name") == .string(other)).holds(for: entity) == false)
  }

  @Test(arguments: [("I", "\u{131}"), ("i", "\u{130}"), ("SS", "\u{DF}"), ("e", "\u{E9}")]
  )
  func `keep letters apart that only a language takes as one, or that are several`(
    one: String,
    other: String
  ) {
    let entity = ConditionTests.sample("x", ["name": .string(one)])
    #expect((Field("name").ignoringCase == .string(other)).holds(for: entity) == false)
  }

  @Test func `apply to parts of texts, lists and orders, and leave other values as they are`()
    throws
  {
    let entity = ConditionTests.sample("x", ["name": "Anna B", "size": 3, "tags": ["New", 1]])
    let name = Field("name").ignoringCase
    #expect(name.hasPrefix("aNN").holds(for: entity) == true)
    #expect(name.contains("A b").holds(for: entity) == true)
    #expect(name.isIn(["x", "ANNA b"]).holds(for: entity) == true)
    #expect((name >= "ANNA").holds(for: entity) == true)
    #expect((Field("size").ignoringCase == 3).holds(for: entity) == true)
    #expect(Field("tags").ignoringCase.includes("NEW").holds(for: entity) == true)
    #expect(Field("tags").includes("NEW").holds(for: entity) == false)
    let people = ["b", "A", "a", "B"].enumerated().map { index, name in
      ConditionTests.sample(EntityID(stringLiteral: "p\(index)"), ["name": .string(name)])
    }
    let ordered = try Query("Hat").order(by: name).evaluate(people)
    #expect(ordered.map { $0["name"] } == ["A", "a", "b", "B"])
  }
}

@Suite("Fields inside values")
struct InsideFieldTests {
  private let entity = ConditionTests.sample(
    "x",
    ["address": ["city": "Rome", "lines": ["a", ["deep": 7]]], "tags": ["red", 2]]
  )

  @Test func `are values of keys and elements of arrays`() {
    #expect((Field("address")["city"] == "Rome").holds(for: entity) == true)
    #expect((Field("address")["lines"][1]["deep"] > 6.5).holds(for: entity) == true)
    #expect((Field("tags")[1] == 2).holds(for: entity) == true)
    #expect((Field("address")["city"].ignoringCase == "ROME").holds(for: entity) == true)
    #expect((Field("address").ignoringCase["city"] == "ROME").holds(for: entity) == true)
    #expect((Field("tags")[0] == Field("address")["city"]).holds(for: entity) == false)
  }

  @Test func `are missing where the way does not lead on`() {
    for field in [
      Field("none")["city"], Field("address")["town"], Field("address")[0], Field("tags")[2],
      Field("tags")[-1], Field("tags")["0"], Field("tags")[0][0],
    ] {
      #expect(field.isMissing.holds(for: entity) == true)
      #expect((field == "Rome").holds(for: entity) == nil)
    }
    #expect(Field("address")["lines"].isMissing.holds(for: entity) == false)
  }
}
