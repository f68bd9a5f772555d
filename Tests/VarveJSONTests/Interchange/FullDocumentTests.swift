import Foundation
import Testing
import VarveCore
import VarveJSON
import VarveStore
import VarveTestSupport

@Suite("A full document")
struct FullDocumentTests {
  let clock = TestClock()

  private func filled() async throws -> Store {
    let store = try await makeStore(clock)
    try await store.as("sam").create("t", id: "a", ["x": 1])
    clock.advance(by: 1_000)
    try await store.as("ana").set("a", "x", 2)
    try await store.create("t", id: "b")
    try await store.write { tx in try await tx.relate("a", .owns, "b") }
    try await store.erase("a")
    return store
  }

  @Test func `brings history, authors and erased entities`() async throws {
    let store = try await filled()
    let copy = try await makeStore(clock)
    let report = try await copy.load(try await store.document(.full))
    #expect(report.importedCount == 5 && report.merge?.commitCount == 5)
    #expect(try await copy.history(of: "a", "x").map(\.author) == ["ana", "sam"])
    #expect(try await copy.frontier() == store.frontier())
    try await copy.restore("a")
    #expect(try await copy.relatedIDs("a", .owns) == ["b"])
  }

  @Test func `is reported to observers before loading returns`() async throws {
    let store = try await makeStore(clock)
    try await store.create("t", id: "b")
    let copy = try await makeStore(clock)
    let changes = try await copy.changes()
    try await copy.load(try await store.document(.full))
    let change = try #require(changes.poll())
    #expect(change.origin == .merge && change.action == .merge && change.added == ["b"])
    try await copy.load(try await store.document(.compact))
    #expect(changes.poll() == nil)
    try await store.set("b", "x", 1)
    try await copy.load(try await store.document(.compact))
    #expect(changes.poll()?.action == .import)
  }

  @Test func `is merged into the present content`() async throws {
    let store = try await filled()
    let copy = try await makeStore(clock)
    try await copy.create("t", id: "c")
    try await copy.load(try await store.document(.full))
    #expect(try await copy.log().count == 6)
    #expect(try await copy.entity("c") != nil)
  }

  @Test func `that was changed anywhere is refused entirely`() async throws {
    let text = try await filled().document(.full)
    let changes = [
      ("\"author\":\"ana\"", "\"author\":\"ann\""), ("\"counter\":0", "\"counter\":1"),
      ("\"ordinals\":", "\"ordinals\":1"), ("\"stored\":\"A", "\"stored\":\"B"),
      ("\"salt\":\"", "\"salt\":\"AAAA"),
    ]
    for (old, new) in changes {
      let copy = try await makeStore(clock)
      let range = try #require(text.range(of: old, options: .backwards))
      let error = await failure {
        try await copy.load(text.replacingCharacters(in: range, with: new))
      }
      #expect(error?.code == .damaged, "\(new): \(String(describing: error))")
      #expect(try await copy.log().isEmpty)
    }
  }

  @Test func `that is cut off anywhere leaves nothing`() async throws {
    let text = Array(try await filled().document(.full).utf8)
    let copy = try await makeStore(clock)
    for count in stride(from: 0, to: text.count - 2, by: 37) {
      let part = Array(text[..<count])
      let error = await failure { try await copy.load(DocumentSource(bytes: part)) }
      #expect(error?.code == .invalidJSON, "\(count): \(String(describing: error))")
    }
    #expect(try await copy.log().isEmpty)
    #expect(try await copy.load(DocumentSource(bytes: text)).importedCount == 5)
  }

  @Test func `without a commit that others need is refused`() async throws {
    let lines = try await filled().document(.full).split(separator: "\n").map(String.init)
    // The head, then a line for each commit and one for its block.
    let copy = try await makeStore(clock)
    let error = await failure {
      try await copy.load(([lines[0]] + lines[3...]).joined(separator: "\n"))
    }
    #expect(error?.code == .missingDependencies)
    #expect(error?.remedy?.contains("export it again") == true)
  }

  @Test func `with the blocks before other members reports which member must come first`()
    async throws
  {
    let text = try await filled().document(.full)
    let copy = try await makeStore(clock)
    let moved = text.replacing("\"kind\":\"cells\",", with: "")
    let error = await failure { try await copy.load(moved) }
    #expect(error?.code == .invalidInterchange)
    #expect(error?.message == "\"kind\" is missing: it must be before \"blocks\"")
  }

  @Test(.timeLimit(.minutes(1)))
  func `is not exported inside a write of the store`() async throws {
    let store = try await filled()
    try await store.write { _ in
      let error = await failure { try await store.export(.full) { _ in } }
      #expect(error?.code == .nestedTransaction)
      let compact = await failure { try await store.export(.compact) { _ in } }
      #expect(compact?.code == .nestedTransaction)
    }
  }

  @Test(arguments: [false, true])
  func `with a commit too large to be buffered survives a round trip`(isTorn: Bool) async throws {
    let store = try await makeStore(clock)
    var random = SplitMix64(seed: 7)
    func noise(_ count: Int) -> Value {
      let words = (0..<count / 8).map { _ in random.next() }
      return .data(words.withUnsafeBytes { Data($0) })
    }
    try await store.write { tx in
      for index in 0..<20 {
        let size = index == 12 ? 3 << 20 : 600_000
        try await tx.create("t", id: EntityID("e\(index)"), ["x": noise(size), "y": 1])
      }
      try await tx.set("e3", "y", 2)
    }
    var text = try await store.document(.full)
    let copy = try await makeStore(clock)
    if isTorn {
      // The last block is that of the last cells.
      let last = try #require(text.range(of: ",\n{\"salt\"", options: .backwards))
      text = String(text[..<last.lowerBound]) + "]}\n]}\n"
      #expect(await failure { try await copy.load(text) }?.code == .damaged)
      #expect(try await copy.types().isEmpty)
      #expect(try await copy.log().isEmpty)
    } else {
      #expect(try await copy.load(text).importedCount == 1)
      #expect(try await copy.records(.normalized) == store.records(.normalized))
      #expect(try await copy.document(.full) == text)
      #expect(try await copy.check().findings == [])
      #expect(try await copy.load(text).importedCount == 0)
    }
  }
}
