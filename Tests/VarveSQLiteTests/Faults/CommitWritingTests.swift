import Foundation
import Testing
import VarveCore
import VarveSQLite
import VarveStore
import VarveTestSupport

@Suite("The pages of a commit")
struct CommitWritingTests {
  @Test func `are all in the log once it returns, and those of a failed one disturb no other`()
    async throws
  {
    let scratch = try Scratch()
    let store = try await open(scratch.path("store"))
    // Another writer of the same file, whose commits follow those that failed.
    let other = try await open(scratch.path("store"))
    var count = 0
    for (turn, size) in [1, 2, 3, 40, 1, 700, 6_000, 1, 9_000, 5].enumerated() {
      if turn % 2 == 1 {
        await #expect(throws: Refusal.self) {
          try await store.write { tx in
            try await create(size, in: tx)
            throw Refusal()
          }
        }
      }
      let writer = turn % 3 == 2 ? other : store
      try await writer.write { tx in try await create(size, in: tx) }
      count += size
      try await expect(count, inCopyOf: scratch.path("store"), at: scratch.path("copy \(turn)"))
    }
    #expect(try await store.check().findings == [])
    try await store.close()
    try await other.close()
  }

  private struct Refusal: Error {}

  /// Opens a store whose cache is too small for the larger commits, so that SQLite writes pages
  /// before they are committed.
  private func open(_ path: String) async throws -> Store {
    var configuration = SQLiteBackend.Configuration()
    configuration.openStores = OpenStores(capacity: 8)
    configuration.openStores.budget = 0
    return Store(backend: try await SQLiteBackend.open(.file(path), configuration: configuration))
  }

  private func create(_ count: Int, in transaction: WriteTransaction) async throws {
    let text = String(repeating: "brim and band ", count: 12)
    try await transaction.create(
      "Hat",
      keys: ["n", "note"],
      rows: (0..<count).map { (.new(), [.int(Int64($0)), .string(text)]) }
    )
  }

  /// Reads what the files would hold if the process ended now.
  private func expect(_ count: Int, inCopyOf path: String, at copy: String) async throws {
    for suffix in ["", "-wal"] {
      try FileManager.default.copyItem(atPath: path + suffix, toPath: copy + suffix)
    }
    let store = try await Store.open(copy)
    #expect(try await store.count(Query("Hat")) == count)
    #expect(try await store.check().findings == [])
    try await store.close()
  }
}
