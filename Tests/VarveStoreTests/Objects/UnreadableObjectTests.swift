import Testing
import VarveCore
import VarveStore

@Suite("An object that cannot be read")
struct UnreadableObjectTests {
  @Test(arguments: Engine.allCases)
  func `is reported with the property it lacks, whatever the name`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.create("Label", id: "entity x, property y", ["other": 1])
    let objects = try await Objects(store)
    objects.register(Label.self)
    var rows: [UnreadableRow] = []
    for try await _ in objects.stream(Label.self, unreadable: { rows.append($0) }) {}
    #expect(rows.map(\.key) == ["left, property right"])
    #expect(rows.map(\.reason) == [.missing])
    let error = await failure {
      _ = try await objects.load("entity x, property y", as: Label.self)
    }
    #expect(error?.entity == "entity x, property y")
    #expect(error?.property == "left, property right")
  }

  @Test func `an object that cannot be read is named by its identifier if it is missing`()
    async throws
  {
    let store = try await makeStore(.memory)
    let objects = try await Objects.ofShapes(store)
    let error = await failure { _ = try await objects.load("nothing", as: Square.self) }
    #expect(error?.code == .noSuchDocument && error?.entity == "nothing")
  }
}

/// A class with a property of an odd name.
private final class Label: StoredObject {
  static let kind: EntityType = "Label"
  let id: EntityID
  var text: String

  init(row: ObjectRow) throws {
    id = row.id
    text = try row.read("left, property right")
  }

  func read(_ row: ObjectRow) throws { text = try row.read("left, property right") }

  func write(to values: inout ObjectValues) throws {
    try values.set("left, property right", text)
  }

  func validate(_ validation: Validation) throws -> Validation { validation }
}
