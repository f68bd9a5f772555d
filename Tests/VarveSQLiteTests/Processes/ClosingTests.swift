import Foundation
import Testing
import VarveCore
import VarveSQLite
import VarveStore
import VarveTestSupport

@Suite("A store that is closed")
struct ClosingTests {
  private let scratch: Scratch
  private let path: String

  init() throws {
    scratch = try Scratch()
    path = scratch.path("store")
  }

  private func files() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: scratch.path).sorted()
  }

  @Test func `a store that is closed leaves one file, whatever it did`() async throws {
    for part in 0..<4 {
      let store = try await Store.open(path)
      if part > 0 { try await store.create("Hat", ["part": .int(Int64(part))]) }
      if part > 1 { _ = try await store.check() }
      if part > 2 {
        _ = try await store.fetch(Query("Hat"))
        try await store.rebuild()
      }
      try await store.close()
      #expect(try files() == ["store"], "part \(part)")
    }
  }

  @Test func `a store that is closed leaves one file while a task waits for its changes`()
    async throws
  {
    let store = try await Store.open(path)
    let changes = try await store.changes()
    let watching = Task { for try await _ in changes {} }
    for _ in 0..<5 {
      try await store.create("Hat")
      try await Task.sleep(for: .milliseconds(30))
    }
    try await store.close()
    _ = try? await watching.value
    #expect(try files() == ["store"])
  }

  @Test func `keeps the files that others need; the last one leaves one file`() async throws {
    let first = try await Store.open(path)
    try await first.create("Hat")
    let second = try await Store.open(path)
    // A store that is being read keeps its connections, however many others are open.
    try await second.read { snapshot in
      _ = try await snapshot.count(Query("Hat"))
      try await first.close()
      #expect(try files() == ["store", "store-shm", "store-wal"])
    }
    try await second.create("Hat")
    let third = try await Store.open(path)
    try await second.close()
    #expect(try await third.count(Query("Hat")) == 2)
    try await third.close()
    #expect(try files() == ["store"])
  }

  @Test func `a store that is closed leaves one file after a process was killed in it`()
    async throws
  {
    let writer = try Torture("write", path, "writer", "0")
    try await writer.said(10)
    try await writer.kill()
    #expect(try files().count == 3)
    let store = try await Store.open(path)
    let count = try await store.log().count
    #expect(count >= writer.acknowledged.count)
    try await store.close()
    #expect(try files() == ["store"])
    let again = try await Store.open(path)
    #expect(try await again.log().count == count)
    #expect(try await again.check().findings == [])
    try await again.close()
  }

  @Test func `leaves one complete file after processes that open and close it concurrently`()
    async throws
  {
    try await Store.open(path).close()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for task in 0..<4 {
        group.addTask { [path] in
          for n in 0..<8 {
            let store = try await Store.open(path)
            try await store.create("Hat", id: EntityID("hat \(task) \(n)"))
            try await store.close()
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(try files() == ["store"])
    let store = try await Store.open(path)
    #expect(try await store.count(Query("Hat")) == 32)
    #expect(try await store.check().findings == [])
    try await store.close()
  }

  @Test func `for reading only leaves the file as it is, and nothing beside it`() async throws {
    let writer = try await Store.open(path)
    try await writer.create("Hat")
    try await writer.close()
    let bytes = FileManager.default.contents(atPath: path)
    var configuration = Store.Configuration()
    configuration.isReadOnly = true
    let reader = try await Store.open(path, configuration: configuration)
    #expect(try await reader.count(Query("Hat")) == 1)
    try await reader.close()
    #expect(FileManager.default.contents(atPath: path) == bytes)
    #expect(try files() == ["store"])
  }

  @Test func `for reading only leaves the log of a killed process to writers`() async throws {
    let writer = try Torture("write", path, "writer", "0")
    try await writer.said(10)
    try await writer.kill()
    let bytes = FileManager.default.contents(atPath: path)
    var configuration = Store.Configuration()
    configuration.isReadOnly = true
    let reader = try await Store.open(path, configuration: configuration)
    let count = try await reader.log().count
    try await reader.close()
    #expect(FileManager.default.contents(atPath: path) == bytes)
    #expect(try files().contains("store-wal"))
    let store = try await Store.open(path)
    #expect(try await store.log().count == count)
    try await store.close()
    #expect(try files() == ["store"])
  }
}
