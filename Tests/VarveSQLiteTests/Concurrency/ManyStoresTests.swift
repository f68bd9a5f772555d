import Foundation
import Testing
import VarveCore
import VarveSQLite
import VarveTestSupport

@Suite("Many open stores", .serialized)
struct ManyStoresTests {
  @Test func `many open stores keep few connections, and each reads what was written to it`()
    async throws
  {
    let scratch = try Scratch()
    let clock = TestClock()
    var configuration = SQLiteBackend.Configuration()
    configuration.wallMilliseconds = clock.reading()
    configuration.checksInvariants = true
    configuration.openStores = OpenStores(capacity: 4)
    var backends: [SQLiteBackend] = []
    for number in 0..<20 {
      let path = scratch.path("store-\(number)")
      backends.append(try await SQLiteBackend.open(.file(path), configuration: configuration))
    }
    var random = SplitMix64(seed: 1)
    var counts = [Int](repeating: 0, count: backends.count)
    for _ in 0..<120 {
      let number = Int(random.next() % UInt64(backends.count))
      let backend = backends[number]
      if random.chance(50) {
        clock.advance(by: 1)
        try await backend.create(EntityID(unchecked: "hat-\(counts[number])"), "Hat")
        counts[number] += 1
      }
      let count = try await backend.read(at: .now) { try await $0.count(Query("Hat")) }
      #expect(count == counts[number])
      // A writer and a reader each.
      #expect(configuration.openStores.connectionCount <= 4 * 2)
    }
    #expect(try await backends[0].findings() == [])
    for backend in backends { try await backend.close() }
    #expect(configuration.openStores.connectionCount == 0)
  }

  @Test func `many open stores share the memory there is`() async throws {
    let scratch = try Scratch()
    var configuration = SQLiteBackend.Configuration()
    let openStores = OpenStores(capacity: 8)
    configuration.openStores = openStores
    let first = try await SQLiteBackend.open(
      .file(scratch.path("first")),
      configuration: configuration
    )
    #expect(openStores.connectionShare == 64 << 20)
    openStores.budget = 16 << 20
    let second = try await SQLiteBackend.open(
      .file(scratch.path("second")),
      configuration: configuration
    )
    #expect(openStores.connectionCount * openStores.connectionShare <= 16 << 20)
    try await first.close()
    try await second.close()
  }

  @Test func `many open stores keep undone what a redaction left to do while they were idle`()
    async throws
  {
    let scratch = try Scratch()
    let backend = try await openBackend(scratch.path("store"))
    try await backend.create("hat", "Hat", ["color": .string("secret-colour")])
    try await backend.write([.purge("hat")])
    backend.closeIdleConnections()
    #expect(try await backend.findings() == [])
    try await backend.close()
    let bytes = try Data(contentsOf: URL(fileURLWithPath: scratch.path("store")))
    #expect(bytes.range(of: Data("secret-colour".utf8)) == nil)
  }

  @Test func `continue after their connections were closed, between and during reads and writes`()
    async throws
  {
    let scratch = try Scratch()
    let backend = try await openBackend(scratch.path("store"), touchCapacity: 3)
    try await backend.create("hat", "Hat", ["size": 0])
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        for number in 1...60 { try await backend.set("hat", "size", .int(Int64(number))) }
      }
      group.addTask {
        var last: Int64 = 0
        while last < 60 {
          let value = try await backend.read(at: .now) { try await $0.entity("hat")?["size"] }
          guard case .int(let size)? = value else { break }
          #expect(size >= last)
          last = size
        }
      }
      group.addTask {
        for _ in 0..<200 {
          backend.closeIdleConnections()
          await Task.yield()
        }
      }
      try await group.waitForAll()
    }
    let count = try await backend.read(at: .now) {
      try await $0.history(of: "hat", key: "size", limit: nil).count
    }
    #expect(count == 61)
    #expect(try await backend.findings() == [])
    try await backend.close()
  }

  @Test func `many open stores refuse a file that replaced theirs while they were idle`()
    async throws
  {
    let scratch = try Scratch()
    let path = scratch.path("store")
    let backend = try await openBackend(path)
    try await backend.create("hat", "Hat")
    backend.closeIdleConnections()
    for suffix in ["", "-wal", "-shm"] {
      try? FileManager.default.removeItem(atPath: path + suffix)
    }
    let error = await failure { try await backend.create("cap", "Hat") }
    #expect(error?.code == .inputOutput)
    #expect(!FileManager.default.fileExists(atPath: path))
    try await backend.close()
  }

  @Test func `many open stores keep their present in memory, whatever is idle`() async throws {
    let backend = try await openBackend()
    try await backend.create("hat", "Hat")
    backend.closeIdleConnections()
    #expect(try await backend.read(at: .now) { try await $0.count(Query("Hat")) } == 1)
    try await backend.close()
  }
}
