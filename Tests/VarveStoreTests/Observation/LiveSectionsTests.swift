import Testing
import VarveCore
import VarveStore
import VarveTestSupport

@MainActor
@Suite("Live sections and pages")
struct LiveSectionsTests {
  private func store(_ count: Int, _ engine: Engine) async throws -> Store {
    let store = try await makeStore(engine)
    let colors = ["red", "blue", "green"]
    try await store.save((0..<count).map { Hat(colors[$0 % 3], 5 + $0 % 11) })
    return store
  }

  @Test(arguments: Engine.allCases)
  func `group the rows of a query in the order of their keys`(engine: Engine) async throws {
    let store = try await store(30, engine)
    let query = Hat.where { $0.brimSize > 6 }.order(by: \.brimSize)
    let hats = LiveSections(query, by: \.color, in: store)
    #expect(hats.isLoading && hats.sections.isEmpty)
    try await hats.settle()
    let all = try await store.fetch(query)
    #expect(hats.sections.map(\.key) == ["blue", "green", "red"])
    for section in hats.sections {
      let own = all.filter { $0.color == section.key }
      #expect(section.count == own.count && section.models.count == own.count)
      #expect(section.models.map(\.brimSize) == own.map(\.brimSize))
    }
    let moved = try #require(hats.sections.first?.models.first)
    try await store.update(moved.id) { $0.set(\.color, "zinc") }
    try await hats.settle()
    #expect(hats.sections.map(\.key) == ["blue", "green", "red", "zinc"])
    #expect(hats.sections.last?.models.map(\.id) == [moved.id])
    let descending = LiveSections(query, by: \.color, descending: true, in: store)
    try await descending.settle()
    #expect(descending.sections.map(\.key) == ["zinc", "red", "green", "blue"])
    let bySize = LiveSections(Hat.all, by: \.brimSize, in: store)
    try await store.save(Hat("plain"))
    try await bySize.settle()
    #expect(bySize.sections.first?.key == .some(nil) && bySize.sections.count == 12)
  }

  @Test func `take the first rows of a limited query in the order of the sections`() async throws {
    let store = try await store(30, .memory)
    let query = Hat.all.order(by: \.brimSize, descending: true).limit(12)
    let hats = LiveSections(query, by: \.color, in: store)
    try await hats.settle()
    #expect(hats.sections.map(\.key) == ["blue", "green"])
    #expect(hats.sections.map { [$0.count, $0.models.count] } == [[10, 10], [2, 2]])
    let paged = LiveSections(query, by: \.color, in: store, pageSize: 11)
    try await paged.settle()
    #expect(paged.sections.map { [$0.count, $0.models.count] } == [[10, 10], [2, 1]])
    #expect(paged.hasMore)
    paged.loadMore()
    try await paged.settle()
    #expect(paged.sections.map(\.models.count) == [10, 2] && !paged.hasMore)
  }

  @Test func `are one for texts that are equal, though their bytes differ`() async throws {
    let store = try await makeStore(.memory)
    try await store.save(["\u{E9}", "e\u{301}", "f", "e\u{301}"].map { Hat($0) })
    let hats = LiveSections(Hat.all, by: \.color, in: store, pageSize: 2)
    try await hats.settle()
    #expect(hats.sections.map { [$0.count, $0.models.count] } == [[3, 2]])
    hats.loadMore()
    try await hats.settle()
    #expect(hats.sections.map { [$0.count, $0.models.count] } == [[3, 3], [1, 1]])
  }

  @Test func `count all rows of a section of which a page is loaded`() async throws {
    let store = try await store(30, .memory)
    let hats = LiveSections(Hat.all, by: \.color, in: store, pageSize: 12)
    try await hats.settle()
    #expect(hats.sections.map { [$0.count, $0.models.count] } == [[10, 10], [10, 2]])
    #expect(hats.hasMore)
    let early = try #require(hats.sections.first?.models.first)
    hats.loadMore(near: early)
    #expect(!hats.isLoading)
    let late = try #require(hats.sections.last?.models.last)
    hats.loadMore(near: late)
    hats.loadMore()
    try await hats.settle()
    #expect(hats.sections.map { [$0.count, $0.models.count] } == [[10, 10], [10, 10], [10, 4]])
    hats.loadMore()
    try await hats.settle()
    #expect(!hats.hasMore && hats.sections.map(\.models.count) == [10, 10, 10])
    hats.query = Hat.where { $0.color != "green" }
    try await hats.settle()
    #expect(hats.sections.map { [$0.count, $0.models.count] } == [[10, 10], [10, 2]])
  }

  @Test(
    arguments: Engine.allCases
  )
  func `load page after page, and stay complete while rows come and go`(engine: Engine) async throws
  {
    let store = try await store(25, engine)
    let query = Hat.all.order(by: \.brimSize).order(by: \.color)
    let hats = LivePages(query, in: store, pageSize: 10)
    #expect(hats.models.isEmpty && !hats.hasMore)
    hats.loadMore()
    try await hats.settle()
    #expect(hats.models.count == 10 && hats.hasMore)
    hats.loadMore()
    hats.loadMore()
    #expect(hats.isLoading)
    try await hats.settle()
    #expect(hats.models.count == 20)
    try await store.erase(Array(hats.models.prefix(3)))
    try await store.save(Hat("aaa", 5))
    try await hats.settle()
    #expect(hats.models.map(\.id) == (try await store.fetch(query.limit(20))).map(\.id))
    let last = try #require(hats.models.last)
    hats.loadMore(near: last)
    try await hats.settle()
    #expect(hats.models.count == 23 && !hats.hasMore)
    hats.loadMore(near: last)
    #expect(!hats.isLoading)
    hats.query = query.limit(7)
    try await hats.settle()
    #expect(hats.models.count == 7 && !hats.hasMore)
  }

  @Test(arguments: [Int.min, 0, Int.max])
  func `live sections and pages have pages of any size`(size: Int) async throws {
    let store = try await store(5, .memory)
    let hats = LivePages(Hat.all, in: store, pageSize: size)
    let sections = LiveSections(Hat.all, by: \.color, in: store, pageSize: size)
    try await hats.settle()
    try await sections.settle()
    #expect(hats.models.count == (size > 0 ? 5 : 1))
    hats.loadMore()
    try await hats.settle()
    #expect(hats.models.count == (size > 0 ? 5 : 2))
  }

  @Test(arguments: Engine.allCases)
  func `have the first rows at once where they can be read in time`(engine: Engine) async throws {
    let store = try await store(30, engine)
    let hats = LiveResults(Hat.all, in: store, firstWithin: .seconds(30))
    #expect(!hats.isLoading && hats.models.count == 30)
    let pages = LivePages(Hat.all, in: store, pageSize: 4, firstWithin: .seconds(30))
    #expect(!pages.isLoading && pages.models.count == 4 && pages.hasMore)
    let sections = LiveSections(Hat.all, by: \.color, in: store, firstWithin: .seconds(30))
    #expect(!sections.isLoading && sections.sections.count == 3)
    // What was written between the first read and the subscription is not missed.
    try await store.save(Hat("new"))
    try await hats.settle()
    #expect(hats.models.count == 31)
    let never = LiveResults(Hat.all, in: store, firstWithin: .nanoseconds(1))
    #expect(never.isLoading == never.models.isEmpty)
    try await never.settle()
    #expect(never.models.count == 31)
    let past = LiveResults(Hat.all, in: store, at: try .at(.test(0)), firstWithin: .seconds(30))
    #expect(past.isLoading)
  }

  @Test func `live sections and pages apply each change once, also if the closure does not`()
    async throws
  {
    let store = try await store(3, .memory)
    let hats = LiveResults(Hat.all, in: store)
    try await hats.settle()
    var count = 0
    hats.applying = { change in
      count += 1
      if count == 1 { for _ in 0..<2 { change() } }
    }
    for number in 4...5 {
      try await store.save(Hat("new"))
      try await hats.settle()
      #expect(hats.models.count == number)
    }
    #expect(count == 2)
  }
}
