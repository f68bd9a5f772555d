#if CommandLine && Server && YAML
import Foundation
import Testing
import VarveStore
import VarveTestSupport

/// Commits of a device whose clock was ahead (R11): both sides say whose, how many, and until when.
@Suite struct WithheldReportTests {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  /// Makes a store in which a device wrote while its clock was a year ahead.
  private func ahead() async throws -> (path: String, replica: String) {
    let path = scratch.path("ahead.varve")
    var fast = Store.Configuration()
    fast.wallMilliseconds = { Int64((Date().timeIntervalSince1970 + 31_536_000) * 1_000) }
    let store = try await Store.open(path, configuration: fast)
    try await store.create("Hat", id: "hat-1", ["color": "red"])
    try await store.set("hat-1", "color", "blue")
    let replica = try await store.replica().text
    try await store.close()
    return (path, replica)
  }

  private func normal() async throws -> String {
    let path = scratch.path("normal.varve")
    try await Store.open(path).close()
    return path
  }

  private func year(_ run: Program.Run) -> Bool {
    run.output.contains(String(Calendar(identifier: .gregorian).component(.year, from: Date()) + 1))
  }

  @Test(arguments: [true, false])
  func `sync names both sides, whichever is named first`(aheadFirst: Bool) async throws {
    let (there, replica) = try await ahead()
    let here = try await normal()
    let run = try await Program.varve(["sync"] + (aheadFirst ? [there, here] : [here, there]))
    #expect(run.status == 0, "\(run)")
    let lines = run.output.split(separator: "\n").filter { $0.contains(replica) }
    #expect(lines.count == 2, "\(run)")
    #expect(
      lines.contains { $0.contains("normal.varve: 2 commits") && $0.contains("withheld until") },
      "\(run)"
    )
    #expect(lines.contains { $0.contains("ahead.varve: 2 commits") && $0.contains("others") })
    #expect(year(run))
  }

  @Test(arguments: ["stats", "check"])
  func `stats and check say it of both stores`(command: String) async throws {
    let (there, replica) = try await ahead()
    let here = try await normal()
    _ = try await Program.varve(["sync", here, there])
    for (path, isWithheld) in [(here, true), (there, false)] {
      let run = try await Program.varve([command, path])
      #expect(run.status == 0, "\(run)")
      #expect(run.output.contains("2 commits of replica \(replica)"), "\(run)")
      #expect(run.output.contains(isWithheld ? "withheld until" : "others withhold"), "\(run)")
      let json = try await Program.varve([command, path, "--json"])
      #expect(json.output.contains("\"withheld\":\(isWithheld)"), "\(json)")
    }
  }

  @Test func `the first write after the clock is right says what was written before`() async throws
  {
    let (there, replica) = try await ahead()
    let first = try await Program.varve(["create", there, "Hat", "--id", "hat-2"])
    #expect(first.status == 0, "\(first)")
    #expect(first.errors.contains("2 commits of replica \(replica)"), "\(first)")
    let second = try await Program.varve(["create", there, "Hat", "--id", "hat-3"])
    #expect(second.status == 0 && second.errors.isEmpty, "\(second)")
  }

  @Test func `nothing is said of stores whose clocks are right`() async throws {
    let here = try await normal()
    for command in ["stats", "check"] {
      let run = try await Program.varve([command, here])
      #expect(!run.output.contains("clock"), "\(run)")
    }
  }

  @Test func `sync names who died in either store`() async throws {
    let (here, there) = (scratch.path("here.varve"), scratch.path("there.varve"))
    let store = try await Store.open(here)
    try await store.create("Hat", id: "hat-1")
    let other = try await Store.open(there)
    try await other.merge(from: store)
    try await store.erase("hat-1")
    try await store.close()
    try await other.close()
    let run = try await Program.varve(["sync", here, there])
    #expect(run.output.contains("died in \(there) by the merge: hat-1"), "\(run)")
  }
}
#endif
