import Foundation
import Testing
import VarveCore
import VarveSQLite
import VarveStore
import VarveTestSupport

@Suite(
  "A file whose name makes SQLite take it for its own",
  .serialized,
  .enabled(if: PlainFiles.areUsed)
)
struct CompanionFileTests {
  private let scratch: Scratch
  /// A closed store with one hat.
  private let path: String

  init() async throws {
    scratch = try Scratch()
    path = scratch.path("store")
    let store = try await Store.open(path)
    try await store.create("Hat", id: "hat")
    try await store.close()
  }

  private func write(_ bytes: some Sequence<UInt8>, to name: String) throws {
    try Data(bytes).write(to: URL(fileURLWithPath: scratch.path(name)))
  }

  private func count() async throws -> Int {
    let store = try await Store.open(path)
    let count = try await store.count(Query("Hat"))
    try await store.close()
    return count
  }

  @Test(arguments: ["-wal", "-shm", "-journal", "-SHM"])
  func `is no name for a new store, a backup or a link's target`(suffix: String) async throws {
    await expectRefusal(.invalidArgument) { _ = try await Store.open(path + suffix) }
    await expectRefusal(.invalidArgument) { _ = try await Store.open(scratch.path("new" + suffix)) }
    let store = try await Store.open(path)
    await expectRefusal(.invalidArgument) { _ = try await store.backup(to: path + "2" + suffix) }
    try await store.close()
    #expect(symlink("store" + suffix, scratch.path("link")) == 0)
    await expectRefusal(.invalidArgument) { _ = try await Store.open(scratch.path("link")) }
    #expect(try scratch.names(in: "") == ["link", "store"])
  }

  @Test(arguments: ["-wal", "-shm", "-journal"])
  func `is refused and left alone if it is a store or a text`(suffix: String) async throws {
    let database = try Data(contentsOf: URL(fileURLWithPath: path))
    // A file that grew to the size of an index is no index either.
    let padded = database + Data(count: (32_768 - database.count % 32_768) % 32_768)
    for content in [database, padded, Data("a text of somebody".utf8)] {
      try write(content, to: "store" + suffix)
      for isReadOnly in [false, true] {
        var configuration = Store.Configuration()
        configuration.isReadOnly = isReadOnly
        await expectRefusal(.inputOutput) {
          _ = try await Store.open(path, configuration: configuration)
        }
      }
      #expect(FileManager.default.contents(atPath: path + suffix) == content)
    }
    unlink(path + suffix)
    #expect(try await count() == 1)
  }

  @Test(arguments: ["-wal", "-shm", "-journal"])
  func `keeps a store and a backup from getting the name before the suffix`(suffix: String)
    async throws
  {
    let content = try Data(contentsOf: URL(fileURLWithPath: path))
    try write(content, to: "new" + suffix)
    await expectRefusal(.inputOutput) { _ = try await Store.open(scratch.path("new")) }
    let store = try await Store.open(path)
    await expectRefusal(.inputOutput, .invalidArgument) {
      _ = try await store.backup(to: scratch.path("new"))
    }
    try await store.close()
    #expect(FileManager.default.contents(atPath: scratch.path("new" + suffix)) == content)
    #expect(try scratch.names(in: "") == ["new" + suffix, "store"])
  }

  @Test func `is used if it is what SQLite leaves: empty, zeros, or cut off`() async throws {
    for suffix in ["-wal", "-shm"] {
      for content in [[], [0, 0, 0], [UInt8](repeating: 0, count: 32_768)] as [[UInt8]] {
        try write(content, to: "store" + suffix)
        #expect(try await count() == 1)
      }
    }
    try write([0x18, 0xE2, 0x2D], to: "store-shm")
    #expect(try await count() == 1)
    try write([0x37, 0x7F], to: "store-wal")
    #expect(try await count() == 1)
    try write([UInt8](repeating: 0, count: 512), to: "store-journal")
    #expect(try await count() == 1)
    #expect(try scratch.names(in: "").contains("store"))
  }

  @Test func `is used if a process that was killed left it`() async throws {
    let writer = try Torture("write", scratch.path("torn"), "writer", "0")
    try await writer.said(5)
    try await writer.kill()
    #expect(try scratch.names(in: "").contains("torn-shm"))
    let store = try await Store.open(scratch.path("torn"))
    #expect(try await store.check().findings == [])
    try await store.close()
  }

  @Test func `is not examined while the store is open, so that SQLite keeps its locks`()
    async throws
  {
    let store = try await Store.open(path)
    try await store.create("Hat", id: "second")
    let again = try await Store.open(path)
    #expect(try await again.count(Query("Hat")) == 2)
    try await again.close()
    // Another process that recovers the log would need the locks that this one has.
    let writer = try Torture("write", path, "writer", "0")
    try await writer.said(3)
    try await writer.kill()
    try await store.create("Hat", id: "third")
    #expect(try await store.check().findings == [])
    try await store.close()
    #expect(try await count() >= 3)
  }

  @Test func `a name or a path without room for its files is refused as too long`() async throws {
    let name = String(repeating: "n", count: 248)
    await expectRefusal(.invalidArgument) { _ = try await Store.open(scratch.path(name)) }
    let longest = String(name.dropLast())
    try await Store.open(scratch.path(longest)).close()
    let folder = scratch.path(name) + "/" + name
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    await expectRefusal(.invalidArgument) { _ = try await Store.open(folder + "/x") }
    await expectRefusal(.invalidArgument) { _ = try await Store.open(path + "/") }
  }
}
