import Foundation
import GRDB
import Testing
import VarveAdoption
import VarveCore
import VarveStore
import VarveTestSupport

@Suite("Adopting a database that changes at random")
struct AdoptionTrialTests {
  @Test(
    arguments: Seeds.first(12, of: 0..<400)
  )
  func `adopting it again and again gives what adopting it once gives`(seed: UInt64) async throws {
    let scratch = try await Scratch()
    var changes = ForeignChanges(seed: seed)
    try scratch.write(ForeignChanges.schema, enforcingKeys: false)
    var past: [(frontier: Frontier, portrait: [String])] = []
    for round in 0..<4 {
      try scratch.write(changes.next(round == 0 ? 30 : 12), enforcingKeys: false)
      try await scratch.adopt(endsMissingRows: true)
      let again = try await scratch.readopt()
      #expect(again.commit == nil, "seed \(seed), round \(round)")
      let fresh = try await Store.open(.inMemory)
      try await fresh.adopt(sqlite: scratch.path)
      let (ours, once) = (try await portrait(scratch.store), try await portrait(fresh))
      #expect(ours == once, "seed \(seed), round \(round)")
      #expect(ours.count == (try rowCount(scratch.path)), "seed \(seed), round \(round)")
      try await fresh.close()
      past.append((try await scratch.store.frontier(), ours))
    }
    for (frontier, then) in past {
      #expect(try await portrait(scratch.store.asOf(frontier)) == then, "seed \(seed)")
    }
    try await scratch.store.close()
  }

  @Test(
    arguments: Seeds.first(12, of: 1_000..<1_200)
  )
  func `rows are related as in a new store, although the store keeps the entities of missing rows`(
    seed: UInt64
  ) async throws {
    let scratch = try await Scratch()
    var changes = ForeignChanges(seed: seed)
    try scratch.write(ForeignChanges.schema, enforcingKeys: false)
    for round in 0..<4 {
      try scratch.write(changes.next(round == 0 ? 30 : 12), enforcingKeys: false)
      try await scratch.adopt()
      #expect(try await scratch.adopt().commit == nil, "seed \(seed), round \(round)")
      let fresh = try await Store.open(.inMemory)
      try await fresh.adopt(sqlite: scratch.path)
      let ids = Set(try await handles(fresh))
      let ours = try await portrait(scratch.store, of: ids)
      #expect(try await portrait(fresh, of: ids) == ours, "seed \(seed), round \(round)")
      try await fresh.close()
    }
    try await scratch.store.close()
  }

  private static let types: [EntityType] = ["a", "b", "c", "d", "n"]

  private func handles(_ store: Store) async throws -> [EntityID] {
    var ids: [EntityID] = []
    for type in Self.types { ids += try await store.fetch(Query(type)).map(\.id) }
    return ids
  }

  /// Each entity with its properties and relations, as a line.
  ///
  /// - Parameter some: the entities to show, alone; nil for all.
  private func portrait(
    _ state: some Reading,
    of some: Set<EntityID>? = nil
  ) async throws -> [String] {
    var lines: [String] = []
    for type in Self.types {
      for entity in try await state.fetch(Query(type)) where some?.contains(entity.id) ?? true {
        var line = "\(entity.type) \(entity.id)"
        for key in entity.keys.sorted() { line += " \(key)=\(entity[key].map { "\($0)" } ?? "-")" }
        for kind in [RelationKind.owns, .ownedBy, .free] {
          let related = try await state.relatedIDs(entity.id, kind)
          line += " \(kind)=\(related.filter { some?.contains($0) ?? true }.sorted())"
        }
        lines.append(line)
      }
    }
    return lines.sorted()
  }

  /// The number of rows.
  private func rowCount(_ path: String) throws -> Int {
    let queue = try DatabaseQueue(path: path)
    defer { try? queue.close() }
    return try queue.read { db in
      try ["a", "b", "c", "d", "n"].reduce(0) { sum, table in
        sum + (try Int.fetchOne(db, sql: "SELECT count(*) FROM \(table)") ?? 0)
      }
    }
  }
}

/// Random changes of a database with references of every kind.
private struct ForeignChanges {
  private var random: SplitMix64

  init(seed: UInt64) { random = SplitMix64(seed: seed) }

  static let schema = """
    CREATE TABLE a (id INTEGER PRIMARY KEY, name TEXT, at DATETIME, flag BOOLEAN,
      up INTEGER REFERENCES a ON DELETE CASCADE);
    CREATE TABLE b (k TEXT PRIMARY KEY, a INTEGER REFERENCES a ON DELETE CASCADE,
      next TEXT REFERENCES b, v);
    CREATE TABLE c (x INTEGER, y TEXT, v, PRIMARY KEY (x, y)) WITHOUT ROWID;
    CREATE TABLE d (id INTEGER PRIMARY KEY, x INTEGER, y TEXT, b TEXT REFERENCES b,
      FOREIGN KEY (x, y) REFERENCES c ON DELETE CASCADE);
    CREATE TABLE n (v, w BLOB);
    CREATE TABLE ab (a INTEGER REFERENCES a, b TEXT REFERENCES b, PRIMARY KEY (a, b));
    CREATE TABLE aa (one INTEGER REFERENCES a, two INTEGER REFERENCES a);
    """

  mutating func next(_ count: Int) -> String {
    (0..<count).map { _ in change() + ";\n" }.joined()
  }

  private mutating func change() -> String {
    switch Int.random(in: 0..<16, using: &random) {
    case 0, 1: "INSERT OR REPLACE INTO a VALUES (\(number), \(value), \(date), \(flag), \(number))"
    case 2, 3: "INSERT OR REPLACE INTO b VALUES (\(text), \(number), \(text), \(value))"
    case 4: "INSERT OR REPLACE INTO c VALUES (\(number), '\(number)', \(value))"
    case 5: "INSERT OR REPLACE INTO d VALUES (\(number), \(number), '\(number)', \(text))"
    case 6: "INSERT INTO n VALUES (\(value), \(value))"
    case 7: "INSERT OR REPLACE INTO ab VALUES (\(number), \(text))"
    case 8: "INSERT INTO aa VALUES (\(number), \(number))"
    case 9: "UPDATE a SET name = \(value), up = \(number) WHERE id = \(number)"
    case 10: "UPDATE OR REPLACE b SET k = \(text), a = \(number) WHERE k = \(text)"
    case 11: "UPDATE OR REPLACE c SET x = \(number), v = \(value) WHERE x = \(number)"
    case 12: "DELETE FROM \(random.pick(["a", "c", "d"])) WHERE rowid_or_key".key(number)
    case 13: "DELETE FROM b WHERE k = \(text)"
    case 14:
      "DELETE FROM \(random.pick(["ab WHERE a", "aa WHERE one", "aa WHERE two"])) = \(number)"
    default: "UPDATE d SET x = \(number), b = \(text) WHERE id = \(number)"
    }
  }

  private var number: Int { mutating get { Int.random(in: 1...6, using: &random) } }

  private var text: String {
    mutating get { random.pick(["'p'", "'P'", "'q/r'", "'#1'", "''", "NULL", "'é'"]) }
  }

  private var flag: String { mutating get { random.pick(["0", "1", "2", "NULL"]) } }

  private var date: String {
    mutating get {
      random.pick(["'2024-02-29'", "1.5", "1717243200", "'soon'", "NULL", "'2024-01-01 10:00'"])
    }
  }

  private var value: String {
    mutating get {
      random.pick(["NULL", "1", "1.0", "'1'", "x'01'", "9007199254740993", "'x'", "-0.0", "9e999"])
    }
  }
}

extension String {
  /// Completes a condition on the key of a table.
  fileprivate func key(_ number: Int) -> String {
    replacing("rowid_or_key", with: hasPrefix("DELETE FROM c") ? "x = \(number)" : "id = \(number)")
  }
}
