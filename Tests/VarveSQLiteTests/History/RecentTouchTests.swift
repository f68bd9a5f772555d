import Testing
import VarveCore
import VarveSQLite
import VarveTestSupport

@Suite("Touches that are sorted in later")
struct RecentTouchTests {
  private let scratch: Scratch
  private let path: String
  private let clock = TestClock()

  init() throws {
    scratch = try Scratch()
    path = scratch.path("store")
  }

  private func open(capacity: Int = 10) async throws -> SQLiteBackend {
    try await openBackend(path, clock: clock, touchCapacity: capacity)
  }

  /// Writes integers to the count of one of three hats, a commit.
  private func set(_ numbers: ClosedRange<Int>, in backend: any Backend) async throws {
    _ = try await backend.write(WriteRequest()) { writer in
      for number in numbers { try await Self.set(number, writer) }
    }
    clock.advance(by: 1)
  }

  private static func set(_ number: Int, _ writer: any BackendWriter) async throws {
    let hat = try EntityID("hat \(number % 3)")
    _ = try await writer.apply(
      .value(PropertyKey("count \(number % 30)"), .int(Int64(number)), semanticType: "int"),
      to: hat,
      time: nil
    )
  }

  private func create(in backend: any Backend) async throws {
    _ = try await backend.write(WriteRequest()) { writer in
      for number in 0..<3 {
        _ = try await writer.apply(
          .life(.created("Hat", datestamp: nil)),
          to: try EntityID("hat \(number)"),
          time: nil
        )
      }
    }
    clock.advance(by: 1)
  }

  /// The integers a hat's count had, the last first, over all its properties.
  private func history(_ backend: any Backend, hat: Int) async throws -> [Int64] {
    try await backend.read(at: .now) { reader in
      try await reader.history(of: try EntityID("hat \(hat)"), key: nil, limit: nil).compactMap {
        guard case .value(_, .int(let number), _) = $0.content else { return nil }
        return number
      }
    }
  }

  private func expected(_ hat: Int, _ last: Int) -> [Int64] {
    (0...last).filter { $0 % 3 == hat }.reversed().map(Int64.init)
  }

  @Test func `are seen by every open connection, before and after`() async throws {
    let (one, two) = (try await open(), try await open())
    try await create(in: one)
    var last = -1
    for count in [1, 1, 3, 8, 1, 25, 1, 9, 1, 1] {
      try await set((last + 1)...(last + count), in: count % 2 == 0 ? two : one)
      last += count
      for backend in [one, two] {
        for hat in 0..<3 { #expect(try await history(backend, hat: hat) == expected(hat, last)) }
      }
    }
    #expect(try await one.check { _ in }.findings == [])
    try await one.close()
    try await two.close()
    let again = try await open(capacity: 16_384)
    #expect(try await history(again, hat: 1) == expected(1, last))
    try await again.close()
  }

  @Test(arguments: [2, 40])
  func `touches that are sorted in later of a write that failed are gone`(count: Int) async throws {
    struct Refusal: Error {}
    let backend = try await open()
    try await create(in: backend)
    try await set(0...4, in: backend)
    #expect(try await history(backend, hat: 0) == expected(0, 4))
    await #expect(throws: Refusal.self) {
      _ = try await backend.write(WriteRequest()) { writer in
        for number in 5...(5 + count) { try await Self.set(number, writer) }
        throw Refusal()
      }
    }
    for hat in 0..<3 { #expect(try await history(backend, hat: hat) == expected(hat, 4)) }
    try await set(5...5, in: backend)
    #expect(try await history(backend, hat: 2) == expected(2, 5))
    #expect(try await backend.check { _ in }.findings == [])
    try await backend.close()
  }

  @Test func `of many entities and properties are found, in whatever order they were written`()
    async throws
  {
    let backend = try await open(capacity: 16_384)
    var random = SplitMix64(seed: 7)
    let ids = try (0..<300).map { try EntityID("entity \($0)") }
    var expected: [EntityID: Set<HybridTime>] = [:]
    var written: Set<String> = []
    for _ in 0..<40 {
      _ = try await backend.write(WriteRequest()) { writer in
        for _ in 0..<60 {
          let id = ids[Int.random(in: 0..<300, using: &random)]
          let key = Int.random(in: 0..<5, using: &random)
          let milliseconds = Int64.random(in: 1..<1_000, using: &random)
          let time = HybridTime(millisecondsSince1970: milliseconds * 7 + Int64(key))
          guard written.insert("\(id) \(key) \(time)").inserted else { continue }
          expected[id, default: []].insert(time)
          let content = Cell.Content.value(
            PropertyKey("key \(key)"),
            .int(milliseconds),
            semanticType: "int"
          )
          _ = try await writer.apply(content, to: id, time: time)
        }
      }
      clock.advance(by: 1)
      // Some are found before others are written.
      let id = ids[Int.random(in: 0..<300, using: &random)]
      let times = try await times(backend, id)
      #expect(times == (expected[id] ?? []).sorted(by: >))
    }
    for id in ids {
      let times = try await times(backend, id)
      #expect(times == (expected[id] ?? []).sorted(by: >))
    }
    #expect(try await backend.check { _ in }.findings == [])
    try await backend.close()
  }

  /// The times of the cells of an entity, latest first.
  private func times(_ backend: any Backend, _ id: EntityID) async throws -> [HybridTime] {
    try await backend.read(at: .now) { reader in
      try await reader.history(of: id, key: nil, limit: nil).map(\.time)
    }
  }

  @Test func `are distinguished from those before a rebuild, whose rows may have other numbers`()
    async throws
  {
    let (one, two) = (try await open(), try await open())
    try await create(in: one)
    try await set(0...6, in: one)
    #expect(try await history(two, hat: 0) == expected(0, 6))
    try await one.rebuild()
    #expect(try await history(two, hat: 0) == expected(0, 6))
    try await set(7...8, in: two)
    for hat in 0..<3 { #expect(try await history(one, hat: hat) == expected(hat, 8)) }
    #expect(try await two.check { _ in }.findings == [])
    try await one.close()
    try await two.close()
  }
}
