import VarveCore

/// The rules.
extension HomeTrial {
  mutating func order() async throws {
    let commits = (0..<4).map { _ in commit() }
    let kinds: [HomeArrival.Kind] = [.commit, .withheldCommit, .commit, .commit]
    var heads = [try await home.head()]
    for (kind, commit) in zip(kinds, commits) { heads.append(try await add([(kind, commit)])) }
    heads.append(try await add([(.release, commits[1]), (.completion, commits[3])]))
    let all = try await listing(after: nil) ?? []
    try TrialFailure.unless(all.count == 4 * 3 + 1 + 3, "the arrivals are \(all)")
    let last = heads[heads.count - 1]
    try TrialFailure.unless(
      heads.map(\.position.number) == [0, 1, 2, 3, 4, 6],
      "the positions are \(heads.map(\.position.number))"
    )
    for (head, dropped) in zip(heads, [0, 3, 6, 9, 12, 16]) {
      let rest = try await listing(after: head.position)
      try TrialFailure.unless(
        rest == Array(all.dropFirst(dropped)),
        "after \(head.position.number) come \(rest ?? [])"
      )
    }
    let read = try await home.arrivals(after: nil) { _ in }
    try TrialFailure.unless(read == last, "the head is \(last), but reading ends at \(read as Any)")
  }

  mutating func positions() async throws {
    let other = try await subject.open()
    for number in 0..<6 {
      let head = try await add([(.commit, commit())], at: number % 2 == 0 ? home : other)
      try TrialFailure.unless(try await home.head() == head, "a host sees another head")
      try TrialFailure.unless(try await other.head() == head, "the other host sees another head")
    }
    let left = try await listing(after: nil)
    let right = try await listing(after: nil, at: other)
    try TrialFailure.unless(left == right, "two hosts read different arrivals")
    // The same commits in another order have another hash.
    var position = HomePosition(incarnation: 0)
    var turned = position
    let pair = [commit(), commit()].map { HomeArrival(.commit, $0.id) }
    for arrival in pair { position.advance(past: arrival) }
    for arrival in pair.reversed() { turned.advance(past: arrival) }
    try TrialFailure.unless(position.running != turned.running, "the order is not in the hash")
  }

  mutating func unknownPosition() async throws {
    let first = try await add([(.commit, commit())]).position
    try await subject.backUp()
    let lost = try await add([(.commit, commit())]).position
    try await subject.goBack()
    _ = try await add([(.commit, commit())])
    let strange = [
      lost, first.of(incarnation: first.incarnation ^ 1),
      HomePosition(incarnation: first.incarnation, number: 99, running: first.running),
      HomePosition(incarnation: first.incarnation, number: 1, running: first.running ^ 1),
    ]
    for position in strange {
      let listing = try await listing(after: position)
      try TrialFailure.unless(listing == nil, "the position \(position) is known")
    }
    try TrialFailure.unless(try await listing(after: first)?.count == 3, "a kept position is lost")
  }

  mutating func exclusion() async throws {
    let others = [home, try await subject.open(), try await subject.open()]
    let inside = TurnCounter()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<9 {
        let other = others[number % others.count]
        group.addTask {
          try await other.exclusively(patienceMilliseconds: 120_000) { _ in
            await inside.enter()
            try await Task.sleep(for: .milliseconds(1))
            await inside.leave()
          }
        }
      }
      try await group.waitForAll()
    }
    let most = await inside.most
    try TrialFailure.unless(most == 1, "\(most) hosts had a turn at once")
  }

  mutating func fencing() async throws {
    let (mine, theirs) = (commit("mine"), commit("theirs"))
    let late = try await subject.lostTurn()
    try await add([(.commit, theirs)])
    let refusal = try await code { _ = try await Self.add([(.commit, mine)], in: late) }
    try TrialFailure.unless(refusal == .busy, "a lost turn ends with \(refusal as Any)")
    let lines = try await listing(after: nil) ?? []
    try TrialFailure.unless(
      lines.count == 3 && lines[0].contains(theirs.id.hash.hexadecimal),
      "a lost turn left \(lines)"
    )
  }

  mutating func tracelessness() async throws {
    struct Refused: Error {}
    try await add([(.commit, commit())])
    let before = try await home.head()
    let next = commit()
    for place in 0..<3 {
      do {
        try await home.exclusively(patienceMilliseconds: 10_000) { turn in
          if place == 0 { throw Refused() }
          var count = 0
          _ = try await turn.commit(HomeChanges()) {
            count += 1
            if count > place { throw Refused() }
            return .arrival(HomeArrival(.release, next.id))
          }
        }
      } catch is Refused {}
      let head = try await home.head()
      try TrialFailure.unless(head == before, "a turn that failed at \(place) left \(head)")
    }
    try await add([(.commit, next)])
  }

  mutating func patience() async throws {
    let other = try await subject.open()
    let result = try await home.exclusively(patienceMilliseconds: 10_000) { _ in
      try await code { try await other.exclusively(patienceMilliseconds: 30) { _ in } }
    }
    try TrialFailure.unless(result == .busy, "a host that waited for too long got \(result as Any)")
  }

  mutating func clock() async throws {
    for change in [0, 5_000, -60_000] as [Int64] {
      subject.clock.advance(by: change)
      let time = try await home.exclusively(patienceMilliseconds: 10_000) { $0.time }
      try TrialFailure.unless(
        time.millisecondsSince1970 == subject.clock.now,
        "the time of a turn is \(time), not the home's"
      )
    }
  }

  mutating func copies() async throws {
    let first = try await add([(.commit, commit())])
    var changes = HomeChanges()
    changes.replica = ReplicaID(high: 7, low: 7)
    let second = try await add([(.commit, commit())], changes)
    try TrialFailure.unless(second.replica == changes.replica, "the replica is \(second.replica)")
    try TrialFailure.unless(
      second.position.incarnation == first.position.incarnation,
      "the incarnation changed with the replica"
    )
    try TrialFailure.unless(
      try await listing(after: first.position)?.count == 3,
      "a position is lost with the replica"
    )
    changes.isAnotherCopy = true
    let third = try await add([], changes)
    try TrialFailure.unless(
      third.position.incarnation != second.position.incarnation && third.position.number == 2,
      "the new copy is at \(third.position)"
    )
    try TrialFailure.unless(
      try await listing(after: second.position) == nil,
      "a position of the former copy is known"
    )
    try TrialFailure.unless(
      try await subject.open().head() == third,
      "another host sees another head"
    )
  }

  mutating func replacing() async throws {
    let secret = "a very plain secret"
    let (first, second) = (commit(secret), commit("kept"))
    try await add([(.commit, first), (.commit, second)])
    let before = try await listing(after: nil) ?? []
    var changes = HomeChanges()
    changes.replaced = [first.with(commit("nothing").blocks), commit("never here")]
    let third = commit()
    let head = try await add([(.commit, third)], changes)
    let after = try await listing(after: nil) ?? []
    try TrialFailure.unless(head.position.number == 3, "replacing moved the head to \(head)")
    try TrialFailure.unless(
      after.count == 9 && zip(before, after).filter { $0 != $1 }.count == 1,
      "replacing made \(after) of \(before)"
    )
    try TrialFailure.unless(
      try await !subject.stores(Array(secret.utf8)),
      "what was replaced is still stored"
    )
  }

  mutating func principals() async throws {
    let (first, second) = (commit(), commit())
    try await add([(.commit, first)])
    _ = try await add([(.commit, second)], by: "ben")
    var names: [String?] = []
    _ = try await home.arrivals(after: nil) { part in
      if case .arrival(let arrival) = part { names.append(arrival.principal) }
    }
    try TrialFailure.unless(names == [nil, "ben"], "the callers are \(names)")
  }

  mutating func records() async throws {
    let written: [[UInt8]] = [[1, 2, 3], [], [1, 2, 3], Array(repeating: 7, count: 100_000)]
    let commit = commit()
    let parts: [HomePart] =
      written.flatMap { [HomePart.arrival(.record($0)), .record($0)] }
      + [.arrival(HomeArrival(.commit, commit.id)), .part(.header(commit.header))]
      + commit.blocks.map { .part(.block($0)) }
    var rest = parts[...]
    let head = try await home.exclusively(patienceMilliseconds: 10_000) { turn in
      try await turn.commit(HomeChanges()) { rest.popFirst() }
    }
    try TrialFailure.unless(head.position.number == 5, "the position is \(head.position.number)")
    var position = HomePosition(incarnation: head.position.incarnation)
    for bytes in written { position.advance(past: .record(bytes)) }
    let turned = position
    position.advance(past: HomeArrival(.commit, commit.id))
    try TrialFailure.unless(position == head.position, "the bytes are not in the hash")
    var read: [[UInt8]] = []
    let other = try await subject.open()
    _ = try await other.arrivals(after: nil) { part in
      if case .record(let bytes) = part { read.append(bytes) }
    }
    try TrialFailure.unless(read == written, "the records are \(read.map(\.count))")
    let last = try await listing(after: turned, at: other) ?? []
    try TrialFailure.unless(last.count == 3, "after the records come \(last)")
  }

  mutating func announcements() async throws {
    let other = try await subject.open()
    let last = writer.last?.sequence ?? 0
    let seen = Task {
      var numbers: [Int64] = []
      for await head in other.heads() {
        numbers.append(head.position.number)
        if head.position.number == last + 3 { break }
      }
      return numbers
    }
    for _ in 0..<3 { try await add([(.commit, commit())]) }
    let numbers = await seen.value
    try TrialFailure.unless(
      numbers == numbers.sorted() && numbers.last == last + 3,
      "the heads \(numbers) were announced"
    )
  }

  mutating func space() async throws {
    let other = try await subject.open()
    try TrialFailure.unless(other.space == home.space, "two hosts see two spaces")
    try await subject.backUp()
    try await add([(.commit, commit())])
    try await subject.goBack()
    let restored = try await subject.open()
    try TrialFailure.unless(restored.space == home.space, "a restored space has another id")
  }
}

/// Counts those inside at once.
private actor TurnCounter {
  private var present = 0
  private(set) var most = 0

  func enter() {
    present += 1
    most = max(most, present)
  }

  func leave() { present -= 1 }
}
