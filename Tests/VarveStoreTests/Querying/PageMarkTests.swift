import Foundation
import Testing
import VarveCore
import VarveStore

@Suite("The text of a page's mark")
struct PageMarkTests {
  private func store() async throws -> Store {
    let store = try await makeStore(.memory)
    for index in 0..<7 {
      let hat = Hat(id: Identifier(try EntityID("h\(index)")), index < 3 ? "é\(index)" : "", index)
      try await store.create(
        "hats",
        id: hat.id.entityID,
        index < 3 ? ["color": .string(hat.color), "brim_size": 8] : ["brim_size": 9, "color": "x"]
      )
    }
    return store
  }

  private let query = Hat.where { $0.brimSize > 7 }.order(by: \.color).order(by: \.shop)

  @Test func `the text of a page's mark continues with the next page, in URLs and in JSON`()
    async throws
  {
    let store = try await store()
    let all = try await store.fetch(query).map(\.id)
    var (found, text): ([Identifier<Hat>], String?) = ([], nil)
    repeat {
      let mark = try text.map { try PageMark($0) }
      let page = try await store.page(of: query, size: 2, after: mark)
      found += page.models.map(\.id)
      text = page.next?.text
      if let next = page.next, let text {
        let isPlain = text.allSatisfy {
          $0.isASCII && ($0.isLetter || $0.isNumber || "-_".contains($0))
        }
        #expect(isPlain)
        let coded = try JSONDecoder().decode([PageMark].self, from: JSONEncoder().encode([next]))
        #expect(coded == [next])
      }
    } while text != nil
    #expect(Set(found).count == 7 && Set(found) == Set(all))
  }

  @Test func `is the same in every process, whatever order sets have there`() async throws {
    let store = try await store()
    let narrow = query.where { $0.color.isIn(["é0", "é1", "é2"]) }
    let mark = try #require(try await store.page(of: narrow, size: 1).next)
    #expect(mark.text == "ARCURCmRJ5t5AM0wo7N-tzePAwEFBAPDqTAAAQQEAmgwHrJlCFeVd0w")
  }

  @Test func `the text of a page's mark is refused if a character is changed, missing or added`()
    async throws
  {
    let store = try await store()
    let text = try #require(try await store.page(of: query, size: 2).next).text
    for index in text.indices {
      var changed = text
      changed.replaceSubrange(index...index, with: text[index] == "A" ? "B" : "A")
      await expectRefusal(changed)
      changed.remove(at: index)
      await expectRefusal(changed)
    }
    for wrong in ["", "A", text + "A", text + "=", " " + text, "é", "AAAAAAAAAAAAAAAAAAAA"] {
      await expectRefusal(wrong)
    }
  }

  private func expectRefusal(_ text: String) async {
    let error = await failure { _ = try PageMark(text) }
    #expect(error?.code == .invalidArgument, "\(text)")
    let decoded = await failure {
      let json = try JSONEncoder().encode([text])
      _ = try JSONDecoder().decode([PageMark].self, from: json)
    }
    #expect(decoded?.code == .invalidArgument, "\(text)")
  }

  @Test func `the text of a page's mark is refused by another query`() async throws {
    let store = try await store()
    let text = try #require(try await store.page(of: query, size: 2).next).text
    let mark = try PageMark(text)
    let others = [
      Hat.all, query.order(by: \.brimSize), Hat.where { $0.brimSize > 8 }.order(by: \.color),
      Hat.where { $0.brimSize >= 7 }.order(by: \.color).order(by: \.shop), query.distinct,
      Hat.where { $0.brimSize > 7 }.order(by: \.color, descending: true).order(by: \.shop),
      query.including(["caps"]), query.where(sql: "1"),
    ]
    for other in others {
      let error = await failure { _ = try await store.page(of: other, size: 2, after: mark) }
      #expect(error?.code == .invalidArgument)
    }
  }

  @Test func `continues in a past state, after an undo and after its row was purged`() async throws
  {
    let store = try await store()
    let first = try await store.page(of: query, size: 2)
    let text = try #require(first.next).text
    let frontier = try await store.frontier()
    try await store.purge([try #require(first.models.last).id.entityID])
    let rest = try await store.page(of: query, size: 9, after: try PageMark(text)).models
    #expect(rest.count == 5)
    try await store.erase("h2")
    let past = try await store.asOf(frontier).page(of: query, size: 9, after: try PageMark(text))
    #expect(past.models.count == 5)
  }
}
