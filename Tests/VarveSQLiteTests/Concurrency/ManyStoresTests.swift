import Foundation
import Testing
import VarveCore
import VarveSQLite
import VarveTestSupport

@Suite("Many open stores", .serialized)
struct ManyStoresTests {
  /// The number of files that the process has open.
  private var descriptorCount: Int {
    get throws { try FileManager.default.contentsOfDirectory(atPath: "/dev/fd").count }
  }

  @Test("share descriptors, and each reads what was written to it")
  func descriptors() async throws {
    let scratch = try Scratch()
    let clock = TestClock()
    var backends: [SQLiteBackend] = []
    let before = try descriptorCount
    for number in 0..<100 {
      backends.append(try await openBackend(scratch.path("store-\(number)"), clock: clock))
    }
    var random = SplitMix64(seed: 1)
    var counts = [Int](repeating: 0, count: backends.count)
    for _ in 0..<250 {
      let number = Int(random.next() % UInt64(backends.count))
      let backend = backends[number]
      if random.chance(50) {
        clock.advance(by: 1)
        try await backend.create(EntityID(unchecked: "hat-\(counts[number])"), "Hat")
        counts[number] += 1
      }
      let count = try await backend.read(at: .now) { try await $0.count(Query("Hat")) }
      #expect(count == counts[number])
    }
    // 64 stores with a writer, a reader and their logs at most, and not all 100.
    #expect(try descriptorCount - before < 64 * 6)
    for (number, backend) in backends.enumerated() {
      if number % 25 == 0 { #expect(try await backend.findings() == []) }
      try await backend.close()
    }
    #expect(try descriptorCount - before < 8)
  }

  @Test("keep undone what a redaction left to do while they were idle")
  func scrub() async throws {
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

  @Test("continue after their connections were closed, between and during reads and writes")
  func idling() async throws {
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

  @Test("refuse a file that replaced theirs while they were idle")
  func replaced() async throws {
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

  @Test("keep their present in memory, whatever is idle")
  func memory() async throws {
    let backend = try await openBackend()
    try await backend.create("hat", "Hat")
    backend.closeIdleConnections()
    #expect(try await backend.read(at: .now) { try await $0.count(Query("Hat")) } == 1)
    try await backend.close()
  }
}
