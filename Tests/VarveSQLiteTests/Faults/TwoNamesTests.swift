import Foundation
import Testing
import VarveCore
import VarveSQLite
import VarveStore
import VarveTestSupport

/// SQLite keeps the write-ahead log beside the name under which a file was opened.
@Suite("A file that has two names, or loses its name while it is open")
struct TwoNamesTests {
  private let scratch: Scratch
  private let path: String
  private let other: String

  init() throws {
    scratch = try Scratch()
    path = scratch.path("store")
    other = scratch.path("other")
  }

  private func files() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: scratch.path).sorted()
  }

  /// Makes a closed store of one hat.
  private func makeStore(_ path: String, _ id: EntityID = "first") async throws {
    let store = try await Store.open(path)
    try await store.create("Hat", id: id)
    try await store.close()
  }

  private func hats(_ path: String) async throws -> [EntityID] {
    let store = try await Store.open(path)
    let hats = try await store.fetch(Query("Hat")).map(\.id)
    #expect(try await store.check().findings == [])
    try await store.close()
    return hats.sorted()
  }

  private func move(_ from: String, _ to: String) throws {
    #expect(rename(from, to) == 0)
  }

  @Test func `is refused under the second name while a process uses the first`() async throws {
    try await makeStore(path)
    #expect(link(path, other) == 0)
    let writer = try Torture("write", path, "writer", "0")
    try await writer.said(5)
    var reading = Store.Configuration()
    reading.isReadOnly = true
    for configuration in [Store.Configuration(), reading] {
      await expectRefusal(.busy) {
        _ = try await Store.open(other, configuration: configuration)
      }
    }
    let count = writer.acknowledged.count
    try await writer.said(count + 20)
    try await writer.kill()
    let store = try await Store.open(path)
    let commits = try await Set(store.log().map { CommitName($0.id) })
    #expect(commits.isSuperset(of: writer.acknowledged))
    try await store.close()
    #expect(try await hats(other) == ["first"])
  }

  @Test func `is refused under the second name while this process uses the first`() async throws {
    try await makeStore(path)
    #expect(link(path, other) == 0)
    let store = try await Store.open(path)
    await expectRefusal(.busy) { _ = try await Store.open(other) }
    try await store.create("Hat", id: "second")
    let again = try await Store.open(path)
    try await again.create("Hat", id: "third")
    try await again.close()
    try await store.close()
    #expect(try await hats(other) == ["first", "second", "third"])
    #expect(try files() == ["other", "store"])
  }

  @Test func `is used under one name after the other`() async throws {
    try await makeStore(path)
    #expect(link(path, other) == 0)
    for number in 0..<4 {
      try await makeStore(number % 2 == 0 ? other : path, EntityID("hat \(number)"))
    }
    #expect(try await hats(path).count == 5)
  }

  @Test func `is not harmed by a second name that nobody uses, nor by one of a folder`()
    async throws
  {
    try FileManager.default.createDirectory(
      atPath: scratch.path("folder"),
      withIntermediateDirectories: true
    )
    let inFolder = scratch.path("folder/store")
    let (first, second) = (try await Store.open(inFolder), scratch.path("link/store"))
    #expect(link(inFolder, other) == 0)
    #expect(symlink(scratch.path("folder"), scratch.path("link")) == 0)
    #expect(symlink(inFolder, scratch.path("symlink")) == 0)
    // A name that leads out of a link is not what it seems without its links.
    #expect(mkdir(scratch.path("folder/inner"), 0o777) == 0)
    #expect(symlink(scratch.path("folder/inner"), scratch.path("inner")) == 0)
    let names = [second, scratch.path("symlink"), scratch.path + "/inner/../store"]
    var others: [Store] = []
    for name in names { others.append(try await Store.open(name)) }
    for store in [first] + others { try await store.create("Hat") }
    for store in [first] + others {
      #expect(try await store.count(Query("Hat")) == 4)
      try await store.close()
    }
  }

  @Test func `keeps what was acknowledged before it was renamed, and refuses to write after that`()
    async throws
  {
    let store = try await Store.open(path)
    try await store.create("Hat", id: "before")
    try move(path, other)
    await expectRefusal(.inputOutput) { try await store.create("Hat", id: "after") }
    await expectRefusal(.busy) { _ = try await Store.open(other) }
    #expect(try await store.count(Query("Hat")) == 1)
    try await store.close()
    #expect(try await hats(other) == ["before"])
    #expect(try files() == ["other"])
  }

  @Test func `is not opened without the log that a killed process left beside its former name`()
    async throws
  {
    let writer = try Torture("write", path, "writer", "0")
    try await writer.said(5)
    try await writer.kill()
    #expect(link(path, other) == 0)
    await expectRefusal(.inputOutput) { _ = try await Store.open(other) }
    for suffix in ["-wal", "-shm"] { try move(path + suffix, other + suffix) }
    let store = try await Store.open(other)
    let commits = try await Set(store.log().map { CommitName($0.id) })
    #expect(commits.isSuperset(of: writer.acknowledged))
    try await store.close()
  }

  @Test func `is not mixed with another file that gets its name`() async throws {
    let store = try await Store.open(path)
    try await store.create("Hat", id: "old")
    try await store.backup(to: other)
    try await store.create("Hat", id: "lost with the file")
    try move(other, path)
    await expectRefusal(.inputOutput) { try await store.create("Hat", id: "after") }
    await expectRefusal(.busy) { _ = try await Store.open(path) }
    try await store.close()
    #expect(try await hats(path) == ["old"])
    #expect(try files() == ["store"])
  }

  @Test
  func `is not mixed with the log of another file that had its name, whose process was killed`()
    async throws
  {
    try await makeStore(other)
    let writer = try Torture("write", path, "writer", "0")
    try await writer.said(5)
    try await writer.kill()
    try move(path, scratch.path("former"))
    try move(other, path)
    let bytes = FileManager.default.contents(atPath: path)
    var reading = Store.Configuration()
    reading.isReadOnly = true
    for configuration in [Store.Configuration(), reading] {
      await expectRefusal(.inputOutput) {
        _ = try await Store.open(path, configuration: configuration)
      }
    }
    #expect(FileManager.default.contents(atPath: path) == bytes)
    // The former file is whole again under its name.
    try move(path, other)
    try move(scratch.path("former"), path)
    let store = try await Store.open(path)
    let commits = try await Set(store.log().map { CommitName($0.id) })
    #expect(commits.isSuperset(of: writer.acknowledged))
    try await store.close()
    #expect(try await hats(other) == ["first"])
  }

  @Test func `is opened with its log after both were copied or moved, even with their notes`()
    async throws
  {
    let writer = try Torture("write", path, "writer", "0")
    try await writer.said(5)
    try await writer.kill()
    let folder = scratch.path("folder")
    for line in [
      "mkdir '\(folder)' && cp -a '\(path)' '\(path)-wal' '\(folder)'",
      "mkdir '\(folder)2' && cp '\(path)' '\(path)-wal' '\(path)-shm' '\(folder)2'",
      "mkdir '\(folder)3' && mv '\(path)' '\(path)-wal' '\(path)-shm' '\(folder)3'",
    ] { #expect(try Shell.run(line) == 0) }
    for copy in [folder, folder + "2", folder + "3"] {
      let store = try await Store.open(copy + "/store")
      let commits = try await Set(store.log().map { CommitName($0.id) })
      #expect(commits.isSuperset(of: writer.acknowledged), "\(copy)")
      try await store.close()
    }
  }

  @Test
  func `is not written to after it was removed, nor after its log was, and keeps what it had`()
    async throws
  {
    let store = try await Store.open(path)
    try await store.create("Hat", id: "before")
    for suffix in ["-wal", "-shm"] { unlink(path + suffix) }
    await expectRefusal(.inputOutput) { try await store.create("Hat", id: "after") }
    await expectRefusal(.busy) { _ = try await Store.open(path) }
    try await store.close()
    #expect(try await hats(path) == ["before"])
    let again = try await Store.open(path)
    unlink(path)
    await expectRefusal(.inputOutput) { try await again.create("Hat", id: "after") }
    try await again.close()
    #expect(try files() == [])
  }

  @Test func `is not read as another file after it was idle`() async throws {
    try await makeStore(other, "other")
    let backend = try await openBackend(path)
    try await backend.create("mine", "Hat")
    backend.closeIdleConnections()
    try move(other, path)
    await expectRefusal(.inputOutput, .busy) { _ = try await backend.value("mine", "k") }
    await expectRefusal(.inputOutput, .busy) { try await backend.set("mine", "k", 1) }
    try await backend.close()
  }

  @Test func `stays the file that it is when a link to it leads elsewhere`() async throws {
    try await makeStore(other, "other")
    let name = scratch.path("name")
    #expect(symlink(path, name) == 0)
    let store = try await Store.open(name)
    try await store.create("Hat", id: "before")
    unlink(name)
    #expect(symlink(other, name) == 0)
    await expectRefusal(.inputOutput) { try await store.create("Hat", id: "after") }
    try await store.close()
    #expect(try await hats(path) == ["before"])
    #expect(try await hats(name) == ["other"])
  }

  @Test(.enabled(if: Shell.mayMount))
  func `mounted under a second name is refused there`() async throws {
    try await makeStore(path)
    try Data().write(to: URL(fileURLWithPath: other))
    #expect(try Shell.run("mount --bind '\(path)' '\(other)'") == 0)
    defer { _ = try? Shell.run("umount '\(other)'") }
    let writer = try Torture("write", path, "writer", "0")
    try await writer.said(5)
    await expectRefusal(.busy) { _ = try await Store.open(other) }
    try await writer.kill()
    await expectRefusal(.inputOutput) { _ = try await Store.open(other) }
    let store = try await Store.open(path)
    let commits = try await Set(store.log().map { CommitName($0.id) })
    #expect(commits.isSuperset(of: writer.acknowledged))
    try await store.close()
    try await makeStore(other, "there")
    #expect(try await hats(path) == ["first", "there"])
  }

  @Test(
    .enabled(if: Shell.mayMount)
  )
  func `in a folder that is mounted twice is one file, and on an overlay only warns`() async throws
  {
    let line = """
      cd '\(scratch.path)' && mkdir a b lower upper work over && mount --bind a b \
      && mount -t overlay overlay -o lowerdir=lower,upperdir=upper,workdir=work over
      """
    #expect(try Shell.run(line) == 0)
    defer { _ = try? Shell.run("cd '\(scratch.path)'; umount b; umount over") }
    let first = try await Store.open(scratch.path("a/store"))
    let second = try await Store.open(scratch.path("b/store"))
    for store in [first, second] { try await store.create("Hat") }
    for store in [first, second] {
      #expect(try await store.count(Query("Hat")) == 2)
      try await store.close()
    }
    let warnings = Warnings()
    var configuration = Store.Configuration()
    configuration.warn = { warnings.add($0) }
    let over = scratch.path("over/store")
    let store = try await Store.open(over, configuration: configuration)
    try await store.create("Hat")
    #expect(warnings.codes == [])
    try move(over, scratch.path("over/other"))
    for _ in 0..<3 { try await store.create("Hat") }
    #expect(warnings.codes == [.inputOutput])
    try await store.close()
  }

  @Test(.enabled(if: Shell.mayMountInUserSpace))
  func `a store on a file system in user space warns of its locks once, at the first write`()
    async throws
  {
    #expect(Shell.mountInUserSpace(scratch.path("there"), at: scratch.path("here")))
    defer { _ = try? Shell.run("umount '\(scratch.path)/here'") }
    let path = scratch.path("here/store")
    for expected in [[], [VarveError.Code.unsupported]] {
      let warnings = Warnings()
      var configuration = Store.Configuration()
      configuration.warn = { warnings.add($0) }
      let store = try await Store.open(path, configuration: configuration)
      #expect(warnings.codes == [])
      for _ in 0..<10 * expected.count { try await store.create("Hat") }
      #expect(try await store.count(Query("Hat")) == 10 * expected.count)
      #expect(try await store.check().findings == [])
      #expect(warnings.codes == expected)
      try await store.close()
    }
  }
}

/// The warnings that a store gave.
private final class Warnings: @unchecked Sendable {
  private let lock = NSLock()
  private var all: [VarveError] = []

  func add(_ warning: VarveError) { lock.withLock { all.append(warning) } }

  var codes: [VarveError.Code] { lock.withLock { all.map(\.code) } }
}
