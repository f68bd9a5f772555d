import Foundation
import Testing
import VarveCore
import VarveSQLite
import VarveStore
import VarveTestSupport

@Suite("A copy with a key of its own", .enabled(if: Store.canEncrypt))
struct EncryptedBackupTests {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  /// A store's key and a copy's; nil for a plain one.
  struct Change: CustomTestStringConvertible, Sendable {
    let from: StoreKey?
    let to: StoreKey?

    var testDescription: String { "\(name(from)) to \(name(to))" }

    private func name(_ key: StoreKey?) -> String { key.map(\.description) ?? "plain" }

    static let all: [Change] = {
      let words = try? StoreKey(passphrase: "open sesame")
      return [
        Change(from: nil, to: words), Change(from: nil, to: .random()),
        Change(from: words, to: nil),
        Change(from: words, to: .random()), Change(from: .random(), to: words),
      ]
    }()
  }

  @Test(.enabled(if: PlainFiles.areUsed), arguments: Change.all)
  func `has the same content, history and answers`(change: Change) async throws {
    let everything = try await EverythingStore(key: change.from)
    let source = try await everything.open(key: change.from)
    let path = scratch.path("copy")
    let encryption = change.to.map { BackupEncryption.key($0) } ?? .plain
    _ = try await source.backUp(to: path, encryption) { _ in }
    let copy = try await everything.open(path, key: change.to)
    #expect(try await copy.findings() == [])
    #expect(try await EverythingStore.answers(of: copy) == everything.answers)
    #expect(try await copy.frontier() == source.frontier())
    #expect(Store.seemsEncrypted(at: path) == (change.to != nil))
    try await copy.set("hat 1", "size", 13)
    #expect(try await copy.findings() == [])
    try await copy.close()
    try await source.close()
    #expect(try LeftBytes.count(in: scratch.path) == 1)
  }

  @Test func `is made of a store in memory`() async throws {
    let store = try await Store.open(.inMemory)
    try await store.create("Hat", id: "hat-1", ["color": "red"])
    let key = StoreKey.random()
    let path = scratch.path("copy")
    try await store.backup(to: path, encryption: .key(key))
    try await store.close()
    #expect(try await EncryptedStore.color(path, key) == "red")
  }

  @Test(.enabled(if: PlainFiles.areUsed)) func `is made while others write, in one state`()
    async throws
  {
    let store = try await EncryptedStore.open(scratch.path("store"), nil)
    for number in Int64(0)..<2_000 { try await store.create("Hat", ["size": .int(number)]) }
    let writer = Task {
      while !Task.isCancelled { try await store.create("Hat", ["size": 0]) }
    }
    let key = StoreKey.random()
    let report = try await store.backup(to: scratch.path("copy"), encryption: .key(key))
    writer.cancel()
    _ = await writer.result
    #expect(report.isClean)
    try await store.close()
    let copy = try await EncryptedStore.open(scratch.path("copy"), key)
    #expect(try await copy.count(Query("Hat")) >= 2_000)
    try await copy.close()
  }

  @Test func `leaves nothing if the name is taken`() async throws {
    let key = StoreKey.random()
    try await EncryptedStore.make(scratch.path("store"), key)
    try await EncryptedStore.make(scratch.path("taken"), key)
    let store = try await EncryptedStore.open(scratch.path("store"), key)
    await expectRefusal(.invalidArgument) {
      _ = try await store.backup(to: scratch.path("taken"), encryption: .plain)
    }
    try await store.close()
    #expect(try LeftBytes.count(in: scratch.path) == 2)
  }

  @Test(.enabled(if: PlainFiles.areUsed))
  func `of a plain store that may only be read is made too`() async throws {
    let path = scratch.path("store")
    try await EncryptedStore.make(path, nil)
    let store = try await EncryptedStore.open(path, nil) { $0.isReadOnly = true }
    let key = StoreKey.random()
    try await store.backup(to: scratch.path("copy"), encryption: .key(key))
    try await store.close()
    #expect(try await EncryptedStore.color(scratch.path("copy"), key) == "red")
    #expect(try LeftBytes.count(in: scratch.path) == 2)
  }
}
