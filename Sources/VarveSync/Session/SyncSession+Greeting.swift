import VarveCore

/// What each side learns of the other before commits go.
struct Greeting: Sendable {
  var ours: [CommitID] = []
  var theirs: [CommitID] = []
  var hello: Hello?
  var heldHere: Set<CommitID>?
  var heldThere: Set<CommitID>?
  var searches: [ChainSearch] = []
  /// What the other was asked for last.
  var asked: [CommitID] = []
}

extension SyncSession {
  mutating func greet(_ replica: ReplicaID, _ heads: [CommitID]) -> [SyncAction] {
    greeting.ours = heads
    var actions = message(.hello(Hello(replica: replica, headCount: heads.count)))
    for start in stride(from: 0, to: heads.count, by: limits.headCount) {
      let part = heads[start..<min(start + limits.headCount, heads.count)]
      actions += message(.heads(Array(part)))
    }
    return actions
  }

  mutating func greeted(_ hello: Hello) throws -> [SyncAction] {
    try demand(greeting.hello == nil, "it greets twice")
    greeting.hello = hello
    return lookUpIfHeard()
  }

  mutating func heard(_ ids: [CommitID]) throws -> [SyncAction] {
    let count = greeting.theirs.count + ids.count
    try demand(!ids.isEmpty, "a list of heads is empty")
    try demand(count <= greeting.hello?.headCount ?? 0, "it has more heads than it said")
    greeting.theirs += ids
    return lookUpIfHeard()
  }

  private func lookUpIfHeard() -> [SyncAction] {
    guard greeting.theirs.count == greeting.hello?.headCount else { return [] }
    return [.lookUp(greeting.theirs, .heads)]
  }

  mutating func found(_ ids: Set<CommitID>) -> [SyncAction] {
    greeting.heldHere = ids
    return message(.have(greeting.theirs.map(ids.contains))) + searchIfKnown()
  }

  mutating func heard(have bits: [Bool]) throws -> [SyncAction] {
    try demand(greeting.heldThere == nil, "it says twice what it has")
    try demand(bits.count == greeting.ours.count, "it speaks of other heads than were sent")
    greeting.heldThere = Set(zip(greeting.ours, bits).filter(\.1).map(\.0))
    return searchIfKnown()
  }

  private mutating func searchIfKnown() -> [SyncAction] {
    guard let here = greeting.heldHere, let there = greeting.heldThere else { return [] }
    phase = .exchanging
    sending.cover = CommitCover(here.union(there))
    greeting.searches = ChainSearch.open(
      ours: greeting.ours,
      theirs: greeting.theirs,
      heldThere: there,
      heldHere: here
    )
    return search()
  }

  /// Goes on with the first search that has not ended; sends when there is none.
  private mutating func search() -> [SyncAction] {
    while let first = greeting.searches.first {
      let questions = first.questions
      guard questions.isEmpty else { return [.predecessors(of: first.head, at: questions)] }
      if let common = first.common { sending.cover.insert(common) }
      greeting.searches.removeFirst()
    }
    return [.count(beyond: sending.cover.frontier)]
  }

  mutating func ask(_ ids: [CommitID]) -> [SyncAction] {
    guard !ids.isEmpty else {
      greeting.searches[0].learn(asked: [], held: [])
      return search()
    }
    greeting.asked = ids
    return message(.ask(ids))
  }

  mutating func asked(_ ids: [CommitID]) throws -> [SyncAction] {
    try demand(ids.count <= Message.maximumQuestionCount, "it asks for too much at once")
    receiving.questions.append(ids)
    return [.lookUp(ids, .answer)]
  }

  mutating func answer(_ ids: Set<CommitID>) -> [SyncAction] {
    guard !receiving.questions.isEmpty else { return [] }
    let question = receiving.questions.removeFirst()
    return message(.answer(question.map(ids.contains)))
  }

  mutating func answered(_ bits: [Bool]) throws -> [SyncAction] {
    try demand(!greeting.asked.isEmpty, "it answers what was not asked")
    try demand(bits.count == greeting.asked.count, "it answers another question")
    let held = Set(zip(greeting.asked, bits).filter(\.1).map(\.0))
    greeting.searches[0].learn(asked: greeting.asked, held: held)
    greeting.asked = []
    return search()
  }
}
