#if CommandLine && Server
import Foundation
import Testing
import VarveCore
import VarvePostgres
import VarveStore
import VarveTestSupport

@Suite(
  "Tables that show a space",
  .enabled(
    if: PostgresCluster.absence == nil,
    "PostgreSQL is not installed: make setup-tests does it"
  )
)
struct ProjectionTests {
  private let schema = "shown_\(SpaceID.random().text.prefix(8))"
  private let store: Store
  private let home: PostgresHome
  private let projection: PostgresProjection

  init() async throws {
    store = try await Store.open(.inMemory)
    home = try await PostgresHome(PostgresCluster.url())
    projection = try PostgresProjection(try await PostgresCluster.url(), schema: schema)
  }

  /// Returns whether a condition on the tables holds; `$` stands for the schema.
  private func holds(_ condition: String) async throws -> Bool {
    let schema = "\"\(schema)\""
    return try await home.administer(["SELECT (\(condition.replacing("$", with: schema)))::bool"])
      == 1
  }

  @Test func `have a table for each type and a typed column for each property`() async throws {
    let date = Date(timeIntervalSince1970: 1_500_000_000.25)
    try await store.create(
      "Hat",
      id: "hat",
      [
        "flag": .bool(true), "size": 12, "price": .double(0.5), "color": "red",
        "since": .date(date),
        "picture": .data(Data([0, 255])), "shop": .reference("shop"), "tags": .array(["a", "b"]),
      ]
    )
    let report = try await projection.update(from: store)
    #expect(report.entityCount == 1)
    #expect(report.isRebuilt)
    #expect(
      try await holds(
        """
        SELECT flag AND size = 12 AND price = 0.5 AND color = 'red' AND picture = '\\x00ff'
          AND since = to_timestamp(1500000000.25) AND shop = 'shop' AND tags->'array'->>1 = 'b'
        FROM $."Hat" WHERE _id = 'hat'
        """
      )
    )
  }

  @Test func `take in what changed, once, however often they are updated`() async throws {
    for number in 0..<5 { try await store.create("Hat", id: EntityID("hat-\(number)"), ["n": 1]) }
    _ = try await projection.update(from: store)
    #expect(try await projection.update(from: store).entityCount == 0)
    try await store.set("hat-1", "n", 2)
    try await store.erase("hat-2")
    try await store.create("Cap", id: "cap", ["n": 3])
    let report = try await projection.update(from: store)
    #expect(report.entityCount == 3)
    #expect(!report.isRebuilt)
    #expect(
      try await holds(
        "SELECT array_agg(_id ORDER BY _id) = '{hat-0,hat-1,hat-3,hat-4}' FROM $.\"Hat\""
      )
    )
    #expect(try await holds("SELECT n = 2 FROM $.\"Hat\" WHERE _id = 'hat-1'"))
    #expect(try await holds("SELECT n = 3 FROM $.\"Cap\""))
    #expect(try await holds("SELECT count(*) = 2 FROM $._history WHERE id = 'hat-1' AND key = 'n'"))
    #expect(
      try await holds(
        "SELECT count(*) = 1 FROM $._history WHERE id = 'hat-2' AND change = 'erased'"
      )
    )
  }

  @Test func `are made anew after a compaction, without what it destroyed`() async throws {
    try await store.create("Hat", id: "hat", ["n": 1])
    _ = try await projection.update(from: store)
    try await store.set("hat", "n", 2)
    // A life that changed makes the former state one that has to be read.
    try await store.create("Hat", id: "later", ["n": 1])
    try await Task.sleep(for: .milliseconds(20))
    #expect(try await store.compact(keeping: .milliseconds(1)).cellCount == 1)
    let report = try await projection.update(from: store)
    #expect(report.isRebuilt)
    #expect(report.entityCount == 2)
    #expect(try await holds("SELECT count(*) = 1 FROM $._history WHERE id = 'hat' AND key = 'n'"))
    #expect(try await holds("SELECT n = 2 FROM $.\"Hat\" WHERE _id = 'hat'"))
    try await store.set("hat", "n", 3)
    let next = try await projection.update(from: store)
    #expect(next.entityCount == 1 && !next.isRebuilt)
    #expect(try await holds("SELECT count(*) = 2 FROM $._history WHERE id = 'hat' AND key = 'n'"))
  }

  @Test func `are the same whether they are updated step by step or made anew`() async throws {
    try await store.create("Cap", id: "cap", ["n": 1])
    for number in 0..<30 {
      let id = try EntityID("hat-\(number % 7)")
      switch number % 5 {
      case 0: _ = try? await store.save("Hat", id: id, ["n": .int(Int64(number))])
      case 1: _ = try? await store.save("Hat", id: id, ["n": .string("\(number)"), "o": 1])
      case 2: _ = try? await store.relate("hat-0", .owns, id)
      case 3: _ = try? await store.save("Cap", id: id, ["n": .double(0.5)])
      default: _ = try? await store.erase(id)
      }
      _ = try await projection.update(from: store)
    }
    try await expectAsAnew(["\"Hat\"", "\"Cap\"", "_links", "_history"])
  }

  /// Expects that tables have the rows that they have if they are made anew.
  private func expectAsAnew(_ tables: [String]) async throws {
    let fresh = try PostgresProjection(try await PostgresCluster.url(), schema: "\(schema)_anew")
    _ = try await fresh.update(from: store)
    for table in tables {
      let rows = "SELECT to_jsonb(row) FROM"
      #expect(
        try await holds(
          """
          SELECT NOT EXISTS ((\(rows) $.\(table) AS row EXCEPT ALL \(rows) "\(schema)_anew".\(table) AS row)
            UNION ALL (\(rows) "\(schema)_anew".\(table) AS row EXCEPT ALL \(rows) $.\(table) AS row))
          """
        ),
        "\(table)"
      )
    }
    await fresh.close()
  }

  @Test func `follow a store, each change once, although connections and those who follow it end`()
    async throws
  {
    try await store.create("Hat", id: "hat", ["n": 0])
    let url = try await PostgresCluster.url(application: schema)
    var count: Int64 = 0
    for _ in 0..<3 {
      let projection = try PostgresProjection(url, schema: schema)
      let following = Task { [store] in try await projection.follow(store) }
      for _ in 0..<10 {
        count += 1
        try await store.set("hat", "n", .int(count))
        try await home.administer([
          """
          SELECT pg_terminate_backend(pid) FROM pg_stat_activity
          WHERE application_name = '\(schema)' AND random() < 0.3
          """
        ])
      }
      // The last round ends with what was written last.
      if count == 30 {
        while try await !isShown(count) { try await Task.sleep(for: .milliseconds(20)) }
      }
      following.cancel()
      try await following.value
      await projection.close()
    }
    try await expectAsAnew(["\"Hat\"", "_history"])
  }

  @Test func `are kept up to date by varve project --watch, after its end by the next`()
    async throws
  {
    let scratch = try Scratch()
    let file = scratch.path("hats.varve")
    _ = try await HostProcess.varve("init", file)
    _ = try await HostProcess.varve("set", file, "hat", "--type", "Hat", "n=1")
    let url = try await PostgresCluster.url()
    for number in 1...2 {
      let arguments = ["project", file, "--into", url, "--schema", schema, "--watch"]
      let watching = try ChildProcess(HostProcess.executable, arguments).start()
      for n in [Int64(2 * number), Int64(2 * number + 1)] {
        // Another process writes.
        _ = try await HostProcess.varve("set", file, "hat", "n=\(n)")
        while try await !isShown(n) { try await Task.sleep(for: .milliseconds(20)) }
      }
      watching.signal(SIGTERM)
      try await watching.wait()
    }
    #expect(try await holds("SELECT count(*) = 5 FROM $._history WHERE id = 'hat' AND key = 'n'"))
  }

  /// Returns whether the table shows a value.
  private func isShown(_ n: Int64) async throws -> Bool {
    // Until the first update there is no table.
    (try? await holds("SELECT n::text = '\(n)' FROM $.\"Hat\" WHERE _id = 'hat'")) ?? false
  }

  @Test func `tables that show a space lose what is purged`() async throws {
    try await store.create("Hat", id: "hat", ["secret": "plain secret"])
    _ = try await projection.update(from: store)
    #expect(try await holds("SELECT count(*) = 1 FROM $._history WHERE value::text LIKE '%plain%'"))
    try await store.purge(["hat"])
    #expect(try await projection.update(from: store).isRebuilt)
    #expect(try await holds("SELECT count(*) = 0 FROM $._history WHERE value::text LIKE '%plain%'"))
    #expect(try await holds("SELECT to_regclass('$.\"Hat\"') IS NULL"))
  }

  @Test func `show names and texts that PostgreSQL cannot have in a stated form`() async throws {
    let long = String(repeating: "long ", count: 20)
    try await store.create(
      "A type \"quoted\"",
      id: "odd",
      [
        PropertyKey(long + "1"): 1, PropertyKey(long + "2"): 2, "_id": 3, "NULL": 4,
        "text": "a\u{0}b", "infinite": .double(.infinity), "far": .date(.distantFuture),
      ]
    )
    _ = try await projection.update(from: store)
    #expect(
      try await holds(
        """
        SELECT text = 'a\u{2400}b' AND "NULL" = 4 AND infinite = 'infinity' AND far > now()
        FROM $."A type ""quoted""\"
        """
      )
    )
  }

  @Test func `follow another copy of the space, and are made anew for another space`() async throws
  {
    try await store.create("Hat", id: "hat")
    _ = try await projection.update(from: store)
    let other = try await Store.open(.inMemory)
    try await other.create("Cap", id: "cap")
    #expect(try await projection.update(from: other).isRebuilt)
    #expect(try await holds("SELECT to_regclass('$.\"Hat\"') IS NULL"))
    #expect(try await holds("SELECT count(*) = 1 FROM $.\"Cap\""))
    #expect(throws: VarveError.self) {
      _ = try PostgresProjection("postgres://localhost/x", schema: "varve")
    }
    try await other.close()
  }
}
#endif
