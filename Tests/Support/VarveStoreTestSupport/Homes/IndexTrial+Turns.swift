import VarveCore
import VarveSQLite
import VarveStore
import VarveTestSupport

/// The rules of indexes that come, go and write in turns.
extension IndexTrial {
  func lostIndex() async throws {
    let index = try await open("index")
    for number in 0..<5 { try await index.create(EntityID(unchecked: "\(number)")) }
    try await index.set("1", 3)
    let before = try await CanonicalExport(of: index.backend)
    try await index.store.close()
    try remove("index")
    let again = try await open("index")
    let after = try await CanonicalExport(of: again.backend)
    try require(before == after, "\(before.firstDifference(from: after) ?? "")")
    try await again.set("1", 4)
    try require(try await again.size("1") == 4, "a new index cannot be written")
    try require(try await again.backend.chains().count == 1, "a new index began a chain")
  }

  func ended() async throws {
    let index = try await open(
      "index",
      BreakingHome(try await subject.open(), .endsAfter, after: 2)
    )
    try await index.create("one")
    try await index.set("one", 1)
    let error = await failure { try await index.set("one", 2) }
    try require(error is BreakingHome.Ended, "the process went on with \(error as Any)")
    try require(try await index.size("one") == 1, "the index has what it could not have kept")
    try await index.store.close()
    let again = try await open("index")
    try require(try await again.size("one") == 2, "the index did not catch up")
    try await again.set("one", 3)
    try require(try await again.backend.chains().count == 1, "there is a fork")
    try await requireEqual(again, try await open("other"), at: "the end")
  }

  func turns() async throws {
    let (one, two) = (try await open("one"), try await open("two"))
    for number in 0..<6 {
      _ = try await (number % 2 == 0 ? one : two).store.write { transaction in
        let count = try await transaction.types().first?.count ?? 0
        try await transaction.create("Hat", id: EntityID(unchecked: "hat \(count)"))
      }
    }
    try await requireEqual(one, two, at: "the end")
    try require(try await one.store.types().first?.count == 6, "a write did not see the one before")
    let chains = try await one.backend.chains()
    let replicas = [try await one.backend.replica(), try await two.backend.replica()]
    try require(chains.count == 1, "the hosts wrote \(chains.count) chains")
    try require(replicas[0] == replicas[1], "the hosts have replicas of their own")
  }

  func failed() async throws {
    struct Refused: Error {}
    let index = try await open("index")
    try await index.create("one")
    let before = try await index.backend.applyArrivals()
    let error = await failure {
      _ = try await index.store.write { transaction in
        try await transaction.erase("one")
        throw Refused()
      }
    }
    try require(error is Refused, "the write ended with \(error as Any)")
    try require(try await index.backend.applyArrivals() == before, "the home has a trace")
    try await index.set("one", 1)
    try await requireEqual(index, try await open("other"), at: "the end")
  }

  func reading() async throws {
    let (one, two) = (try await open("one"), try await open("two"))
    try await one.create("one", ["size": 1])
    let home = try await subject.open()
    try await home.exclusively(patienceMilliseconds: 10_000) { _ in
      try await two.backend.applyArrivals()
      try require(try await two.size("one") == 1, "an index did not catch up beside a turn")
    }
  }

  func announcements() async throws {
    let (one, two) = (try await open("one"), try await open("two", follows: true))
    try await one.create("one", ["size": 1])
    for _ in 0..<2_000 {
      if try await two.size("one") == 1 { return try await two.store.close() }
      try await Task.sleep(for: .milliseconds(5))
    }
    throw TrialFailure("the index did not follow")
  }

  func positions() async throws {
    let (one, two) = (try await open("one"), try await open("two"))
    try await one.create("one", ["size": 1])
    guard let position = try await one.backend.applyArrivals() else {
      throw TrialFailure("the index has no position")
    }
    try await two.backend.applyArrivals(atLeast: position)
    try require(try await two.size("one") == 1, "the index is not at the position")
    let strange = position.of(incarnation: position.incarnation ^ 1)
    let error =
      await failure { try await two.backend.applyArrivals(atLeast: strange) } as? VarveError
    try require(error?.code == .invalidArgument, "an unknown position ends with \(error as Any)")
  }

  func lostTurn() async throws {
    let other = try await open("other")
    try await other.create("one", ["size": 1])
    let home = BreakingHome(
      StrayHome(try await subject.open(), subject),
      .loses { try await other.set("one", 2) }
    )
    let index = try await open("index", home)
    let error = await failure { try await index.set("one", 3) } as? VarveError
    try require(error?.code == .busy, "a lost turn ends with \(error as Any)")
    try require(try await index.size("one") != 3, "the index has a lost write")
    let again = try await open("again")
    try require(try await again.size("one") == 2, "the home has a lost write")
    try await index.store.close()
    try await requireEqual(again, other, try await open("index"), at: "the end")
  }
}

/// A home whose turns exclude nothing.
private final class StrayHome: LogHome {
  private let base: any LogHome
  private let subject: any HomeSubject

  init(_ base: any LogHome, _ subject: any HomeSubject) {
    self.base = base
    self.subject = subject
  }

  var space: SpaceID { base.space }

  func head() async throws -> HomeHead { try await base.head() }

  func heads() -> AsyncStream<HomeHead> { base.heads() }

  func arrivals(
    after position: HomePosition?,
    _ body: (HomePart) throws -> Void
  ) async throws -> HomeHead? { try await base.arrivals(after: position, body) }

  func exclusively<Result>(
    patienceMilliseconds: Int,
    _ body: (any HomeTurn) async throws -> Result
  ) async throws -> Result { try await body(try await subject.lostTurn()) }

  func flush() async throws {}

  func close() async throws {}
}
