import Foundation
import Testing
import VarveCore
import VarveSQLite
import VarveTestSupport

/// A store whose content is followed through everything that must not change it.
struct RoundTrip {
  let scratch: Scratch
  let clock: TestClock
  let kind: Kind
  let backend: SQLiteBackend

  init(_ kind: Kind) async throws {
    scratch = try Scratch()
    clock = TestClock()
    self.kind = kind
    backend = try await kind.open(scratch, clock: clock)
  }

  /// Expects the same of the store and of the fold of its commits, now, at some moments, rebuilt,
  /// merged into another store, and opened again. Closes it.
  func prove(
    _ ids: [EntityID] = [],
    at moments: [Moment] = [],
    queries: [Query] = [],
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    try await backend.expectFold(ids, at: moments, clock: clock, sourceLocation: sourceLocation)
    for moment in [.now] + moments {
      try await expectResults(of: queries, at: moment, sourceLocation: sourceLocation)
    }
    let other = try await openBackend(clock: clock)
    try await other.catchUp(with: backend)
    let export = try await CanonicalExport(of: backend, ids: ids)
    #expect(
      try await export.firstDifference(from: CanonicalExport(of: other, ids: ids)) == nil,
      "merged",
      sourceLocation: sourceLocation
    )
    #expect(try await other.findings() == [], sourceLocation: sourceLocation)
    try await other.close()
    try await backend.close()
    guard kind == .file else { return }
    let again = try await kind.open(scratch, clock: clock)
    #expect(
      try await export.firstDifference(from: CanonicalExport(of: again, ids: ids)) == nil,
      "opened again",
      sourceLocation: sourceLocation
    )
    try await again.close()
  }

  private func expectResults(
    of queries: [Query],
    at moment: Moment,
    sourceLocation: SourceLocation
  ) async throws {
    let reference = ReferenceBackend(wallMilliseconds: clock.reading())
    try await reference.catchUp(with: backend)
    for query in queries {
      let expected = try await reference.read(at: moment) { try await $0.fetch(query).map(\.id) }
      let actual = try await backend.read(at: moment) { try await $0.fetch(query).map(\.id) }
      let place: Comment = "\(query) at \(moment)"
      #expect(actual == expected, place, sourceLocation: sourceLocation)
      let count = try await backend.read(at: moment) { try await $0.count(query) }
      #expect(count == expected.count, place, sourceLocation: sourceLocation)
    }
  }

  /// The state before now.
  func past() async throws -> [Moment] {
    let moments: [Moment] = [
      .time(HybridTime(millisecondsSince1970: clock.now).endOfMillisecond),
      .frontier(try await backend.frontier()),
    ]
    clock.advance(by: 10)
    return moments
  }
}

/// Texts that have broken something somewhere.
let hostileTexts: [String] = [
  "", "'", "\"", "\"\"", "`", "[x]", ";", "--", "/*", "\0", "a\0b", "a\0c", "\u{1}", "\n", "%", "_",
  "?", "?1", ":a", "$1", "@a", "NULL", "null", "SELECT", "from", "order", "group", "table", "index",
  "'; DROP TABLE varve_commit; --", "varve_commit", "varve_meta", "sqlite_master", "sqlite_x",
  "Name", "name", "NAME", "nAme", "id", "ID", "Id", "rowid", "ROWID", "oid", "_rowid_", "row",
  "Row", "more", "modified", "datestamp", "ordinal", "born", "type", "identifier", "key", "value",
  "c1", "c2", "C3", "t1", "t2", "T3", "c", "t", "c1x", "🧢", "👩‍👩‍👧‍👦", "\u{E9}", "e\u{301}", "É", "ß",
  "SS", "İ", "i\u{307}", "ı", "\u{FEFF}", "\u{200B}", "\u{202E}", "\u{FFFD}", "\u{10FFFF}", " ",
  "  ", " a", "a ", "a b", "a.b", "t.id", "main", "temp", "1", "1a", "_1", "-1", "0x1", "true",
  "False",
  String(repeating: "x", count: 48), String(repeating: "x", count: 49),
  String(repeating: "long ", count: 2_000),
]
