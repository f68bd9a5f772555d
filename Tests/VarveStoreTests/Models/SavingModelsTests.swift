import Foundation
import Testing
import VarveCore
import VarveStore
import VarveTestSupport

@Suite("Saving models")
struct SavingModelsTests {
  @Test(arguments: Engine.allCases)
  func `a model that was saved is found as it was`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    let hat = try await store.as("sam").save(Hat("red", 12))
    let found = try #require(try await store.find(hat.id))
    #expect(found.color == "red")
    #expect(found.brimSize == 12)
    #expect(found.createdAt == hat.createdAt)
    #expect(found.createdAt != nil)
    #expect(found.updatedAt == found.createdAt)
    #expect(try await store.entity(hat.id.entityID)?.type == "hats")
    #expect(try await store.log(limit: 1).first?.author == "sam")
  }

  @Test(arguments: Engine.allCases)
  func `saving again writes differences, and the date of saving`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    var hat = try await store.save(Hat("red", 12))
    hat.color = "blue"
    hat.brimSize = nil
    let saved = try await store.save(hat)
    #expect(saved.createdAt == hat.createdAt)
    let found = try #require(try await store.find(hat.id))
    #expect(found.color == "blue")
    #expect(found.brimSize == nil)
    let colors = try await store.history(of: hat, \.color).map(\.value)
    #expect(colors == ["blue", "red"])
    #expect(try await store.history(of: hat, \.brimSize).count == 2)
  }

  @Test(arguments: Engine.allCases)
  func `a model without dates that is saved unchanged writes nothing`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    let ann = try await store.save(Customer("Ann"))
    let count = try await store.log().count
    try await store.save(ann)
    #expect(try await store.log().count == count)
  }

  @Test(arguments: Engine.allCases)
  func `properties unknown to a model are kept`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    var ann = try await store.save(Customer("Ann"))
    try await store.set(ann.id.entityID, "age", 30)
    ann.name = "Anna"
    try await store.save(ann)
    #expect(try await store.entity(ann.id.entityID)?["age"] == 30)
  }

  @Test func `an invalid value is refused with all its errors, and nothing is written`()
    async throws
  {
    let store = try await makeStore(.file)
    await #expect {
      try await store.save(Hat("", 4))
    } throws: { error in
      let violations = (error as? VarveError)?.violations ?? []
      return violations.map(\.message) == ["tooShort", "tooLow"]
        && violations.map(\.key) == ["color", "brim_size"]
        && violations.allSatisfy { $0.model == "hat" }
    }
    #expect(try await store.count(Hat.all) == 0)
    #expect(try await store.log().isEmpty)
  }

  @Test(arguments: Engine.allCases)
  func `a dead identifier is not saved under; another type's neither`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    let hat = try await store.save(Hat("red"))
    #expect(try await store.erase(hat) == [hat.id.entityID])
    #expect(try await store.find(hat.id) == nil)
    await #expect(throws: VarveError.self) { try await store.save(hat) }
    try await store.create("shops", id: "one", ["name": "x"])
    let mistaken = Hat(id: "one", "red")
    await #expect {
      try await store.save(mistaken)
    } throws: {
      ($0 as? VarveError)?.code == .typeMismatch
    }
    #expect(try await store.find(Identifier<Hat>("one")) == nil)
    await #expect(throws: VarveError.self) { try await store.require(Identifier<Hat>("one")) }
  }

  @Test(
    arguments: Engine.allCases
  )
  func `many are saved at once, new ones and known ones, twice in one call`(engine: Engine)
    async throws
  {
    let store = try await makeStore(engine)
    // The reference folds everything for each read.
    let count = engine == .reference ? 100 : 1_300
    var hats = (0..<count).map { Hat(id: Identifier(EntityID.new()), "c\($0)", 5 + $0 % 10) }
    let saved = try await store.save(hats)
    #expect(saved.allSatisfy { $0.createdAt != nil })
    #expect(try await store.count(Hat.all) == count)
    #expect(try await store.log().count == 1)
    hats[7].color = "other"
    hats.append(Hat("new"))
    hats.append(hats[0])
    try await store.save(hats)
    #expect(try await store.count(Hat.all) == count + 1)
    #expect(try await store.find(hats[7].id)?.color == "other")
    #expect(try await store.check().isClean)
  }

  @Test func `an invalid one among many leaves none`() async throws {
    let store = try await makeStore(.file)
    var hats = (0..<1_000).map { Hat("c\($0)", 10) }
    hats[900].brimSize = 99
    await #expect(throws: VarveError.self) { try await store.save(hats) }
    #expect(try await store.log().isEmpty)
  }

  @Test func `two values are equal if their identifiers are`() {
    let hat = Hat("red")
    var other = hat
    other.color = "blue"
    #expect(hat == other)
    #expect(hat != Hat("red"))
    #expect(Hat.foreignKeyName == "hat_id")
    #expect(Customer.entityType == "customers")
  }

  @Test(
    arguments: Engine.allCases
  )
  func `the date of creation stays even if a model without it is saved`(engine: Engine) async throws
  {
    let clock = TestClock()
    let store = try await makeStore(engine, clock: clock)
    let hat = try await store.save(Hat("red"))
    clock.advance(by: 5_000)
    let again = try await store.save(Hat(id: hat.id, "blue"))
    #expect(again.createdAt == hat.createdAt)
    #expect(try await store.find(hat.id)?.createdAt == hat.createdAt)
    try await store.save([Hat(id: hat.id, "green")])
    #expect(try await store.find(hat.id)?.createdAt == hat.createdAt)
  }

  @Test func `values that cannot be stored are refused, nil inside of values too`() async throws {
    #expect([1, nil, 3].propertyValue == nil)
    #expect(["a": nil, "b": 1].propertyValue == nil)
    #expect(Decimal.nan.propertyValue == nil)
    #expect(UInt64.max.propertyValue == nil)
    #expect([Int?]().propertyValue == [])
  }
}
