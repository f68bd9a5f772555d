import Foundation
import Testing
import VarveCore
import VarveSQLite
import VarveStore
import VarveTestSupport

@Suite("Changing the key of a store", .enabled(if: Store.canEncrypt))
struct RekeyTests {
  let scratch: Scratch
  let path: String
  let former: StoreKey

  init() throws {
    scratch = try Scratch()
    path = scratch.path("store")
    former = try StoreKey(passphrase: "open sesame")
  }

  private static let keys: [@Sendable () throws -> StoreKey] = [
    { try StoreKey(passphrase: "new words") }, { .random() },
  ]

  @Test(arguments: keys.indices)
  func `the new key opens it and the former does not, from the call on`(index: Int) async throws {
    let next = try Self.keys[index]()
    let store = try await EncryptedStore.open(path, former)
    try await store.create("Hat", id: "hat-1", ["color": "red"])
    let reads = try await store.changes()
    try await store.changeKey(to: next)
    #expect(try await EncryptedStore.color(path, next) == "red")
    await expectRefusal(.wrongKey) { _ = try await EncryptedStore.color(path, former) }
    // The open store goes on: it reads, writes, checks, backs up and hears of changes.
    try await store.set("hat-1", "color", "blue")
    #expect(try await store.entity("hat-1")?["color"] == "blue")
    #expect(try await store.check().isClean)
    try await store.backup(to: scratch.path("backup"))
    #expect(try await EncryptedStore.color(scratch.path("backup"), next) == "blue")
    let other = try await EncryptedStore.open(path, next)
    try await other.set("hat-1", "color", "green")
    var changes = reads.makeAsyncIterator()
    while try await store.entity("hat-1")?["color"] != "green" { _ = try await changes.next() }
    try await other.close()
    try await store.close()
    #expect(try await EncryptedStore.color(path, next) == "green")
    await expectRefusal(.wrongKey) { _ = try await EncryptedStore.color(path, former) }
  }

  @Test func `a copy from before keeps the former key`() async throws {
    let store = try await EncryptedStore.open(path, former)
    try await store.create("Hat", id: "hat-1", ["color": "red"])
    try await store.backup(to: scratch.path("backup"))
    try await store.changeKey(to: .random())
    try await store.close()
    #expect(try await EncryptedStore.color(scratch.path("backup"), former) == "red")
  }

  @Test func `no page with the former key is left in the file or its log`() async throws {
    let store = try await EncryptedStore.open(path, former)
    for number in Int64(0)..<50 {
      try await store.create("Hat", ["size": .int(number), "text": .string("\(number)" * 2_000)])
    }
    let before = try pages(of: path)
    try await store.changeKey(to: .random())
    #expect(try pages(of: path).isDisjoint(with: before))
    // The log was emptied. What it has now was written with the new key: that it was emptied.
    let log = try #require(FileManager.default.contents(atPath: path + "-wal"))
    #expect(log.count < 10 * 4_096)
    #expect(before.count > 20)
    try await store.close()
  }

  @Test func `another user of the file learns that its key is not the present one`() async throws {
    let store = try await EncryptedStore.open(path, former)
    let other = try await EncryptedStore.open(path, former)
    try await store.create("Hat", id: "hat-1", ["color": "red"])
    #expect(try await other.entity("hat-1") != nil)
    try await store.changeKey(to: .random())
    await expectRefusal(.wrongKey) { _ = try await other.entity("hat-1") }
    await expectRefusal(.wrongKey) { try await other.set("hat-1", "color", "blue") }
    try await other.close()
    #expect(try await store.entity("hat-1")?["color"] == "red")
    #expect(try await store.check().isClean)
    try await store.close()
  }

  @Test func `a read that is under way ends in the state in which it began`() async throws {
    let store = try await EncryptedStore.open(path, former)
    for number in 0..<500 { try await store.create("Hat", ["size": .int(Int64(number))]) }
    let other = try await EncryptedStore.open(path, former)
    try await other.read { state in
      #expect(try await state.count(Query("Hat")) == 500)
      try await store.changeKey(to: .random())
      try await store.create("Hat", ["size": 500])
      #expect(try await state.fetch(Query("Hat")).count == 500)
    }
    #expect(try await store.count(Query("Hat")) == 501)
    try await other.close()
    try await store.close()
  }

  @Test func `a store for reading only keeps its key`() async throws {
    try await EncryptedStore.make(path, former)
    let store = try await EncryptedStore.open(path, former) { $0.isReadOnly = true }
    await expectRefusal(.readOnly, place: false) { try await store.changeKey(to: .random()) }
    try await store.close()
    #expect(try await EncryptedStore.color(path, former) == "red")
  }

  @Test func `readers go on while the key is changed again and again`() async throws {
    let store = try await EncryptedStore.open(path, former)
    for number in 0..<200 { try await store.create("Hat", ["size": .int(Int64(number))]) }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<4 {
        group.addTask {
          for _ in 0..<200 {
            do {
              let count = try await store.fetch(Query("Hat")).count
              #expect(count == 200)
            } catch let error as VarveError where error.code == .busy {
              // The key was changed between the opening of a connection and its first read.
            }
          }
        }
      }
      group.addTask { for _ in 0..<5 { try await store.changeKey(to: .random()) } }
      try await group.waitForAll()
    }
    #expect(try await store.check().isClean)
    try await store.close()
  }

  private func pages(of path: String) throws -> Set<Data> {
    let bytes = try #require(FileManager.default.contents(atPath: path))
    return Set(
      stride(from: 0, to: bytes.count, by: 4_096).map { bytes[$0..<min($0 + 4_096, bytes.count)] }
    )
  }
}

private func * (text: String, count: Int) -> String { String(repeating: text, count: count) }
