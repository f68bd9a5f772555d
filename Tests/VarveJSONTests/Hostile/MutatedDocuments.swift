import Foundation
import Testing
import VarveCore
import VarveJSON
import VarveStore
import VarveTestSupport

/// Reads corrupted input: it must be loaded, or refused with an error that gives the reason.
enum MutatedDocuments {
  /// A store with a little of everything.
  static func filled() async throws -> Store {
    let clock = TestClock()
    let store = try await makeStore(clock)
    try await store.as("sam").create(
      "Hat",
      id: "hat-1",
      [
        "size": 12, "weight": 0.25, "color": "red",
        "made": .date(Date(timeIntervalSinceReferenceDate: -0.000_123_456_789)),
        "tags": ["a", ["b": 1]], "shop": .reference("shop-1"), "raw": .data(Data([1, 2, 3])),
      ]
    )
    try await store.write { transaction in
      for index in 0..<3 {
        try await transaction.create("Hat", id: try EntityID("h\(index)"), ["size": .int(1)])
      }
    }
    clock.advance(by: 1_000)
    try await store.create("Shop", id: "shop-1", ["name": "é \"Chapeau\""])
    try await store.relate("shop-1", .owns, "hat-1", named: "hats")
    try await store.as("ana").set("hat-1", "color", "blue")
    try await store.write { transaction in
      try await transaction.setCollection("shop-1", "list", to: ["h0", "h1", "h0"], as: .list)
      try await transaction.remove("h1", "size")
      try await transaction.erase(["h2"])
    }
    try await store.write { try await $0.purge(["h0"]) }
    return store
  }

  /// Loads a corrupted document.
  ///
  /// - Returns: whether it was refused.
  static func load(_ bytes: [UInt8], into store: Store) async throws -> Bool {
    let count = try await store.commitCount
    do {
      try await store.load(DocumentSource(bytes: bytes))
      return false
    } catch is VarveError {
      let now = try await store.commitCount
      #expect(now == count, "a refused document left something: \(text(bytes))")
      return true
    }
  }

  /// Reads everything that was loaded.
  static func readAll(_ store: Store) async throws {
    for form in InterchangeForm.allCases { _ = try await store.document(form) }
    _ = try await store.conflicts()
    for type in try await store.types() {
      for entity in try await store.fetch(Query(type.type)) {
        _ = try await store.history(of: entity.id)
      }
    }
    let report = try await store.check()
    #expect(report.isClean, "\(report)")
  }

  /// Corrupts a document repeatedly.
  static func rounds(_ count: Int, of form: InterchangeForm, seed: UInt64) async throws {
    let document = Array(try await filled().document(form).utf8)
    var mutator = Mutator(seed: seed)
    var refused = 0
    for _ in 0..<count {
      let store = try await makeStore()
      let bytes = mutator.mutated(document)
      if try await load(bytes, into: store) { refused += 1 } else { try await readAll(store) }
    }
    #expect(refused > 0)
  }

  static func text(_ bytes: [UInt8]) -> String {
    String(decoding: bytes.suffix(400), as: UTF8.self)
  }
}

@Suite("Corrupted documents")
struct MutatedDocumentTests {
  @Test(arguments: InterchangeForm.allCases)
  func `are loaded or refused, wherever they are cut`(form: InterchangeForm) async throws {
    let document = Array(try await MutatedDocuments.filled().document(form).utf8)
    let store = try await makeStore()
    // The last bytes are the brackets and the line's end.
    for count in 0..<document.count - 8 {
      let isRefused = try await MutatedDocuments.load(Array(document.prefix(count)), into: store)
      #expect(isRefused, "\(MutatedDocuments.text(Array(document.prefix(count))))")
    }
  }

  @Test func `are refused if they end inside a number that is not the first`() async throws {
    let store = try await makeStore()
    let header = #"{"form":"full","version":1,"commits":[{"format":1,"kind":"cells","sequence":1"#
    for text in ["  7", "\n\n-1.5e3", #"{"entities": [ 12"#, #"{"version": 1"#, header] {
      let error = await failure { try await store.load(text) }
      let isWhole = !text.contains("{")
      #expect(error?.code == (isWhole ? .invalidInterchange : .invalidJSON), "\(text)")
    }
    #expect(try await store.commitCount == 0)
  }

  @Test(arguments: InterchangeForm.allCases)
  func `are loaded or refused, whatever is changed`(form: InterchangeForm) async throws {
    try await MutatedDocuments.rounds(100, of: form, seed: 1)
  }

  @Test func `a block with a salt of another length is refused`() async throws {
    let text = try await MutatedDocuments.filled().document(.full)
    let salt = try #require(text.firstRange(of: /"salt":"[^"]+"/))
    let short = text.replacingCharacters(in: salt, with: #""salt":"AAAA""#)
    let store = try await makeStore()
    #expect(await failure { try await store.load(short) }?.code == .damaged)
    #expect(try await store.commitCount == 0)
  }
}

/// The same for minutes, for `make soak`.
@Suite(
  "Soak: documents made wrong",
  .enabled(if: ProcessInfo.processInfo.environment["VARVE_SOAK"] == "1")
)
struct MutationSoakTests {
  @Test(arguments: InterchangeForm.allCases)
  func `are loaded or refused`(form: InterchangeForm) async throws {
    for seed in UInt64(2)..<12 { try await MutatedDocuments.rounds(2_000, of: form, seed: seed) }
  }

  @Test func `commits are appended or refused`() async throws {
    for seed in UInt64(2)..<12 { try await MutatedCommits.rounds(2_000, seed: seed) }
  }

  @Test func `imports, mappings and operations are accepted or refused`() async throws {
    for seed in UInt64(2)..<12 {
      try await MutatedImports.documents(2_000, seed: seed)
      try await MutatedImports.mappings(2_000, seed: seed)
      try await MutatedImports.operations(2_000, seed: seed)
    }
  }
}
