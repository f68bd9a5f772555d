import Foundation
import Testing
import VarveCore

@Suite("Comparisons of two fields")
struct FieldConditionTests {
  private let hat = ConditionTests.sample(
    "h",
    [
      "price": 12, "cost": 9.5, "same": 12.0, "name": "Anna", "NAME": "ANNA", "nan": .double(.nan),
      "text": "12.0", "parent": "h", "owner": .reference("h"),
    ]
  )

  @Test func `hold between numbers of either kind`() {
    #expect(holds(Field("price") > Field("cost")) == true)
    #expect(holds(Field("price") == Field("same")) == true)
    #expect(holds(Field("price") != Field("same")) == false)
    #expect(holds(Field("price") <= Field("cost")) == false)
    #expect(holds(Field("cost") < Field("price")) == true)
    #expect(holds(Field("cost") >= Field("cost")) == true)
  }

  @Test func `are unknown if a value is missing, a NaN or of another kind`() {
    for other in ["none", "nan", "name"] as [PropertyKey] {
      for comparison in Comparison.allCases {
        let condition = VarveCore.Condition.compareFields(Field("price"), comparison, Field(other))
        #expect(holds(condition) == nil)
        #expect(holds(!condition) == nil)
      }
    }
    #expect(holds(Field("none") == Field("none")) == nil)
  }

  @Test func `interpret both fields as one of them is interpreted`() {
    #expect(holds(Field("price") == Field("text")) == nil)
    #expect(holds(Field("price") == .decimal(Field("text"))) == true)
    #expect(holds(Field("name") == Field("NAME")) == false)
    #expect(holds(Field("name").ignoringCase == Field("NAME")) == true)
  }

  @Test func `compare an identifier with texts and references by its text`() {
    #expect(holds(.identifier == Field("parent")) == true)
    #expect(holds(Field("owner") == .identifier) == true)
    #expect(holds(Field("owner") == Field("parent")) == nil)
  }

  private func holds(_ condition: VarveCore.Condition) -> Bool? { condition.holds(for: hat) }
}
