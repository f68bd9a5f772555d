import Foundation
import Testing
import VarveCore
import VarveStore
import VarveTestSupport

@Suite("A backup")
struct BackupTests {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  /// A store with some history, an index and a searchable property.
  private func filled(_ location: Store.Location) async throws -> Store {
    let store = try await Store.open(location)
    try await store.addIndex(on: "size", of: "Hat")
    try await store.addSearch(on: ["name"], of: "Hat")
    for number in 1...20 {
      try await store.create(
        "Hat",
        id: try EntityID("hat-\(number)"),
        ["size": .int(Int64(number))]
      )
      try await store.set("hat-1", "name", .string("number \(number)"))
    }
    try await store.erase("hat-2")
    return store
  }

  /// The files of a folder that are not those of an open store.
  private var files: [String] {
    get throws {
      try FileManager.default.contentsOfDirectory(atPath: scratch.path(""))
        .filter { !$0.hasSuffix("-wal") && !$0.hasSuffix("-shm") }.sorted()
    }
  }

  @Test(arguments: [true, false])
  func `a backup has the same state and history, from a file and from memory`(isFile: Bool)
    async throws
  {
    let store = try await filled(isFile ? .file(scratch.path("store")) : .inMemory)
    let report = try await store.backup(to: scratch.path("copy"))
    #expect(report.isClean)
    #expect(try await report.commitCount == store.log().count)
    let copy = try await Store.open(scratch.path("copy"))
    let (ours, theirs) = try await (store.fetch(Query("Hat")), copy.fetch(Query("Hat")))
    #expect(theirs.map(\.id) == ours.map(\.id))
    #expect(theirs.map(\.properties) == ours.map(\.properties))
    #expect(try await copy.history(of: "hat-1") == store.history(of: "hat-1"))
    #expect(try await copy.frontier() == store.frontier())
    let words = Query("Hat").where(.matches("number 2*", [Field("name")]))
    #expect(try await copy.fetch(words).map(\.id) == ["hat-1"])
    // It is a store like any other.
    try await copy.set("hat-3", "size", 4)
    #expect(try await copy.check().isClean)
    try await copy.close()
    try await store.close()
    #expect(try files == (isFile ? ["copy", "store"] : ["copy"]))
  }

  @Test func `a backup is one state, however much is written meanwhile`() async throws {
    let store = try await Store.open(scratch.path("store"))
    try await store.create("Pair", id: "a", ["n": 0])
    try await store.create("Pair", id: "b", ["n": 0])
    try await store.create("Filler", ["text": .string(String(repeating: "abcdefgh", count: 4_000))])
    let path = scratch.path("copy")
    let writing = Task {
      var number: Int64 = 0
      while !Task.isCancelled {
        number += 1
        let value = Value.int(number)
        try await store.write { tx in
          try await tx.set("a", "n", value)
          try await tx.set("b", "n", value)
        }
      }
      return number
    }
    while try await store.entity("a")?["n"] == 0 { await Task.yield() }
    try await store.backup(to: path)
    let seen = try #require(try await store.entity("a")?["n"])
    writing.cancel()
    _ = try? await writing.value
    let copy = try await Store.open(path)
    let (a, b) = try await (copy.require("a")["n"], copy.require("b")["n"])
    #expect(a == b && a != 0)
    #expect(try #require(a?.number) <= #require(seen.number))
    try await copy.close()
    try await store.close()
  }

  @Test func `a backup replaces no file, and none that SQLite would read as its log`() async throws
  {
    let store = try await filled(.file(scratch.path("store")))
    for name in ["copy", "copy-wal", "copy-journal"] {
      let path = scratch.path(name)
      try Data("mine".utf8).write(to: URL(fileURLWithPath: path))
      let error = await failure { try await store.backup(to: scratch.path("copy")) }
      #expect(error?.code == .invalidArgument)
      #expect(FileManager.default.contents(atPath: path) == Data("mine".utf8))
      try FileManager.default.removeItem(atPath: path)
    }
    let own = await failure { try await store.backup(to: scratch.path("store")) }
    #expect(own?.code == .invalidArgument)
    let folder = await failure { try await store.backup(to: scratch.path("no/copy")) }
    #expect(folder?.code == .inputOutput)
    let inside = await failure {
      try await store.write { _ in _ = try await store.backup(to: scratch.path("copy")) }
    }
    #expect(inside?.code == .nestedTransaction)
    try await store.close()
    #expect(try files == ["store"])
  }

  @Test func `a backup that fails or is cancelled leaves no file`() async throws {
    let store = try await filled(.file(scratch.path("store")))
    // Somebody takes the name while the copy is made.
    let path = scratch.path("copy")
    let late = await failure {
      try await store.backup(to: path) { _ in
        try? Data("mine".utf8).write(to: URL(fileURLWithPath: path))
      }
    }
    #expect(late?.code == .invalidArgument)
    #expect(FileManager.default.contents(atPath: path) == Data("mine".utf8))
    try FileManager.default.removeItem(atPath: path)
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      try await store.backup(to: path)
    }
    await #expect(throws: (any Error).self) { try await task.value }
    try await store.close()
    #expect(try files == ["store"])
  }

  @Test func `a backup has the permissions of the store`() async throws {
    let store = try await filled(.file(scratch.path("store")))
    chmod(scratch.path("store"), 0o640)
    try await store.backup(to: URL(fileURLWithPath: scratch.path("copy")))
    let mode = try FileManager.default.attributesOfItem(atPath: scratch.path("copy"))
    #expect(mode[.posixPermissions] as? Int == 0o640)
    try await store.close()
  }

  @Test func `a backup of a backend without a file is refused`() async throws {
    let store = try await makeStore(.reference)
    let error = await failure { try await store.backup(to: scratch.path("copy")) }
    #expect(error?.code == .unsupported)
  }
}

extension Value {
  fileprivate var number: Int64? { if case .int(let number) = self { number } else { nil } }
}
