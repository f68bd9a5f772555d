import Foundation
import Testing
import VarveCore
import VarveSQLite
import VarveTestSupport

/// The columns that `check` must compare, and that `rebuild` must repair, table by table.
@Suite("A store whose tables were changed behind its back", .enabled(if: PlainFiles.areUsed))
struct TamperedTableTests {
  /// Changes of tables that are derived from the log.
  private static let derived: [String] = [
    "UPDATE Hat SET id = 'hat 9' WHERE id = 'hat 1'",
    "UPDATE Hat SET id = CAST(id AS BLOB) WHERE id = 'hat 1'",
    "UPDATE Box SET id = '018f2b6e-0000-7000-8000-000000000001' WHERE typeof(id) = 'blob'",
    "UPDATE Hat SET datestamp = datestamp + 65536 WHERE id = 'hat 1'",
    "UPDATE Hat SET datestamp = CAST(datestamp AS TEXT) WHERE id = 'hat 1'",
    "UPDATE Hat SET modified = modified + 65536 WHERE id = 'hat 1'",
    "UPDATE Hat SET modified = NULL WHERE id = 'hat 1'",
    "UPDATE Hat SET modified = CAST(modified AS TEXT) WHERE id = 'hat 1'",
    "UPDATE Hat SET ordinal = ordinal + 1 WHERE id = 'hat 1'",
    "UPDATE Hat SET ordinal = CAST(ordinal AS TEXT) WHERE id = 'hat 1'",
    "UPDATE Hat SET more = NULL WHERE more IS NOT NULL AND id = 'hat 1'",
    "UPDATE Hat SET more = CAST(more AS TEXT) WHERE more IS NOT NULL",
    "UPDATE Shop SET more = NULL",
    "UPDATE Hat SET size = 4 WHERE id = 'hat 2'",
    "UPDATE Hat SET size = '10' WHERE id = 'hat 2'",
    "UPDATE Hat SET size = 4 WHERE id = 'hat 1'",
    "UPDATE Hat SET size = CAST(size AS REAL) WHERE id = 'hat 2'",
    "UPDATE Hat SET name = CAST(name AS BLOB) WHERE id = 'hat 2'",
    "UPDATE Hat SET worn = 2 WHERE worn = 1",
    "UPDATE Hat SET worn = 'yes' WHERE worn = 1",
    "UPDATE Shop SET since = CAST(since AS INTEGER)",
    "UPDATE Shop SET first = CAST(first AS BLOB)",
    "UPDATE Shop SET tags = CAST(tags AS TEXT)",
    "INSERT INTO Hat (row, id, datestamp, ordinal) VALUES (999, 'more', 0, 0)",
    "DELETE FROM Hat WHERE id = 'hat 1'",
    "UPDATE Hat SET row = row + 1000 WHERE id = 'hat 1'",
    "UPDATE varve_identity SET id = 'hat 9' WHERE id = 'hat 1'",
    "UPDATE varve_identity SET id = CAST(id AS BLOB) WHERE id = 'hat 1'",
    "UPDATE varve_identity SET row = row + 1000 WHERE id = 'hat 1'",
    "UPDATE varve_identity SET row = (SELECT row FROM varve_identity WHERE id = 'hat 2') "
      + "WHERE id = 'hat 1'",
    "UPDATE varve_identity SET row = (SELECT row FROM varve_identity WHERE id = 'hat 2') "
      + "WHERE id = 'lost'",
    "UPDATE varve_identity SET type = 2 WHERE id = 'hat 1'",
    "UPDATE varve_identity SET life = life | 2 WHERE id = 'hat 1'",
    "UPDATE varve_identity SET life = life | 16 WHERE id = 'hat 1'",
    "UPDATE varve_identity SET life = life & 1 WHERE id = 'lost'",
    "UPDATE varve_identity SET born = born + 1 WHERE id = 'hat 1'",
    "UPDATE varve_identity SET born = NULL WHERE id = 'lost'",
    "UPDATE varve_type SET name = 'Cap' WHERE name = 'Hat'",
    "UPDATE varve_type SET name = CAST(name AS BLOB) WHERE name = 'Hat'",
    "UPDATE varve_type SET table_name = 'Shop' WHERE name = 'Hat'",
    "UPDATE varve_type SET table_name = 'Cap' WHERE name = 'Hat'",
    "UPDATE varve_type SET in_order = 1",
    "UPDATE varve_key SET name = 'weight' WHERE name = 'size'",
    "UPDATE varve_key SET name = 'size' WHERE name = 'name'",
    "UPDATE varve_column SET column_name = 'price' WHERE column_name = 'name'",
    "UPDATE varve_column SET column_name = 'nome' WHERE column_name = 'name'",
    "UPDATE varve_column SET kind = 4 WHERE column_name = 'size'",
    "UPDATE varve_column SET semantic_type = 'other' WHERE column_name = 'name'",
    "UPDATE varve_column SET spilled = 0", "UPDATE varve_column SET spilled = 2",
    "DELETE FROM varve_column WHERE column_name = 'size'",
    "UPDATE varve_touch SET time = time + 1",
    "UPDATE varve_touch SET key = key + 1",
    "UPDATE varve_touch SET b = b + 1",
    "UPDATE varve_touch SET ordinal = CAST(ordinal AS TEXT)",
    "DELETE FROM varve_touch",
    "INSERT INTO varve_touch VALUES (5000, 1, 1, 1, 1)",
    "UPDATE varve_recent_touch SET touches = x'0200'",
    "UPDATE varve_link SET target = 'hat 3' WHERE kind = 3",
    "UPDATE varve_link SET name = 'other' WHERE kind = 2",
    "UPDATE varve_link SET former = 1",
    "UPDATE varve_link SET removed = NULL, time = time + 1",
    "UPDATE varve_link SET position = x'00'",
    "DELETE FROM varve_link WHERE kind = 1",
    "INSERT INTO varve_unlink VALUES (1, 1, 1, 1, 1)",
    "UPDATE varve_postdated SET latest = latest + 65536",
    "DELETE FROM varve_postdated",
    "DELETE FROM varve_turn",
    "UPDATE varve_seen SET other_sequence = other_sequence + 1",
    "DELETE FROM varve_seen",
    "DELETE FROM varve_conflict",
    "UPDATE varve_redaction SET parts = x'00'",
    "DELETE FROM varve_redaction",
    "DROP TRIGGER varve_search_1_update",
    "CREATE TRIGGER mine AFTER INSERT ON varve_commit BEGIN DELETE FROM varve_touch; END",
    "CREATE TRIGGER mine AFTER UPDATE ON Hat BEGIN UPDATE Hat SET size = 1; END",
    "INSERT INTO varve_search_1 (varve_search_1) VALUES ('delete-all')",
    "DELETE FROM varve_search_1_docsize WHERE id = 1",
    "UPDATE varve_search_1_data SET block = zeroblob(length(block)) WHERE id > 10",
  ]

  /// Changes of the log itself, which only another copy can repair.
  private static let log: [String] = [
    "UPDATE varve_commit SET lineage = 2 WHERE lineage = 1 AND n > 3",
    "UPDATE varve_commit SET time = time + 1",
    "UPDATE varve_commit SET checksum = checksum + 1 WHERE n = 1",
    "UPDATE varve_commit SET checksum = CAST(checksum AS TEXT)",
    "UPDATE varve_commit SET next_row = 1",
    "UPDATE varve_commit SET payload = CAST(payload AS TEXT) WHERE payload IS NOT NULL",
    "UPDATE varve_block SET digest = zeroblob(32)",
    "UPDATE varve_block SET salt = zeroblob(length(salt))",
    "DELETE FROM varve_block",
    "INSERT INTO varve_block VALUES (9999, x'00', zeroblob(32), x'00')",
    "DELETE FROM varve_commit WHERE n = (SELECT max(n) FROM varve_commit)",
    "UPDATE varve_commit SET n = n + 1 WHERE n = (SELECT max(n) FROM varve_commit)",
    "UPDATE varve_run SET first_n = first_n + 1 WHERE first_n = 1",
    "DELETE FROM varve_withheld",
    "UPDATE varve_withheld SET time = time + 65536",
    "INSERT INTO varve_withheld VALUES (9999, 1)",
    "UPDATE varve_lineage SET replica = zeroblob(16)",
    "UPDATE varve_meta SET value = 2 WHERE key = 'own_lineage'",
    "UPDATE varve_meta SET value = 'x' WHERE key = 'catalogue'",
    "INSERT INTO varve_meta VALUES ('awaits', 1)",
  ]

  @Test(.timeLimit(.minutes(5)))
  func `is detected, and is correct again after a rebuild`() async throws {
    let store = try await EverythingStore()
    let files = try store.tampered(Self.derived)
    for (statement, file) in zip(Self.derived, files) {
      let outcome = try await store.outcome(file)
      #expect(outcome == .found || outcome == .refused, "\(statement): \(outcome)")
      guard outcome == .found else { continue }
      let backend = try await store.open(file)
      let error = await failure {
        try await backend.rebuild()
        #expect(try await backend.findings() == [], "\(statement)")
        #expect(try await EverythingStore.answers(of: backend) == store.answers, "\(statement)")
      }
      #expect(error == nil, "\(statement): \(error as Any)")
      try await backend.close()
    }
  }

  @Test func `is not backed up, and leaves no file`() async throws {
    let store = try await EverythingStore()
    let file = try #require(
      try store.tampered(["UPDATE Hat SET size = 4 WHERE id = 'hat 2'"]).first
    )
    let backend = try await store.open(file)
    let names = try FileManager.default.contentsOfDirectory(atPath: store.scratch.path(""))
    let error = await failure {
      _ = try await backend.backUp(to: file + ".copy", .asStore) { _ in }
    }
    #expect(error?.code == .damaged)
    let left = try FileManager.default.contentsOfDirectory(atPath: store.scratch.path(""))
    #expect(Set(left) == Set(names))
    try await backend.close()
  }

  @Test func `is detected if the log itself is wrong`() async throws {
    let store = try await EverythingStore()
    let files = try store.tampered(Self.log)
    for (statement, file) in zip(Self.log, files) {
      let outcome = try await store.outcome(file)
      #expect(outcome == .found || outcome == .refused, "\(statement): \(outcome)")
    }
  }
}

extension EverythingStore {
  /// Copies of the file, each with one statement run on it, which must change something.
  fileprivate func tampered(_ statements: [String]) throws -> [String] {
    let script = """
      import json, sqlite3, sys, shutil
      source = sys.argv[1]
      idle = []
      for index, statement in enumerate(json.load(sys.stdin)):
          copy = f"{source}.{index}"
          shutil.copyfile(source, copy)
          store = sqlite3.connect(copy)
          # The triggers of searchable texts read the overflow column by it.
          store.create_function("varve_more", 3, lambda *_: None)
          before = store.total_changes
          store.execute(statement)
          if store.total_changes == before and statement[:6] in ("UPDATE", "DELETE", "INSERT"):
              idle.append(statement)
          store.commit()
          store.execute("PRAGMA wal_checkpoint(TRUNCATE)")
          store.close()
      assert not idle, idle
      """
    try replaceStore(path, with: bytes)
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["python3", "-c", script, path]
    let input = scratch.path("statements")
    try JSONEncoder().encode(statements).write(to: URL(fileURLWithPath: input))
    process.standardInput = FileHandle(forReadingAtPath: input)
    try process.run()
    process.waitUntilExit()
    try #require(process.terminationStatus == 0)
    return statements.indices.map { "\(path).\($0)" }
  }
}
