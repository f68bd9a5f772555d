import Foundation
import Testing
import VarveCore

@Suite("Predicates")
struct ConditionTests {
  private let hat = sample("h", ["color": "red", "size": 12, "weight": 1.5, "nan": .double(.nan)])
  private let size = Field("size")
  private let color = Field("color")
  private let none = Field("none")

  @Test func `predicates compare numbers as numbers, and any other kind with its own only`() {
    #expect(holds(size == 12))
    #expect(holds(size == 12.0))
    #expect(holds(size > 11.5))
    #expect(!holds(size == "12"))
    #expect(!holds(size != "12"))
    #expect(!holds(color < 99))
    #expect(holds(Field("weight") <= 1.5))
  }

  @Test func `predicates compare texts by their bytes`() {
    let entity = Self.sample("x", ["name": "\u{E9}"])
    #expect((Field("name") == "\u{E9}").holds(for: entity) == true)
    #expect((Field("name") == "e\u{301}").holds(for: entity) == false)
    #expect((Field("name") > "z").holds(for: entity) == true)
  }

  @Test func `are unknown if a value is missing or a NaN, and so are their negations`() {
    for field in [none, Field("nan")] {
      for comparison in Comparison.allCases {
        let predicate = VarveCore.Condition.compare(field, comparison, 1)
        #expect(predicate.holds(for: hat) == nil)
        #expect((!predicate).holds(for: hat) == nil)
      }
    }
    #expect((none == 1 && size == 12).holds(for: hat) == nil)
    #expect((none == 1 && size == 13).holds(for: hat) == false)
    #expect((none == 1 || size == 12).holds(for: hat) == true)
    #expect((none == 1 || size == 13).holds(for: hat) == nil)
  }

  @Test func `predicates find a value among several, as SQL does`() {
    #expect(size.isIn([1, 12.0]).holds(for: hat) == true)
    #expect(size.isIn([1, 2]).holds(for: hat) == false)
    #expect(size.isIn([]).holds(for: hat) == false)
    #expect(size.isIn([1, "12"]).holds(for: hat) == nil)
    #expect(none.isIn([1]).holds(for: hat) == nil)
  }

  @Test func `predicates distinguish a missing value from a present one`() {
    #expect(none.isMissing.holds(for: hat) == true)
    #expect(size.isMissing.holds(for: hat) == false)
    #expect((!none.isMissing).holds(for: hat) == false)
  }

  @Test func `predicates look into texts byte by byte, with no character special`() {
    let entity = Self.sample("x", ["name": "50%_é"])
    func answer(_ predicate: VarveCore.Condition) -> Bool? { predicate.holds(for: entity) }
    let name = Field("name")
    #expect(answer(name.hasPrefix("50%")) == true)
    #expect(answer(name.hasPrefix("")) == true)
    #expect(answer(name.hasPrefix("5%")) == false)
    #expect(answer(name.contains("%_")) == true)
    #expect(answer(name.contains("e")) == false)
    #expect(answer(name.contains("50%_é!")) == false)
    #expect(answer(Field("other").contains("")) == nil)
    #expect(size.contains("1").holds(for: hat) == nil)
  }

  @Test func `predicates see identifier, datestamp and modification as values`() {
    #expect(holds(.compare(.identifier, .equal, "h")))
    #expect(holds(.compare(.datestamp, .less, .date(.now))))
    #expect(holds(.compare(.modified, .greater, .date(Date(timeIntervalSince1970: 0)))))
  }

  private func holds(_ predicate: VarveCore.Condition) -> Bool { predicate.holds(for: hat) == true }

  static func sample(_ id: EntityID, _ values: [PropertyKey: Value]) -> StoredEntity {
    StoredEntity(
      id: id,
      type: "Hat",
      datestamp: HybridTime(millisecondsSince1970: 1_000),
      modified: HybridTime(millisecondsSince1970: 2_000),
      shape: .empty,
      values: [],
      others: values.mapValues { StoredEntity.Property($0) }
    )
  }
}
