import Foundation
import Testing
import VarveCore
import VarveSQLite
import VarveStore
import VarveTestSupport

@Suite("The write-ahead log")
struct CheckpointTests {
  private static let pageByteCount = 4_096
  /// The number of pages from which the log is moved into the database.
  private static let thresholdPages = 4_000

  @Test func `stays bounded over 20,000 transactions, except while a reader blocks it`()
    async throws
  {
    let scratch = try Scratch()
    let path = scratch.path("store")
    let store = try await Store.open(path)
    try await store.create("Hat", id: "hat", ["n": 0])
    let bound = (Self.thresholdPages + 200) * Self.pageByteCount
    try await write(0..<8_000, to: store, path, atMost: bound)
    // A reader holds up what is written from then on, and no more.
    try await store.read { snapshot in
      let before = try await snapshot.require("hat")["n"]
      let other = try await Store.open(path)
      try await write(8_000..<12_000, to: other, path, atMost: bound + 16_000 * Self.pageByteCount)
      #expect(try await snapshot.require("hat")["n"] == before)
      try await other.close()
    }
    try await write(12_000..<14_000, to: store, path, atMost: .max)
    #expect(logByteCount(path) <= bound)
    // Readers that come and go hold up nothing.
    let reader = Task {
      while !Task.isCancelled {
        _ = try await store.count(Query("Hat"))
        try await Task.sleep(for: .milliseconds(1))
      }
    }
    try await write(14_000..<20_000, to: store, path, atMost: bound + 4_000 * Self.pageByteCount)
    reader.cancel()
    _ = try? await reader.value
    #expect(try await store.require("hat")["n"] == 19_999)
    #expect(try await store.log(limit: 1).first?.id.sequence == 20_001)
    try await store.close()
    #expect(logByteCount(path) == 0)
  }

  @Test func `costs a small transaction no more once it has reached its size`() async throws {
    let scratch = try Scratch()
    let store = try await Store.open(scratch.path("store"))
    try await store.create("Hat", id: "hat", ["n": 0])
    var times: [Duration] = []
    for part in 0..<20 {
      let start = ContinuousClock.now
      for n in 0..<200 { try await store.set("hat", "n", .int(Int64(part * 200 + n))) }
      times.append(ContinuousClock.now - start)
    }
    let (first, last) = (times.prefix(5).min() ?? .zero, times.suffix(10).min() ?? .zero)
    #expect(last < first * 3, "\(times)")
    try await store.close()
  }

  private func write(
    _ numbers: Range<Int>,
    to store: Store,
    _ path: String,
    atMost bound: Int
  ) async throws {
    for n in numbers {
      try await store.set("hat", "n", .int(Int64(n)))
      guard n % 500 == 0 else { continue }
      #expect(logByteCount(path) <= bound, "after \(n) transactions")
    }
  }

  private func logByteCount(_ path: String) -> Int {
    let attributes = try? FileManager.default.attributesOfItem(atPath: path + "-wal")
    return attributes?[.size] as? Int ?? 0
  }
}
