#if CommandLine && Server && YAML
import Foundation
import Testing
import VarveStore
import VarveTestSupport

/// Withheld commits that fall due while no program has the store open.
@Suite struct DueCommitTests {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  /// Makes a store whose clock was an hour slow when it got a commit, which it withheld.
  private func withholding() async throws -> String {
    let (hats, late) = (scratch.path("hats.varve"), scratch.path("late.varve"))
    let there = try await Store.open(hats)
    try await there.create("Hat", id: "hat-1", ["color": "red"])
    var slow = Store.Configuration()
    slow.wallMilliseconds = { Int64((Date().timeIntervalSince1970 - 3_600) * 1_000) }
    let here = try await Store.open(late, configuration: slow)
    #expect(try await here.merge(from: there).withheldCount == 1)
    try await there.close()
    try await here.close()
    return late
  }

  @Test(arguments: [
    ["get", "STORE", "hat-1", "color"], ["list", "STORE", "Hat"], ["history", "STORE", "hat-1"],
    ["query", "STORE", "SELECT color FROM Hat"],
  ])
  func `a reading command shows what has fallen due`(arguments: [String]) async throws {
    let store = try await withholding()
    let run = try await Program.varve(arguments.map { $0 == "STORE" ? store : $0 })
    #expect(run.status == 0, "\(run)")
    #expect(run.output.contains("red"), "\(run)")
  }

  @Test func `a store that is open for reading shows the state without it`() async throws {
    let store = try await withholding()
    let here = try await Store.open(store, configuration: readOnly)
    #expect(try await here.hasDueCommits())
    #expect(try await here.entity("hat-1") == nil)
    try await here.close()
  }

  private var readOnly: Store.Configuration {
    var configuration = Store.Configuration()
    configuration.isReadOnly = true
    return configuration
  }
}
#endif
