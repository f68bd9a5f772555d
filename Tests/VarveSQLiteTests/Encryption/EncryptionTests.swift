import CSQLite
import Foundation
import Testing
import VarveCore
import VarveSQLite
import VarveStore
import VarveTestSupport

@Suite("An encrypted store", .enabled(if: Store.canEncrypt))
struct EncryptionTests {
  let scratch: Scratch
  let path: String
  let key: StoreKey

  init() throws {
    scratch = try Scratch()
    path = scratch.path("store")
    key = try StoreKey(passphrase: "open sesame")
  }

  @Test func `is read with its key, also by another connection and after it is closed`()
    async throws
  {
    let store = try await EncryptedStore.open(path, key)
    try await store.create("Hat", id: "hat-1", ["color": "red"])
    #expect(try await EncryptedStore.color(path, key) == "red")
    try await store.close()
    #expect(try await EncryptedStore.color(path, key) == "red")
    #expect(Store.seemsEncrypted(at: path))
  }

  @Test func `without a key or with a wrong one is refused, and left as it was`() async throws {
    try await EncryptedStore.make(path, key)
    let bytes = FileManager.default.contents(atPath: path)
    for isReadOnly in [false, true] {
      await expectRefusal(.wrongKey) {
        _ = try await EncryptedStore.open(path, StoreKey(passphrase: "open sesam")) {
          $0.isReadOnly = isReadOnly
        }
      }
      await expectRefusal(.wrongKey) {
        _ = try await EncryptedStore.open(path, .random()) { $0.isReadOnly = isReadOnly }
      }
      // In a run in which all stores have a key, there is no store without one.
      if PlainFiles.areUsed {
        await expectRefusal(.keyMissing) {
          _ = try await EncryptedStore.open(path, nil) { $0.isReadOnly = isReadOnly }
        }
      }
    }
    #expect(FileManager.default.contents(atPath: path) == bytes)
    #expect(try LeftBytes.count(in: scratch.path) == 1)
  }

  @Test(.enabled(if: PlainFiles.areUsed))
  func `a plain store with a key is refused, and left as it was`() async throws {
    try await EncryptedStore.make(path, nil)
    let bytes = FileManager.default.contents(atPath: path)
    for isReadOnly in [false, true] {
      await expectRefusal(.notEncrypted) {
        _ = try await EncryptedStore.open(path, key) { $0.isReadOnly = isReadOnly }
      }
    }
    #expect(FileManager.default.contents(atPath: path) == bytes)
    #expect(try LeftBytes.count(in: scratch.path) == 1)
  }

  @Test func `files that are no stores are refused with a key as without one`() async throws {
    let text = Data("just a text".utf8)
    try text.write(to: URL(fileURLWithPath: path))
    await expectRefusal(.damaged, .notAStore) { _ = try await EncryptedStore.open(path, key) }
    try Data(count: 8_192).write(to: URL(fileURLWithPath: path))
    await expectRefusal(.wrongKey) { _ = try await EncryptedStore.open(path, key) }
    try Data().write(to: URL(fileURLWithPath: path))
    await expectRefusal(.notAStore) { _ = try await EncryptedStore.open(path, key) }
    try scratch.remove("store")
    try sqlite("PRAGMA key = 'open sesame'; CREATE TABLE hat (x)")
    await expectRefusal(.notAStore) { _ = try await EncryptedStore.open(path, key) }
  }

  @Test func `is what SQLCipher makes with the same passphrase`() async throws {
    try await EncryptedStore.make(path, key)
    #expect(try sqlite("PRAGMA key = 'open sesame'; SELECT * FROM varve_commit") == SQLITE_OK)
    #expect(try sqlite("PRAGMA key = 'open sesam'; SELECT * FROM varve_commit") == SQLITE_NOTADB)
    let raw = scratch.path("raw")
    let bytes = [UInt8](0..<32)
    try await EncryptedStore.make(raw, StoreKey(bytes: bytes))
    let text = String(hexadecimal: bytes)
    let sql = "PRAGMA key = \"x'\(text)'\"; SELECT * FROM varve_commit"
    #expect(try sqlite(sql, raw) == SQLITE_OK)
  }

  @Test func `with a newer layout says so`() async throws {
    try await EncryptedStore.make(path, key)
    _ = try sqlite("PRAGMA key = 'open sesame'; PRAGMA user_version = 99")
    await expectRefusal(.newerFormat) { _ = try await EncryptedStore.open(path, key) }
  }

  @Test func `with a damaged page or a part missing is damaged, and its key is not called wrong`()
    async throws
  {
    let everything = try await EverythingStore(key: key)
    var bytes = everything.bytes
    bytes[9 * 4_096 + 100] ^= 1
    try replaceStore(path, with: bytes)
    let findings = await failure {
      let backend = try await everything.open(path, key: key)
      let isClean = try await backend.findings() == []
      try await backend.close()
      guard isClean else { throw VarveError(.damaged, "found") }
      Issue.record("a damaged page was not found")
    }
    #expect(findings?.code == .damaged)
    for count in [everything.bytes.count - 4_096, 8_192, everything.bytes.count - 100] {
      try replaceStore(path, with: everything.bytes.prefix(count))
      let error = await failure {
        let backend = try await everything.open(path, key: key)
        _ = try await backend.findings()
      }
      #expect(error?.code == .damaged, "\(count) bytes")
    }
  }

  @Test func `has the same answers as a plain one, and a clean check`() async throws {
    let plain = try await EverythingStore()
    let encrypted = try await EverythingStore(key: key)
    let backend = try await encrypted.open(key: key)
    #expect(try await backend.findings() == [])
    try await backend.rebuild()
    #expect(try await backend.findings() == [])
    #expect(try await EverythingStore.answers(of: backend) == encrypted.answers)
    #expect(plain.answers.count == encrypted.answers.count)
    try await backend.close()
  }

  @Test func `shows what another connection to the file writes`() async throws {
    let reader = try await EncryptedStore.open(path, key)
    let writer = try await EncryptedStore.open(path, key)
    var changes = try await reader.changes().makeAsyncIterator()
    try await writer.create("Hat", id: "hat-2", ["color": "blue"])
    #expect(try await changes.next() != nil)
    #expect(try await reader.entity("hat-2")?["color"] == "blue")
    try await writer.close()
    try await reader.close()
  }

  @Test func `exchanges commits with a plain one`() async throws {
    let encrypted = try await EncryptedStore.open(path, key)
    let plain = try await EncryptedStore.open(scratch.path("plain"), nil)
    try await encrypted.create("Hat", id: "hat-1", ["color": "red"])
    try await plain.create("Hat", id: "hat-2", ["color": "blue"])
    try await plain.merge(from: encrypted)
    _ = try await encrypted.sync(with: plain)
    for store in [encrypted, plain] {
      #expect(try await store.ids(of: Query("Hat")).map(\.text).sorted() == ["hat-1", "hat-2"])
      try await store.close()
    }
  }

  /// Runs SQL on a file. Returns SQLite's code.
  @discardableResult
  private func sqlite(_ sql: String, _ file: String? = nil) throws -> Int32 {
    var handle: OpaquePointer?
    defer { sqlite3_close(handle) }
    try #require(sqlite3_open(file ?? path, &handle) == SQLITE_OK)
    sqlite3_exec(handle, "PRAGMA cipher_log_level = NONE", nil, nil, nil)
    return sqlite3_exec(handle, sql, nil, nil, nil)
  }
}
