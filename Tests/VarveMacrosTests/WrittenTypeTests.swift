import SwiftSyntax
import SwiftSyntaxBuilder
import Testing
import VarveMacroExpansion

@Suite("The written type of a property")
struct WrittenTypeTests {
  @Test(
    arguments: [
      ("Int", .other), ("[String: [Int]]", .other), ("Date", .date), ("Foundation.Date", .date),
      ("Shop.Date", .other), ("Ref<Hat>", .reference(to: "Hat")),
      ("VarveStore.Ref<Shop.Hat>", .reference(to: "Hat")), ("Many<Hat>", .many(of: "Hat")),
      ("(Many<Hat>)", .many(of: "Hat")), ("Identifier<Self>", .identifier(of: "Self")),
      ("Box<(Int, Int)>", .other),
    ] as [(String, WrittenType.Form)]
  )
  func `the written type of a property by its name, with or without its module`(
    type: String,
    form: WrittenType.Form
  ) {
    #expect(WrittenType("\(raw: type)") == WrittenType(form))
    #expect(WrittenType("\(raw: type)?") == WrittenType(form, isOptional: true))
    #expect(WrittenType("\(raw: type)!") == WrittenType(form, isOptional: true))
    #expect(WrittenType("Optional<\(raw: type)>") == WrittenType(form, isOptional: true))
  }

  @Test(arguments: [
    ("(Int, Int)", "a tuple"), ("[(Int, Int)]", "a tuple"), ("Set<(Int, Int)>", "a tuple"),
    ("[String: () -> Void]", "a closure"), ("(() -> Void)?", "a closure"),
    ("@Sendable (Int) async throws -> Int", "a closure"), ("()", "nothing"), ("Void", "nothing"),
    ("Any", "any value at all"), ("Int.Type", "a type"),
    ("any Shape", "a value of any type that conforms to a protocol"),
    ("Shape & Sendable", "a value of any type that conforms to a protocol"),
  ]
  )
  func `the written type of a property that no store can keep it`(type: String, what: String) {
    #expect(WrittenType("\(raw: type)").form == .unstorable(what))
  }

  @Test(
    arguments: [
      ("Date()", .date), ("Date.now", .date), ("Many<Hat>()", .many(of: "Hat")),
      ("Ref<Hat>(id)", .reference(to: "Hat")), ("Identifier<Hat>()", .identifier(of: "Hat")),
      ("5", .other), ("[:]", .other), ("now()", .other), (".init()", .other),
      ("{ 5 }", .unstorable("a closure")), ("(1, 2)", .unstorable("a tuple")), ("(1)", .other),
    ] as [(String, WrittenType.Form)]
  )
  func `the written type of a property by its value if no type is written`(
    value: String,
    form: WrittenType.Form
  ) {
    #expect(WrittenType(of: "\(raw: value)") == WrittenType(form))
  }
}
