import CSQLite
import Foundation
import Testing
import VarveCore
import VarveSQLite
import VarveStore
import VarveTestSupport

/// A small closed store file with everything that a store file can contain, and its contents.
struct EverythingStore {
  let scratch: Scratch
  let path: String
  /// The file, with the log moved into it.
  let bytes: [UInt8]
  /// The results of all reads of it.
  let answers: [String]

  private static let ids: [EntityID] = [
    "hat 1", "hat 2", "hat 3", "odd", "shop", "box", "lost", "secret", "apart", "later",
    "018f2b6e-0000-7000-8000-000000000001",
  ]
  private static let start: Int64 = 1_700_000_000_000

  /// - Parameters:
  ///   - smallPages: whether pages have 512 bytes, so that less of the file is empty.
  ///   - key: the key of the file; nil for a plain one.
  init(smallPages: Bool = false, key: StoreKey? = nil) async throws {
    scratch = try Scratch()
    path = scratch.path("store")
    let clock = TestClock(milliseconds: Self.start)
    let backend = try await openBackend(path, clock: clock, touchCapacity: 8, key: key)
    let store = Store(backend: backend)
    let other = Store(backend: try await openBackend(clock: clock))
    try await store.addIndex(on: "size", of: "Hat")
    try await store.addSearch(on: ["name"], of: "Hat")
    try await Self.fill(store, clock)
    try await Self.mergeConflicts(store, other, clock)
    try await Self.forget(store, other, clock)
    try await other.close()
    answers = try await Self.answers(of: backend)
    try await store.close()
    if smallPages { try Self.shrinkPages(path) }
    bytes = Array(FileManager.default.contents(atPath: path) ?? Data())
  }

  /// Writes a closed store's file again with pages of 512 bytes.
  private static func shrinkPages(_ path: String) throws {
    var handle: OpaquePointer?
    defer { sqlite3_close(handle) }
    let sql = """
      PRAGMA journal_mode = DELETE; PRAGMA page_size = 512; VACUUM; PRAGMA journal_mode = WAL
      """
    try #require(sqlite3_open(path, &handle) == SQLITE_OK)
    try #require(sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK)
  }

  private static func fill(_ store: Store, _ clock: TestClock) async throws {
    try await store.write { tx in
      try await tx.create("Hat", id: "hat 1", ["name": "red bowler", "size": 7, "worn": true])
      try await tx.create("Hat", id: "hat 2", ["name": "blue cap", "size": 9, "price": 1.5])
      try await tx.create("Hat", id: "hat 3", ["name": "green cap", "size": 8])
      try await tx.create(
        "Shop",
        id: "shop",
        [
          "since": .date(Date(timeIntervalSinceReferenceDate: 1)), "first": .reference("hat 1"),
          "tags": .array(["a", 1]), "more": .dictionary(["k": .data(Data([1, 2]))]),
        ]
      )
      try await tx.create("Box", id: "018f2b6e-0000-7000-8000-000000000001", ["n": 1])
    }
    clock.advance(by: 10)
    try await store.create("Odd type!", id: "odd", ["odd key!": 1, "size": .double(.nan)])
    try await store.set("hat 1", "size", "large")
    try await store.set("hat 2", "name", "navy cap", semanticType: "title")
    try await store.relate("shop", .owns, "box")
    try await store.create("Box", id: "box", ["n": 2])
    // Dated before an entity whose row precedes it.
    try await store.create(
      "Box",
      id: "old",
      ["n": 0],
      at: Date(timeIntervalSince1970: 1_500_000_000)
    )
    try await store.relate("hat 1", .free, "shop", named: "seen in")
    _ = try await store.setCollection("shop", "hats", to: ["hat 2", "hat 1", "hat 2"])
    try await store.set("hat 3", "size", 6, at: Date(timeIntervalSince1970: 1_600_000_000))
    try await store.set("hat 3", "size", 5, at: Date(timeIntervalSince1970: 1_900_000_000))
    clock.advance(by: 10)
    let noise = Data((0..<3_000).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 3) })
    try await store.create("Film", id: "lost", ["bytes": .data(noise), "note": "gone"])
    _ = try await store.erase("lost")
  }

  private static func mergeConflicts(
    _ store: Store,
    _ other: Store,
    _ clock: TestClock
  ) async throws {
    try await other.merge(from: store)
    clock.advance(by: 10)
    try await store.set("hat 2", "size", 10)
    try await other.set("hat 2", "size", 11)
    try await other.create("Hat", id: "apart", ["name": "apart", "size": 1])
    _ = try await store.erase("shop")
    try await other.set("box", "n", 3)
    try await store.merge(from: other)
    _ = try await store.restore("shop")
  }

  private static func forget(_ store: Store, _ other: Store, _ clock: TestClock) async throws {
    clock.advance(by: 10)
    try await store.create("Person", id: "secret", ["name": "to be forgotten"])
    _ = try await store.purge(["secret"])
    // From a clock that is wrong: it waits.
    clock.advance(by: 3_600_000)
    try await other.create("Hat", id: "later", ["name": "withheld"])
    clock.advance(by: -3_600_000)
    try await store.merge(from: other)
  }

  /// The results of all reads, as text.
  static func answers(of backend: any Backend) async throws -> [String] {
    var lines = ["own \(try await backend.replica())", "\(try await backend.frontier())"]
    let past = Moment.time(HybridTime(millisecondsSince1970: start + 5).endOfMillisecond)
    for moment in [.now, past] {
      lines += try await CanonicalExport(of: backend, at: moment, ids: ids).lines
    }
    for query in queries {
      lines.append("\(try await backend.read(at: .now) { try await $0.fetch(query).map(\.id) })")
    }
    lines += try await backend.read(at: .now) { reader in
      [
        "\(try await reader.valueConflicts())", "\(try await reader.unseenDeaths())",
        "\(try await reader.log(limit: nil, offset: 0))",
        "\(try await reader.idsInCreationOrder())",
      ]
    }
    lines.append("\(try await backend.withheldCommits().map(\.id))")
    return lines
  }

  private static let queries: [Query] = [
    Query("Hat").where(Field("size") > 5), Query("Hat").where(Field("size") == 9),
    Query("Hat").where(Field("size") == "large"), Query("Hat").order(by: Field("size")),
    Query("Hat").order(by: Field("name"), descending: true),
    Query("Hat").where(Field("worn") == true),
    Query("Hat").where(.matches("cap", [Field("name")])),
    Query("Hat").where(.matches("nav*", [Field("name")])),
    Query("Hat").where(.matches("blue", [Field("name")])),
    Query("Hat").order(by: .modified), Query("Hat").where(.isMissing(Field("price"))),
    Query("Shop").where(Field("first") == .reference("hat 1")),
    Query("Hat").where(.hasPrefix(.identifier, "hat")),
  ]

  /// Opens the file at the path, with the same clock as before.
  func open(_ path: String? = nil, key: StoreKey? = nil) async throws -> SQLiteBackend {
    let clock = TestClock(milliseconds: Self.start + 100)
    return try await openBackend(path ?? self.path, clock: clock, touchCapacity: 8, key: key)
  }

  /// The effect of a changed file.
  enum Outcome: Equatable {
    /// The store cannot be opened.
    case refused
    /// The check reports the damage, or fails.
    case found
    /// All results are the same, or throw.
    case harmless
    /// A result differs, and the check is clean.
    case wrong(String)
  }

  /// Opens, checks and reads the file at a path.
  ///
  /// - Throws: errors that are not a ``VarveError``.
  func outcome(_ path: String) async throws -> Outcome {
    let backend: SQLiteBackend
    do { backend = try await open(path) } catch is VarveError { return .refused }
    do {
      let outcome = try await outcome(of: backend)
      try? await backend.close()
      return outcome
    } catch {
      try? await backend.close()
      guard error is VarveError else { throw error }
      return .found
    }
  }

  private func outcome(of backend: SQLiteBackend) async throws -> Outcome {
    guard try await backend.findings() == [] else { return .found }
    let answers = try await Self.answers(of: backend)
    guard answers != self.answers else { return .harmless }
    let index = zip(answers, self.answers).prefix { $0 == $1 }.count
    let line = { (lines: [String]) in index < lines.count ? lines[index] : "(the end)" }
    return .wrong("\(line(self.answers)) became \(line(answers))")
  }
}
