import Foundation
import Testing
import VarveCore
import VarveStore
import VarveTestSupport

/// Searches of random texts, at the present and at past states, against an evaluation in memory.
@Suite("Random searches")
struct SearchTrialTests {
  private static let words = [
    "hat", "hats", "cap", "caps", "café", "cafe", "Felt", "wool", "bowler", "owl", "über", "uber",
  ]
  private static let terms = [
    "hat", "HATS", "ca*", "cafe", "café", "wool hat", "\"wool hat\"", "\"felt cap\" wool", "b*",
    "owl", "uber felt", "bowler", "\"hat wool\" ca*", "none",
  ]
  private static let keys: [PropertyKey] = ["title", "body", "old"]

  private let clock = TestClock()

  @Test(arguments: 0..<4)
  func `random searches find what is there, in any state`(seed: UInt64) async throws {
    try await play(seed, [.words, .words], steps: 40)
  }

  @Test(arguments: SearchTokenizer.allCases)
  func `random searches find it with every tokenizer`(tokenizer: SearchTokenizer) async throws {
    try await play(11, [tokenizer, tokenizer], steps: 30)
    try await play(12, [tokenizer, .words], steps: 30)
  }

  private func play(_ seed: UInt64, _ tokenizers: [SearchTokenizer], steps: Int) async throws {
    var random = SplitMix64(seed: seed)
    let store = try await makeStore(seed % 2 == 0 ? .file : .memory, clock: clock)
    try await store.addSearch(on: ["title", "old"], of: "Note", by: tokenizers[0])
    try await store.addSearch(on: ["body"], of: "Note", by: tokenizers[1])
    let naive = NaiveSearch(
      tokenizers: ["title": tokenizers[0], "old": tokenizers[0], "body": tokenizers[1]],
      older: ["title": ["old"]]
    )
    var states: [any Reading] = [store]
    for _ in 0..<steps {
      try await change(store, &random)
      clock.advance(by: 10)
      if random.next() % 6 == 0 {
        states.append(store.asOf(try await store.frontier()))
        states.append(try store.asOf(clock.date()))
      }
    }
    // A state is read after later ones and before, so that its tables move in both directions.
    for _ in 0..<2 {
      states.shuffle(using: &random)
      for state in states { try await compare(state, naive, &random) }
    }
    #expect(try await store.check().findings == [])
    try await store.close()
  }

  private func change(_ store: Store, _ random: inout SplitMix64) async throws {
    let id = try EntityID("n\(random.next() % 9)")
    let key = Self.keys[Int(random.next() % 3)]
    let text = value(&random)
    let isThere = try await store.exists(id)
    switch random.next() % 8 {
    case 0 where isThere: try await store.erase(id)
    case 1 where isThere: try await store.remove(id, key)
    // It is refused if the life began later.
    case 2 where isThere: _ = try? await store.set(id, key, text, at: clock.date(before: 25))
    default:
      if isThere {
        try await store.set(id, key, text)
      } else {
        try await store.revive(id, key, text)
      }
    }
  }

  /// Returns a text, or a value of another kind: a property's first decides what its column has.
  private func value(_ random: inout SplitMix64) -> Value {
    switch random.next() % 12 {
    case 0: .int(7)
    case 1: .reference("n1")
    case 2: ["hat", "cap"]
    default:
      .string(
        (0..<Int(random.next() % 5) + 1).map { _ in Self.words[Int(random.next() % 12)] }
          .joined(separator: " ")
      )
    }
  }

  private func compare(
    _ state: some Reading,
    _ naive: NaiveSearch,
    _ random: inout SplitMix64
  ) async throws {
    let entities = try await state.fetch(Query("Note"))
    let text = Self.terms[Int(random.next() % UInt64(Self.terms.count))]
    let title = Field.firstOf("title", ["old"])
    for (fields, keys) in [([title], ["title"]), ([title, Field("body")], ["title", "body"])]
      as [([Field], [PropertyKey])]
    {
      let found = try await state.fetch(Query("Note").where(.matches(text, fields)))
      #expect(Set(found.map(\.id)) == naive.found(text, in: keys, of: entities), "\(text)")
    }
    try await compareRelevance(state, naive, text)
  }

  /// Relevance depends on all searchable properties of a tokenizer, so one property is alone here.
  private func compareRelevance(
    _ state: some Reading,
    _ naive: NaiveSearch,
    _ text: String
  ) async throws {
    guard naive.tokenizers["body"] != naive.tokenizers["title"] else { return }
    let entities = try await state.fetch(Query("Note"))
    let query = Query("Note").matching(text, in: ["body"], byRelevance: true)
    let ranked = try await state.fetch(query).map(\.id)
    let expected = naive.relevances(text, in: ["body"], of: entities)
    let matching = naive.found(text, in: ["body"], of: entities)
    #expect(Set(ranked) == matching)
    for (one, next) in zip(ranked, ranked.dropFirst()) {
      #expect(expected[one] ?? 0 >= (expected[next] ?? 0) - 1e-9, "\(text): \(one), \(next)")
    }
  }
}

extension TestClock {
  fileprivate func date(before: Int64 = 0) -> Date {
    Date(timeIntervalSince1970: Double(now - before) / 1_000)
  }
}

extension Store {
  /// Creates an entity, or creates it anew.
  fileprivate func revive(_ id: EntityID, _ key: PropertyKey, _ text: Value) async throws {
    try await create("Note", id: id, [key: text])
  }
}
