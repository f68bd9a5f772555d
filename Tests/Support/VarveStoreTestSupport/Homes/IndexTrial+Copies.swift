import VarveCore
import VarveSQLite
import VarveStore
import VarveTestSupport

/// The rules of logs that move, are restored, or go back.
extension IndexTrial {
  func movingIn() async throws {
    let plain = try await open(file: "index", home: nil)
    for number in 0..<3 { try await plain.create(EntityID(unchecked: "\(number)")) }
    try await plain.store.close()
    let index = try await open("index")
    let other = try await open(file: "elsewhere", home: nil)
    try await other.create("elsewhere")
    try await index.store.sync(with: other.store)
    try await index.create("later")
    let fresh = try await open("fresh")
    try await requireEqual(index, fresh, at: "the end")
    try require(try await fresh.store.types().first?.count == 5, "the home lacks entities")
    let replicas = [try await index.backend.replica(), try await fresh.backend.replica()]
    try require(replicas[0] == replicas[1], "the hosts have replicas of their own")
  }

  func leaving() async throws {
    let index = try await open("index")
    try await index.create("one")
    let replica = try await index.backend.replica()
    try await index.store.close()
    let copy = try await open(file: "index", home: nil)
    try await copy.set("one", 1)
    try require(try await copy.backend.replica() != replica, "a copy writes the home's chain")
    try await copy.store.close()
    let other = try await open("other")
    try await other.set("one", 2)
    let again = try await open("index")
    try await requireEqual(other, again, at: "the return")
    try require(try await again.backend.replica() == replica, "the index kept its own replica")
    let heads = try await again.backend.frontier().heads
    try require(heads.count == 2, "the home has \(heads.count) heads")
  }

  func otherSpace() async throws {
    let index = try await open("index")
    try await index.create("one")
    try await index.store.close()
    let home = try FileHome(path("another home"))
    let before = try await home.head()
    let error = await failure { _ = try await open("index", home) } as? VarveError
    try require(error?.code == .invalidArgument, "another space ends with \(error as Any)")
    try require(try await home.head() == before, "another space was given something")
    try await requireEqual(try await open("index"), at: "the return")
  }

  func newerFormat() async throws {
    let home = try FileHome(path("a newer home"), format: HomeHead.newestFormat + 1)
    let error = await failure { _ = try await open("index", home) } as? VarveError
    try require(error?.code == .newerFormat, "a newer home ends with \(error as Any)")
  }

  func goingBack() async throws {
    let index = try await open("index")
    try await index.create("one")
    try await subject.backUp()
    let first = try await subject.open().head()
    try await index.create("two")
    try await subject.goBack()
    // Another host writes under the number that the lost commit had.
    subject.clock.advance(by: 1)
    let other = try await open("other")
    try await other.create("three")
    let error = await failure {
      try await other.backend.applyArrivals(atLeast: try await index.position())
    }
    try require(error != nil, "a lost position is known")
    try await index.backend.follow()
    try await requireEqual(index, other, try await open("fresh"), at: "the end")
    let head = try await subject.open().head()
    try require(head.replica != first.replica, "the hosts go on under the replica of a fork")
    try require(head.position.incarnation != first.position.incarnation, "the copy is the same")
    try require(try await other.store.types().first?.count == 3, "an entity is lost")
    try await other.set("two", 2)
    try await index.set("three", 3)
    try await requireEqual(index, other, try await open("another"), at: "later writes")
  }

  func goingBackInOrder() async throws {
    var (index, other) = (try await open("index"), try await open("other"))
    try await index.create("one")
    for round in 0..<2 {
      try await subject.backUp()
      try await index.create(EntityID(unchecked: "lost \(round)"))
      try await other.create(EntityID(unchecked: "lost as well \(round)"))
      try await index.backend.applyArrivals()
      let before = [try await index.backend.end(), try await other.backend.end()]
      try require(before[0] == before[1], "the indexes differ before the home goes back")
      try await subject.goBack()
      let third = try await open("third \(round)")
      try await third.create(EntityID(unchecked: "later \(round)"))
      try await index.backend.follow()
      try await third.create(EntityID(unchecked: "last \(round)"))
      let fresh = try await open("fresh \(round)")
      try await requireEqual(index, other, third, fresh, at: "round \(round)")
      // A place that one host names is known at every other, and the same commits follow it.
      let order = try await places(of: fresh)
      for (number, host) in [index, other, third].enumerated() {
        try require(try await places(of: host) == order, "host \(number) has another order")
        let known = try await host.backend.arrivals(after: before[0], atMost: 1, wholeUpTo: 1_000)
        try require(known == nil, "host \(number) has a place of the copy that was lost")
      }
      for opened in [index, other, third, fresh] { try await opened.store.close() }
      (index, other) = (try await open("index"), try await open("other"))
      try require(try await places(of: index) == order, "the order changes when it is opened again")
    }
    try await index.store.close()
    let copy = try await open(file: "index", home: nil)
    try await copy.create("of the copy")
    try require(try await copy.backend.check { _ in }.findings == [], "a copy has findings")
  }

  /// Returns the positions of an index's space, each with the commit before it.
  private func places(of index: Index) async throws -> [HomePosition: CommitID] {
    var places: [HomePosition: CommitID] = [:]
    let end = try await index.backend.end()
    var position = HomePosition(incarnation: end.incarnation)
    while position != end {
      guard
        let (items, next) = try await index.backend.arrivals(
          after: position,
          atMost: 1,
          wholeUpTo: 1_000_000
        ), case .commit(let commit)? = items.first, items.count == 1
      else { throw TrialFailure("an index does not know its position \(position.number)") }
      places[next] = commit.id
      position = next
    }
    return places
  }

  func goingBackBeforeAPurge() async throws {
    let secret = "a very plain secret"
    let (index, other) = (try await open("index"), try await open("other"))
    try await index.create("hat", ["secret": .string(secret)])
    try await index.create("kept", ["color": "red"])
    try await other.backend.applyArrivals()
    try await subject.backUp()
    try await index.store.purge(["hat"])
    try await subject.goBack()
    try require(try await subject.stores(Array(secret.utf8)), "the copy has nothing to forget")
    try await index.backend.follow()
    try require(try await !subject.stores(Array(secret.utf8)), "the home has it again")
    try await requireEqual(index, other, try await open("fresh"), at: "the end")
  }

  func goingBackBeforeARelease() async throws {
    let (index, other) = (try await open("index"), try await open("other"))
    var writer = ScriptedReplica(9)
    let late = writer.commit(
      at: subject.clock.now + 3_600_000,
      [EntityID("late").isCreated("Hat"), EntityID("late").has("size", 1)]
    )
    _ = try await index.backend.append([late])
    try await other.backend.applyArrivals()
    try await subject.backUp()
    subject.clock.advance(by: 3_600_000)
    try await index.create("one")
    try require(try await index.size("late") == 1, "the commit did not take effect")
    subject.clock.advance(by: -3_600_000)
    try await subject.goBack()
    try await index.backend.follow()
    try await requireEqual(index, other, try await open("fresh"), at: "the end")
    try require(try await other.size("late") == 1, "the home withholds what took effect")
  }
}

extension IndexTrial.Index {
  /// The position of the index.
  func position() async throws -> HomePosition {
    guard let position = try await backend.indexPosition() else {
      throw TrialFailure("the index has no position")
    }
    return position
  }
}
