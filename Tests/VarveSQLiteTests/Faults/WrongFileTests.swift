import Foundation
import Testing
import VarveCore
import VarveSQLite
import VarveStore
import VarveTestSupport

@Suite(
  "A file that is not, or not quite, a store",
  .serialized,
  .enabled(if: PlainFiles.areUsed)
)
struct WrongFileTests {
  @Test func `a text, a folder and a database of another program are refused and left alone`()
    async throws
  {
    let scratch = try Scratch()
    let path = scratch.path("store")
    let whole = try await storeBytes(path)
    var files: [[UInt8]] = [
      Array("just a text".utf8), Array(String(repeating: "long text ", count: 1_000).utf8),
      Array("SQLite format 3\0".utf8),
    ]
    for application: [UInt8] in [[0, 0, 0, 0], [1, 2, 3, 4]] {
      files.append(patched(whole, at: 68, with: application))
    }
    for bytes in files {
      try replaceStore(path, with: bytes)
      await expectRefusal(.notAStore) { _ = try await Store.open(path) }
      #expect(FileManager.default.contents(atPath: path) == Data(bytes))
    }
    await expectRefusal(.notAStore) { _ = try await Store.open(scratch.path) }
  }

  @Test func `a missing file or folder is named, and nothing is made`() async throws {
    let scratch = try Scratch()
    var configuration = Store.Configuration()
    configuration.createsIfMissing = false
    await expectRefusal(.notFound) {
      _ = try await Store.open(scratch.path("none"), configuration: configuration)
    }
    configuration.isReadOnly = true
    await expectRefusal(.notFound) {
      _ = try await Store.open(scratch.path("none"), configuration: configuration)
    }
    await expectRefusal(.inputOutput, .notFound) {
      _ = try await Store.open(scratch.path("none/store"))
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path) == [])
  }

  @Test
  func `a file of 0 bytes and an empty database are no stores, whatever they are opened for`()
    async throws
  {
    let scratch = try Scratch()
    let path = scratch.path("store")
    let page = patched(Array(try await storeBytes(path).prefix(4_096)), at: 68, with: [0, 0, 0, 0])
    let files = [[], patched(page, at: 28, with: [0, 0, 0, 1])]
    for bytes in files {
      try replaceStore(path, with: bytes)
      for (isReadOnly, creates) in [(false, true), (false, false), (true, true)] {
        var configuration = Store.Configuration()
        (configuration.isReadOnly, configuration.createsIfMissing) = (isReadOnly, creates)
        await expectRefusal(.notAStore) {
          _ = try await Store.open(path, configuration: configuration)
        }
        #expect(FileManager.default.contents(atPath: path) == Data(bytes))
        #expect(try scratch.names(in: "") == ["store"])
      }
    }
  }

  @Test
  func `a new store is made where its name or a link leads, but not over the log of another`()
    async throws
  {
    let scratch = try Scratch()
    let link = scratch.path("link")
    #expect(symlink("target", link) == 0)
    try await Store.open(link).close()
    #expect(try scratch.names(in: "") == ["link", "target"])
    let path = scratch.path("store")
    for suffix in ["-wal", "-journal"] {
      try Data([1]).write(to: URL(fileURLWithPath: path + suffix))
      await expectRefusal(.inputOutput) { _ = try await Store.open(path) }
      unlink(path + suffix)
    }
    #expect(try scratch.names(in: "") == ["link", "target"])
  }

  @Test func `odd names are only names`() async throws {
    let scratch = try Scratch()
    for name in ["store", "a 'quoted\" %20 name?mode=ro#x", "Zürich 🧢", ":memory:", "file:x"] {
      let path = scratch.path(name)
      let store = try await Store.open(path)
      try await store.create("Hat")
      try await store.close()
      let again = try await Store.open(path)
      #expect(try await again.count(Query("Hat")) == 1)
      #expect(try await again.check().findings == [])
      try await again.close()
    }
  }

  @Test func `a newer format is refused and left alone`() async throws {
    let scratch = try Scratch()
    let path = scratch.path("store")
    let bytes = patched(try await storeBytes(path), at: 60, with: [0, 0, 0, 99])
    try replaceStore(path, with: bytes)
    await expectRefusal(.newerFormat) { _ = try await Store.open(path) }
    #expect(FileManager.default.contents(atPath: path) == Data(bytes))
  }

  @Test func `a file that was cut off is refused as damaged, whatever is left`() async throws {
    let scratch = try Scratch()
    let path = scratch.path("store")
    let whole = try await storeBytes(path)
    let lengths =
      [1, 16, 50, 99, 100, 512, 4_095, 4_096, 8_192, whole.count / 2]
      + [whole.count - 4_096, whole.count - 1]
    for length in lengths {
      try replaceStore(path, with: whole.prefix(length))
      await expectRefusal(.damaged, .notAStore) { _ = try await Store.open(path) }
      #expect(FileManager.default.contents(atPath: path)?.count == length)
    }
  }

  @Test(arguments: 0..<20)
  func `a write-ahead log that was cut off keeps the commits before the cut`(part: Int) async throws
  {
    let scratch = try Scratch()
    let path = scratch.path("store")
    let writer = try Torture("write", path, "writer", "0")
    try await writer.said(25)
    try await writer.kill()
    let log = FileManager.default.contents(atPath: path + "-wal") ?? Data()
    #expect(log.count > 100_000)
    let length = log.count * part / 20 + part
    try log.prefix(length).write(to: URL(fileURLWithPath: path + "-wal"))
    try? FileManager.default.removeItem(atPath: path + "-shm")
    let error = await failure {
      let store = try await Store.open(path)
      let commits = try await store.log()
      #expect(commits.map(\.id.sequence).reversed() == (0..<commits.count).map { Int64($0) + 1 })
      // The newest commit may have been written without being acknowledged.
      let known = commits.dropFirst().map { CommitName($0.id) }
      #expect(Set(known).isSubset(of: writer.acknowledged))
      let findings = try await store.check().findings
      #expect(findings == [])
      try await store.close()
    }
    #expect(error == nil || error?.code == .damaged || error?.code == .notAStore, "\(error as Any)")
  }

  @Test func `a store opened for reading only is read, refuses all writes and does not change`()
    async throws
  {
    let scratch = try Scratch()
    let path = scratch.path("store")
    let bytes = try await storeBytes(path)
    var configuration = Store.Configuration()
    configuration.isReadOnly = true
    let store = try await Store.open(path, configuration: configuration)
    let other = try await Store.open(.inMemory)
    try await other.create("Hat")
    #expect(try await store.count(Query("Hat")) == 50)
    #expect(try await store.asOf(.distantPast).count(Query("Hat")) == 0)
    #expect(try await store.check().findings == [])
    let writes: [() async throws -> Void] = [
      { try await store.create("Hat") }, { try await store.rebuild() },
      { try await store.merge(from: other) },
    ]
    for write in writes {
      await expectRefusal(.readOnly, place: false) { try await write() }
    }
    try await other.merge(from: store)
    try await store.close()
    #expect(FileManager.default.contents(atPath: path) == Data(bytes))
  }

  @Test func `a read-only file is readable, and a failing write reports the reason`() async throws {
    let scratch = try Scratch()
    let path = scratch.path("store")
    _ = try await storeBytes(path)
    guard let undo = try makeImmutable(path) else { return }
    defer { undo() }
    let error = await failure {
      let store = try await Store.open(path)
      #expect(try await store.count(Query("Hat")) == 50)
      await expectRefusal(.readOnly) { try await store.create("Hat") }
      #expect(try await store.count(Query("Hat")) == 50)
      try await store.close()
    }
    #expect(error == nil || error?.code == .readOnly, "\(error as Any)")
  }

  /// Makes a file immutable, so that not even root can write to it. Returns nil if that fails.
  private func makeImmutable(_ path: String) throws -> (() -> Void)? {
    try FileManager.default.setAttributes([.posixPermissions: 0o444], ofItemAtPath: path)
    @Sendable func change(_ flag: String) -> Int32 {
      let process = Process()
      process.executableURL = URL(fileURLWithPath: "/bin/sh")
      process.arguments = ["-c", "chattr \(flag) \"$0\" 2>/dev/null", path]
      guard (try? process.run()) != nil else { return 1 }
      process.waitUntilExit()
      return process.terminationStatus
    }
    if FileManager.default.isWritableFile(atPath: path), change("+i") != 0 { return nil }
    return { _ = change("-i") }
  }

  /// The bytes of a closed store of 50 hats.
  private func storeBytes(_ path: String) async throws -> [UInt8] {
    let store = try await Store.open(path)
    try await store.write { tx in
      for n in 0..<50 {
        try await tx.create(
          "Hat",
          ["n": .int(Int64(n)), "text": .string(String(repeating: "x", count: 500))]
        )
      }
    }
    try await store.close()
    return Array(FileManager.default.contents(atPath: path) ?? Data())
  }

  private func patched(_ bytes: [UInt8], at offset: Int, with new: [UInt8]) -> [UInt8] {
    var bytes = bytes
    bytes.replaceSubrange(offset..<offset + new.count, with: new)
    return bytes
  }
}
