import Testing
import VarveCore
import VarveStore
import VarveTestSupport

@Suite("Undoing one of many saves")
struct LongHistoryUndoTests {
  /// Compared with the time for reading the history, which an undo must not do.
  @Test(arguments: [Engine.memory, .file])
  func `undoing one of many saves reads what was written since`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.create("Hat", id: "hat", ["size": 0, "color": "red"])
    var commits: [CommitID] = []
    for number in 1...4_000 {
      let commit = try await store.commit {
        try await $0.set("hat", "size", .int(Int64(number)))
      }.commit
      commits.append(try #require(commit).id)
    }
    // The least of several times: a commit may have to move the log.
    var time = Duration.seconds(60)
    for commit in commits.suffix(3).reversed() {
      let undone = try await clocked { try await store.undo(commit) }
      #expect(undone.result.skipped == [])
      time = min(time, undone.time)
    }
    #expect(try await store.require("hat")["size"] == 3_997)
    let read = try await clocked { try await store.history(of: "hat") }
    #expect(read.result.count > 4_000)
    #expect(time * 4 < read.time, "\(time) instead of \(read.time)")
  }

  @Test(
    arguments: Seeds.first(6, of: 1..<300)
  )
  func `undoing one of many saves gives what undoing it with the whole history gives`(seed: UInt64)
    async throws
  {
    var outcomes: [String] = []
    for engine in [Engine.reference, .memory] {
      var random = SplitMix64(seed: seed)
      let clock = TestClock()
      let store = try await makeStore(engine, clock: clock)
      let other = try await makeStore(engine, clock: clock)
      try await store.create("Hat", id: "hat", ["size": 0])
      var commits: [CommitID] = []
      var outcome = ""
      for number in 1...30 {
        clock.advance(by: Int64.random(in: 1...5, using: &random))
        let keys: [PropertyKey] = ["size", "color", "brim"]
        guard let key = keys.randomElement(using: &random) else { continue }
        let back = Int64.random(in: 1...40, using: &random)
        let date: HybridTime? =
          Int.random(in: 0..<4, using: &random) == 0
          ? HybridTime(millisecondsSince1970: clock.now - back) : nil
        switch Int.random(in: 0..<12, using: &random) {
        case 0 where !commits.isEmpty:
          guard let id = commits.randomElement(using: &random) else { continue }
          let report = try await store.undo(id)
          outcome += " \(report.properties.map(\.key)) \(report.skipped.map(\.reason))"
          if let commit = report.commit { commits.append(commit.id) }
        case 1:
          try await other.merge(from: store)
          _ = try? await other.set("hat", key, .int(Int64(-number)))
          try await store.merge(from: other)
        case 2:
          try await store.erase("hat")
          try await store.create("Hat", id: "hat", ["size": -1])
        default:
          // A date before the present life is refused.
          let written = try? await store.commit {
            try await $0.set("hat", key, .int(Int64(number)), at: date?.date)
          }
          if let commit = written?.commit { commits.append(commit.id) }
        }
      }
      for place in commits.indices.shuffled(using: &random).prefix(8) {
        clock.advance(by: 3)
        let report = try await store.undo(commits[place])
        outcome += " \(place): \(report.properties.map(\.key)) \(report.skipped.map(\.reason))"
      }
      let entity = try await store.require("hat")
      outcome += " \(entity.keys.sorted().map { "\($0)=\(entity[$0] ?? "")" })"
      outcomes.append(outcome)
    }
    #expect(outcomes[0] == outcomes[1], "seed \(seed)")
  }

  private func clocked<Result>(
    _ body: () async throws -> Result
  ) async throws -> (result: Result, time: Duration) {
    let start = ContinuousClock.now
    let result = try await body()
    return (result, ContinuousClock.now - start)
  }
}
