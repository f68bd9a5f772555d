import Foundation
import Testing
import VarveCore
import VarveSQLite
import VarveStore
import VarveTestSupport

@Suite("Two processes that write one file", .serialized)
struct TwoWritersTests {
  @Test func `lose no commit, leave no gap, and see each other's types and keys`() async throws {
    let scratch = try Scratch()
    let path = scratch.path("store")
    let count = 120
    // Both make the store, as it is not there yet.
    let writers = [
      try Torture("start", path, "writer a", "\(count)"),
      try Torture("start", path, "writer b", "\(count)"),
    ]
    for writer in writers { try await writer.said(1) }
    let reader = try await Store.open(path)
    try Data().write(to: URL(fileURLWithPath: path + ".go"))
    var seen = 0
    while writers.contains(where: \.isRunning) {
      seen = try await expectGrowth(reader, from: seen)
    }
    for writer in writers {
      #expect(writer.status == 0, "\(writer.lines.last ?? "")")
      #expect(writer.acknowledged.count == count)
    }
    // One may be done before the other gets its turn, but then the other finds all of it.
    #expect(writers.contains { $0.lines.contains { $0.hasPrefix("saw writer") } })
    let log = try await reader.log()
    #expect(Set(log.map { CommitName($0.id) }) == Set(writers.flatMap(\.acknowledged)))
    #expect(log.map(\.id.sequence) == (1...Int64(2 * count)).reversed())
    let types = try await reader.types().map(\.type.text)
    #expect(types.contains { $0.hasPrefix("writer a") })
    #expect(types.contains { $0.hasPrefix("writer b") })
    #expect(try await reader.check().findings == [])
    try await reader.close()
  }

  /// Each state read holds at least what the one before held, whole.
  private func expectGrowth(_ reader: Store, from seen: Int) async throws -> Int {
    let (log, ledgers) = try await reader.read { snapshot in
      (try await snapshot.log(), try await snapshot.fetch(Query("Ledger")))
    }
    let total = ledgers.reduce(0) { $0 + ($1["n"]?.intValue ?? 0) }
    #expect(Int(total) == log.count)
    #expect(log.count >= seen)
    return log.count
  }

  @Test(arguments: 0..<5)
  func `two processes that write one file can make the same store at once`(round: Int) async throws
  {
    let scratch = try Scratch()
    let path = scratch.path("store")
    let writers = try (0..<4).map { try Torture("write", path, "writer \($0)", "1") }
    for writer in writers {
      try await writer.end()
      #expect(writer.status == 0, "\(writer.lines.last ?? "")")
    }
    let store = try await Store.open(path)
    #expect(try await store.log().map(\.id.sequence) == [4, 3, 2, 1])
    #expect(try await store.check().findings == [])
    try await store.close()
  }

  @Test func `two processes that write one file wait for each other only as long as configured`()
    async throws
  {
    let scratch = try Scratch()
    let path = scratch.path("store")
    let holder = try Torture("hold", path, "3000")
    try await holder.said(1)
    var configuration = Store.Configuration()
    configuration.writerPatience = .milliseconds(300)
    let store = try await Store.open(path, configuration: configuration)
    let start = ContinuousClock.now
    await expectRefusal(.busy) { try await store.create("Hat") }
    let waited = ContinuousClock.now - start
    #expect(waited >= .milliseconds(300))
    #expect(waited < .milliseconds(2_000))
    #expect(try await store.types().isEmpty)
    try await holder.end()
    try await store.create("Hat")
    #expect(try await store.log().map(\.id.sequence) == [2, 1])
    try await store.close()
  }

  @Test func `can detect that a store is open, however often a process opens it`() async throws {
    let scratch = try Scratch()
    let path = scratch.path("store")
    let first = try await Store.open(path)
    try await first.create("Hat")
    #expect(try await Torture.run("locked", path) == ["locked"])
    let second = try await Store.open(path)
    try await second.close()
    #expect(try await Torture.run("locked", path) == ["locked"])
    try await first.close()
    #expect(try await Torture.run("locked", path) == ["free"])
  }
}
