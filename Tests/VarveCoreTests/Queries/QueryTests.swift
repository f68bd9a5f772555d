import Testing
import VarveCore

@Suite("Queries")
struct QueryTests {
  private let hats = [
    ConditionTests.sample("a", ["size": 2, "color": "red"]),
    ConditionTests.sample("b", ["size": 1.5, "color": "blue"]),
    ConditionTests.sample("c", ["size": "big", "color": "red"]),
    ConditionTests.sample("d", ["color": "blue"]),
    ConditionTests.sample("e", ["size": 2, "color": "green"]),
  ]
  private let all = Query("Hat")

  @Test func `fetch in creation order by default`() throws {
    #expect(try ids(all) == "abcde")
    #expect(try ids(Query("Shop")) == "")
    #expect(try ids(all.where(Field("color") == "red")) == "ac")
  }

  @Test func `put missing values first, then numbers, then texts; ties stay in creation order`()
    throws
  {
    #expect(try ids(all.order(by: Field("size"))) == "dbaec")
    #expect(try ids(all.order(by: Field("size"), descending: true)) == "caebd")
    #expect(
      try ids(all.order(by: Field("color")).order(by: .identifier, descending: true)) == "dbeca"
    )
  }

  @Test func `queries skip the offset and stop at the limit, which can only be lowered`() throws {
    #expect(try ids(all.limit(2)) == "ab")
    #expect(try ids(all.limit(2).limit(9)) == "ab")
    #expect(try ids(all.limit(0)) == "")
    #expect(try ids(all.offset(3)) == "de")
    #expect(try ids(all.offset(1).limit(2)) == "bc")
    #expect(try ids(all.offset(9).limit(2)) == "")
  }

  @Test func `narrow with every condition, and leave the query they came from as it was`() throws {
    let red = all.where(Field("color") == "red")
    #expect(try ids(red.where(Field("size") == 2)) == "a")
    #expect(try ids(red) == "ac")
    #expect(red.where(.always) != all)
    #expect(all.where(.always) == all)
  }

  private func ids(_ query: Query) throws -> String {
    try query.evaluate(hats).map(\.id.text).joined()
  }
}
