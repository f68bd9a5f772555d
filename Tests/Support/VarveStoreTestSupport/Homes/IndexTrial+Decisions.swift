import VarveCore
import VarveSQLite
import VarveStore
import VarveTestSupport

/// The rules for decisions of the home alone: the time, the replica, and whether a write was kept.
extension IndexTrial {
  func clocks() async throws {
    let day: Int64 = 86_400_000
    let early = try await open("early", skew: -day)
    let late = try await open("late", skew: day)
    for number in 0..<6 {
      subject.clock.advance(by: 1_000)
      let index = number % 2 == 0 ? late : early
      try await index.create(EntityID(unchecked: "\(number)"))
      for commit in try await index.backend.commits(beyond: .empty, atMost: .max).suffix(1) {
        let lead = commit.header.time.millisecondsSince1970 - subject.clock.now
        try require(lead == 0, "a commit is stamped \(lead) ms from the home's time")
      }
    }
    // Far ahead of one host's clock, not of the home's.
    var writer = ScriptedReplica(9)
    let near = writer.commit(at: subject.clock.now + 1_000, [EntityID("near").isCreated("Hat")])
    let far = writer.commit(
      at: subject.clock.now + day / 2,
      [EntityID("far").isCreated("Hat")]
    )
    _ = try await early.backend.append([near])
    _ = try await late.backend.append([far])
    try await requireEqual(early, late, try await open("fresh"), at: "the end")
    try require(try await late.store.entity("near") != nil, "a commit in time is withheld")
    try require(try await late.store.entity("far") == nil, "a commit far ahead takes effect")
  }

  func withheld() async throws {
    let (one, two) = (try await open("one"), try await open("two"))
    var writer = ScriptedReplica(9)
    let first = writer.commit(at: subject.clock.now + 3_600_000, [EntityID("a").isCreated("Hat")])
    let second = writer.commit(
      at: subject.clock.now + 3_600_001,
      [EntityID("b").isCreated("Hat")]
    )
    let report = try await one.backend.append([first, second])
    try require(report.withheldCount == 2, "\(report.withheldCount) commits are withheld")
    try await requireEqual(one, two, at: "before they are due")
    subject.clock.advance(by: 3_600_000)
    // Time alone changes no index: taking effect is an arrival.
    try await requireEqual(one, two, at: "when they are due")
    try require(try await one.store.entity("a") == nil, "an index decided on its own")
    try await two.create("c")
    try await requireEqual(one, two, try await open("fresh"), at: "the end")
    try require(try await one.store.types().first?.count == 3, "a commit is withheld still")
    var kinds: [HomeArrival.Kind] = []
    _ = try await subject.open().arrivals(after: nil) { part in
      if case .arrival(let arrival) = part { kinds.append(arrival.kind) }
    }
    try require(
      kinds == [.withheldCommit, .withheldCommit, .release, .release, .commit],
      "the arrivals are \(kinds)"
    )
  }

  func fork() async throws {
    let (one, two) = (try await open("one"), try await open("two"))
    try await one.create("one")
    let replica = try await one.backend.replica()
    try await two.set("one", 1)
    // A commit of the home's chain that the home does not know.
    var copy = ScriptedReplica(replica)
    let strange = copy.commit(at: subject.clock.now, [EntityID("two").isCreated("Hat")])
    let report = try await one.backend.append([strange])
    try require(report.replacedReplica != nil, "the fork was not noticed")
    let now = try await one.backend.replica()
    try require(now != replica, "the hosts go on under a forked replica")
    try await two.set("one", 3)
    try require(try await two.backend.replica() == now, "a host goes on under a forked replica")
    try await requireEqual(one, two, try await open("fresh"), at: "the end")
    try require(try await one.size("one") == 3, "a write is lost")
  }

  func retirement() async throws {
    let (one, two) = (try await open("one"), try await open("two"))
    try await one.create("one")
    try await two.backend.applyArrivals()
    let replica = try await two.backend.replica()
    let next = try await one.backend.leave(replica)
    try require(next != nil && next != replica, "the replica did not change")
    try await two.set("one", 1)
    try require(try await two.backend.replica() == next, "a host goes on under a retired replica")
    try require(try await two.backend.leave(replica) == nil, "a replica retired twice")
    try await requireEqual(one, two, try await open("fresh"), at: "the end")
  }

  func purge() async throws {
    let secret = "a very plain secret"
    let (one, two) = (try await open("one"), try await open("two"))
    try await one.create("hat", ["secret": .string(secret)])
    try await one.create("other", ["color": "red"])
    try await two.backend.applyArrivals()
    try require(try await subject.stores(Array(secret.utf8)), "the secret is not stored plainly")
    try await two.store.purge(["hat"])
    try require(try await !subject.stores(Array(secret.utf8)), "the home did not forget")
    let three = try await open("three")
    try await requireEqual(one, two, three, at: "the end")
    try require(try await three.backend.partialCount() == 0, "a new index lacks blocks")
  }

  // MARK: Unknown outcomes

  func foundAgain() async throws {
    let home = BreakingHome(try await subject.open(), .unknownAfter, after: 1)
    let index = try await open("index", home)
    try await index.create("one")
    try await index.set("one", 1)
    try require(try await index.size("one") == 1, "the write is not in the index")
    try await index.set("one", 2)
    let count = try await index.backend.commitCount(beyond: .empty)
    try require(count == 3, "the log has \(count) commits")
    try await requireEqual(index, try await open("other"), at: "the end")
  }

  func neverThere() async throws {
    let home = BreakingHome(try await subject.open(), .unknownBefore, after: 1)
    let index = try await open("index", home)
    try await index.create("one", ["size": 0])
    let error = await failure { try await index.set("one", 1) } as? VarveError
    try require(error?.code == .inputOutput, "a write that was not kept ends with \(error as Any)")
    try require(error?.commit != nil, "the error does not name the commit")
    try require(try await index.size("one") == 0, "the index has a write that was not kept")
    try await index.set("one", 2)
    try await requireEqual(index, try await open("other"), at: "the end")
  }

  func unreachable() async throws {
    let home = BreakingHome(try await subject.open(), .unreachableAfter, after: 1)
    let index = try await open("index", home)
    try await index.create("one", ["size": 0])
    let error = await failure { try await index.set("one", 1) } as? VarveError
    try require(error?.code == .outcomeUnknown, "the write ends with \(error as Any)")
    home.mend()
    try await index.backend.applyArrivals()
    guard let commit = error?.commit else { throw TrialFailure("the error names no commit") }
    let held = try await index.backend.held(among: [commit])
    try require(held.count == 1, "the commit that the error names is not there")
    try require(try await index.size("one") == 1, "the write is lost")
    try await requireEqual(index, try await open("other"), at: "the end")
  }
}
