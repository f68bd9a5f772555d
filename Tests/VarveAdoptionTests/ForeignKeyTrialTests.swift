import Foundation
import GRDB
import Testing
import VarveAdoption
import VarveCore
import VarveStore
import VarveTestSupport

/// Foreign keys of columns of every affinity to columns of every affinity, compared with SQLite.
@Suite("Adopted foreign keys of every affinity")
struct ForeignKeyTrialTests {
  private static let types = [
    "INTEGER", "INT", "TEXT", "VARCHAR(10)", "REAL", "NUMERIC", "BLOB", "", "BOOLEAN", "DATETIME",
    "TEXT COLLATE NOCASE", "TEXT COLLATE RTRIM", "COLLATE NOCASE", "DOUBLE PRECISION", "DECIMAL(9)",
  ]

  private static let values = [
    "1", "'1'", "'01'", "1.0", "'1.0'", "' 1 '", "1.5", "'1.5'", "'1.50'", "x'31'", "'a'", "'A'",
    "'a '", "''", "x''", "0", "'-0'", "-0.0", "'1e0'", "'0x1'", "9007199254740993",
    "'9007199254740993'", "9007199254740992.0", "9223372036854775807", "9.3e18",
    "'9223372036854775808'", "1e300", "'1e300'", "'é'", "'1a'", "1e-9", "'inf'", "9e999",
  ]

  /// How a parent declares its key: `#` stands for the type.
  private static let forms: [(parent: String, child: String)] = [
    ("k # PRIMARY KEY, v)", "k # REFERENCES p (k)"),
    ("k # UNIQUE, v)", "k # REFERENCES p (k)"),
    ("k # NOT NULL PRIMARY KEY, v) WITHOUT ROWID", "k # REFERENCES p"),
    ("k #, l #, v, PRIMARY KEY (l, k))", "k #, l #, FOREIGN KEY (k, l) REFERENCES p (k, l)"),
    ("v, l #, k #, UNIQUE (k, l))", "l #, k #, FOREIGN KEY (k, l) REFERENCES p (k, l)"),
  ]

  @Test(
    arguments: Seeds.first(10, of: 0..<(15 * 15 * 5))
  )
  func `each child refers to the row for which SQLite's check lists no violation, and to no other`(
    seed: UInt64
  ) async throws {
    // The first seeds already mix types and forms.
    let number = Int(seed &* 7_919 % UInt64(15 * 15 * 5))
    let (parentType, childType) = (Self.types[number % 15], Self.types[number / 15 % 15])
    let form = Self.forms[number / 225]
    let scratch = try await Scratch()
    let declared = """
      CREATE TABLE p (\(form.parent.replacing("#", with: parentType));
      CREATE TABLE c (id INTEGER PRIMARY KEY, \(form.child.replacing("#", with: childType))
        ON DELETE CASCADE);
      """
    let isComposite = form.parent.contains("l #")
    var random = SplitMix64(seed: seed)
    try fill(scratch.path, declared, isComposite, Self.values.shuffled(using: &random))
    let expected = try parents(scratch.path, isComposite: isComposite)
    try await scratch.adopt()
    let found = try await adopted(scratch, isComposite ? "p" : "k")
    #expect(found.count == Self.values.count)
    for (child, parent) in expected {
      #expect(found[child] == parent, "\(declared) child \(child)")
    }
    #expect(try await scratch.readopt().commit == nil, "\(declared)")
    try await scratch.store.close()
  }

  /// Creates the tables, and rows with each value in both.
  private func fill(
    _ path: String,
    _ declared: String,
    _ isComposite: Bool,
    _ values: [String]
  ) throws {
    var configuration = Configuration()
    configuration.foreignKeysEnabled = false
    let queue = try DatabaseQueue(path: path, configuration: configuration)
    defer { try? queue.close() }
    try queue.write { db in
      try db.execute(sql: declared)
      for (index, value) in values.enumerated() {
        let key = isComposite ? "k, l" : "k"
        let parts = isComposite ? "\(value), 'x'" : value
        // A key that is the row's number takes integers only.
        try? db.execute(sql: "INSERT OR IGNORE INTO p (\(key), v) VALUES (\(parts), \(index))")
        try db.execute(sql: "INSERT INTO c (\(key)) VALUES (\(parts))")
      }
    }
  }

  /// The parent of each child by its column `v`, or nil: that for which SQLite's check finds no
  /// violation if the database has no other parent.
  private func parents(_ path: String, isComposite: Bool) throws -> [Int64: Int64?] {
    var configuration = Configuration()
    configuration.foreignKeysEnabled = false
    let queue = try DatabaseQueue(path: path, configuration: configuration)
    defer { try? queue.close() }
    return try queue.writeWithoutTransaction { db in
      func orphans() throws -> Set<Int64> {
        Set(try Row.fetchAll(db, sql: "PRAGMA foreign_key_check(c)").compactMap { $0["rowid"] })
      }
      let children = try Int64.fetchAll(db, sql: "SELECT id FROM c")
      var parents = Dictionary(uniqueKeysWithValues: children.map { ($0, Int64?.none) })
      let all = try orphans()
      for parent in try Int64.fetchAll(db, sql: "SELECT v FROM p") {
        try db.execute(sql: "BEGIN; DELETE FROM p WHERE v <> \(parent)")
        let alone = try orphans()
        try db.execute(sql: "ROLLBACK")
        for child in children where !alone.contains(child) {
          #expect(parents[child] == .some(nil), "two parents of \(child)")
          parents[child] = .some(parent)
        }
      }
      #expect(Set(parents.filter { $0.value == nil }.keys) == all)
      // A plus sign takes the child's affinity away, so that the parent's applies.
      let other = isComposite ? " AND p.l = +c.l" : ""
      let join = "SELECT c.id, p.v FROM c JOIN p ON p.k = +c.k\(other)"
      for row in try Row.fetchAll(db, sql: join) {
        let (child, parent): (Int64, Int64) = (row[0], row[1])
        #expect(parents[child] == .some(parent), "the join gives \(child) the parent \(parent)")
      }
      return parents
    }
  }

  /// The parent of each child by its column `v`, as the store has it: reference and owner agree.
  private func adopted(_ scratch: Scratch, _ key: PropertyKey) async throws -> [Int64: Int64?] {
    var found: [Int64: Int64?] = [:]
    for child in try await scratch.store.fetch(Query("c")) {
      let id = try #require(child["id"]?.intValue)
      var parent: StoredEntity?
      if case .reference(let target)? = child[key] {
        parent = try await scratch.store.entity(target)
      }
      let owners = try await scratch.store.relatedIDs(child.id, .ownedBy)
      #expect(owners == [parent?.id].compactMap(\.self))
      found[id] = .some(parent?["v"]?.intValue)
    }
    return found
  }
}
