import Foundation
import Testing
import VarveCore
import VarveSQLite
import VarveTestSupport

@Suite("The commits that change lives")
struct TurnTests {
  private func hat(_ number: Int) -> EntityID { EntityID(unchecked: "hat \(number)") }

  @Test(
    .enabled(if: PlainFiles.areUsed)
  )
  func `are found in a store from before they were listed, and listed from then on`() async throws {
    let scratch = try Scratch()
    let path = scratch.path("store")
    let clock = TestClock()
    var backend = try await openBackend(path, clock: clock)
    for number in 0..<9 { try await backend.create(hat(number), "Hat", ["size": 1]) }
    let before = Moment.time(HybridTime(millisecondsSince1970: clock.now).endOfMillisecond)
    clock.advance(by: 10)
    try await backend.write([.erase("hat 1")])
    try await backend.close()
    try drop(path)

    backend = try await openBackend(path, clock: clock)
    #expect(try await page(backend, before) == ["hat 0", "hat 1", "hat 2"])
    clock.advance(by: 10)
    try await backend.write([.erase("hat 0")])
    #expect(try await page(backend, before) == ["hat 0", "hat 1", "hat 2"])
    #expect(try await page(backend, .now) == ["hat 2", "hat 3", "hat 4"])
    #expect(try await backend.findings() == [])
    try await backend.rebuild()
    #expect(try await page(backend, before) == ["hat 0", "hat 1", "hat 2"])
    try await backend.close()
  }

  private func page(_ backend: SQLiteBackend, _ moment: Moment) async throws -> [EntityID] {
    try await backend.read(at: moment) { try await $0.fetch(Query("Hat").limit(3)).map(\.id) }
  }

  /// Drops the table, as if the store had been written before there was one.
  private func drop(_ path: String) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [
      "python3", "-c",
      "import sqlite3, sys; sqlite3.connect(sys.argv[1]).execute('DROP TABLE varve_turn')", path,
    ]
    try process.run()
    process.waitUntilExit()
    try #require(process.terminationStatus == 0)
  }
}
