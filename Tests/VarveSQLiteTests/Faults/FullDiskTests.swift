import Foundation
import Testing
import VarveCore
import VarveStore
import VarveTestSupport

@Suite("A disk that is full")
struct FullDiskTests {
  @Test func `fails the transaction without a trace, and writing works again once there is room`()
    async throws
  {
    for byteCount in [150_000, 400_000, 1_000_000] {
      let scratch = try Scratch()
      let path = scratch.path("store")
      let lines = try await Torture.run("limited", path, "\(byteCount)")
      let acknowledged = lines.compactMap(CommitName.init)
      let failures = lines.filter { $0.hasPrefix("failed") }
      #expect(failures.count == 1)
      for failure in failures { #expect(failure == "failed diskFull true true") }
      let kept = acknowledged.count - 1
      #expect(lines.contains("counted \(kept * 100) after \(kept)"), "\(lines.suffix(3))")
      #expect(lines.last == "checked []")
      let store = try await Store.open(path)
      #expect(try await Set(store.log().map { CommitName($0.id) }) == Set(acknowledged))
      try await store.close()
    }
  }

  @Test(.enabled(if: Shell.mayMount))
  func `a disk that is full is reported as such if it is a disk`() async throws {
    let disk = try SmallDisk(kilobytes: 3 << 10)
    let store = try await Store.open(disk.path("store"))
    var written = 0
    await expectRefusal(.diskFull) {
      while true {
        try await write(written, to: store)
        written += 1
      }
    }
    #expect(written > 2)
    #expect(try await store.log().count == written)
    #expect(try await store.count(Query("Film")) == written)
    // No room for the checkpoint of a close either.
    try await store.close()
    let again = try await Store.open(disk.path("store"))
    #expect(try await again.log().count == written)
    await expectRefusal(.diskFull) { while true { try await write(written, to: again) } }
    try disk.grow(kilobytes: 30 << 10)
    let count = try await again.log().count
    try await write(count, to: again)
    #expect(try await again.log().count == count + 1)
    #expect(try await again.check().findings == [])
    try await again.close()
  }

  @Test(.enabled(if: Shell.mayMount))
  func `a disk that is full is reported as such by a backup, which leaves no file`() async throws {
    let (scratch, disk) = (try Scratch(), try SmallDisk(kilobytes: 1 << 10))
    let store = try await Store.open(scratch.path("store"))
    for n in 0..<40 { try await write(n, to: store) }
    await expectRefusal(.diskFull) { try await store.backup(to: disk.path("copy")) }
    #expect(!FileManager.default.fileExists(atPath: disk.path("copy")))
    try disk.grow(kilobytes: 30 << 10)
    try await store.backup(to: disk.path("copy"))
    try await store.close()
  }

  private func write(_ n: Int, to store: Store) async throws {
    let bytes = Data((0..<60_000).map { UInt8(truncatingIfNeeded: $0 &* ($0 ^ n) >> 3) })
    try await store.create("Film", id: EntityID("film \(n) \(UUID())"), ["bytes": .data(bytes)])
  }
}
