import VarveCore

/// The facts that the sides exchange before commits are sent.
struct Greeting: Sendable {
  /// The stages of the comparison.
  enum Stage: Sendable {
    /// Each side learns which of the other's summits it has.
    case greeting
    /// The local summits that the other side lacks are followed down to a commit it has.
    case searching
    /// Heads of unknown state are named.
    case completing
    /// Chains are searched in which each side has a branch that the other lacks.
    case branching
    case done
  }

  var stage = Stage.greeting
  /// The newest commit of every chain here.
  var heads: [CommitID] = []
  /// The heads that were named first, which are the summits; then the others that were named.
  var ours: [CommitID] = []
  var rest: [CommitID] = []
  var theirs: [CommitID] = []
  var theirRest: [CommitID] = []
  var hasTheirRest = false
  var hello: Hello?
  var heldHere: Set<CommitID>?
  var heldThere: Set<CommitID>?
  var restHeldHere: Set<CommitID>?
  var restHeldThere: Set<CommitID>?
  /// The commits known to be on both sides.
  var common: Set<CommitID> = []
  var searches: [ChainSearch] = []
  /// The heads from which a search has started.
  var searched: Set<CommitID> = []
  /// The commits of the last question to the other side.
  var asked: [CommitID] = []

  /// Whether each side has commits whose extent the other cannot know. Both sides compute the same
  /// result.
  var isUncertain: Bool {
    (heldHere?.count ?? 0) < Set(theirs).count && (heldThere?.count ?? 0) < Set(ours).count
  }
}

extension SyncSession {
  /// The maximum number of summits that are traced: each costs at least one round of questions.
  private static let maximumSearchCount = 8

  mutating func greet(
    _ replica: ReplicaID,
    _ summits: [CommitID],
    _ heads: [CommitID]
  ) -> [SyncAction] {
    greeting.heads = heads
    greeting.ours = summits
    let hello = Hello(
      replica: replica,
      headCount: summits.count,
      wantsOutlines: wantsOutlines,
      readsPacked: packs
    )
    var actions = message(.hello(hello))
    for part in parts(summits) { actions += message(.heads(part)) }
    return actions
  }

  private func parts(_ ids: [CommitID]) -> [[CommitID]] {
    stride(from: 0, to: ids.count, by: limits.headCount).map {
      Array(ids[$0..<min($0 + limits.headCount, ids.count)])
    }
  }

  mutating func greeted(_ hello: Hello) throws -> [SyncAction] {
    try demand(greeting.hello == nil, "it greets twice")
    greeting.hello = hello
    sending.writer = CommitStreamWriter(packs: packs && hello.readsPacked)
    return lookUpIfHeard()
  }

  mutating func heard(_ ids: [CommitID]) throws -> [SyncAction] {
    let count = greeting.theirs.count + ids.count
    try demand(!ids.isEmpty, "a list of heads is empty")
    try demand(count <= greeting.hello?.headCount ?? 0, "it has more heads than announced")
    greeting.theirs += ids
    return lookUpIfHeard()
  }

  private func lookUpIfHeard() -> [SyncAction] {
    guard greeting.theirs.count == greeting.hello?.headCount else { return [] }
    return [.lookUp(greeting.theirs, .heads)]
  }

  mutating func found(_ ids: Set<CommitID>) -> [SyncAction] {
    greeting.heldHere = ids
    promise(greeting.theirs.filter { !ids.contains($0) })
    return message(.have(greeting.theirs.map(ids.contains))) + compareIfKnown()
  }

  mutating func heard(have bits: [Bool]) throws -> [SyncAction] {
    let isFirst = greeting.heldThere == nil
    let named = isFirst ? greeting.ours : greeting.rest
    try demand(
      isFirst || (!greeting.rest.isEmpty && greeting.restHeldThere == nil),
      "it reports the heads it has twice"
    )
    try demand(bits.count == named.count, "it reports other heads than were sent")
    let held = Set(zip(named, bits).filter(\.1).map(\.0))
    if isFirst {
      greeting.heldThere = held
      return compareIfKnown()
    }
    greeting.restHeldThere = held
    return compareRestIfKnown()
  }

  private mutating func compareIfKnown() -> [SyncAction] {
    guard let here = greeting.heldHere, let there = greeting.heldThere else { return [] }
    phase = .exchanging
    greeting.common = here.union(there)
    return [.causalClosure(of: Array(greeting.common))]
  }

  // MARK: What both have

  /// Handles everything that common commits had seen: both sides have that too.
  mutating func learn(common frontier: Frontier) -> [SyncAction] {
    sending.outgoing.cover = CommitCover(frontier.heads + greeting.common)
    switch greeting.stage {
    case .greeting:
      // A side that has all of the other's summits has all of the other's commits, so the other
      // sends nothing.
      guard greeting.isUncertain else { return compared() }
      greeting.stage = .searching
      let lacking = greeting.ours.filter { greeting.heldThere?.contains($0) == false }
      greeting.searches = lacking.prefix(Self.maximumSearchCount).map { ChainSearch(head: $0) }
      greeting.searched = Set(greeting.searches.map(\.head))
      return search()
    case .searching:
      greeting.stage = .completing
      let known = Set(greeting.ours).union(frontier.heads)
      greeting.rest = greeting.heads.filter { !known.contains($0) }
      var actions: [SyncAction] = []
      let parts = parts(greeting.rest)
      for (place, part) in parts.enumerated() {
        actions += message(.rest(part, isLast: place == parts.count - 1))
      }
      if parts.isEmpty { actions += message(.rest([], isLast: true)) }
      return actions + compareRestIfKnown()
    case .completing:
      greeting.stage = .branching
      greeting.searches = ChainSearch.open(
        ours: greeting.ours + greeting.rest,
        theirs: greeting.theirs + greeting.theirRest,
        heldThere: greeting.common,
        heldHere: greeting.common
      ).filter { !greeting.searched.contains($0.head) }
      return search()
    case .branching, .done: return compared()
    }
  }

  private mutating func compared() -> [SyncAction] {
    greeting.stage = .done
    guard sendsCommits else {
      sending.isAllRead = true
      return planned(0)
    }
    return [.count(beyond: sending.outgoing.cover.frontier)]
  }

  mutating func heard(rest ids: [CommitID], isLast: Bool) throws -> [SyncAction] {
    try demand(
      greeting.heldHere != nil && greeting.heldThere != nil && greeting.isUncertain,
      "it names heads again"
    )
    try demand(!greeting.hasTheirRest, "it has named all its heads")
    let count = greeting.theirRest.count + ids.count
    try demand(count <= Hello.maximumHeadCount, "it has too many heads")
    greeting.theirRest += ids
    greeting.hasTheirRest = isLast
    return isLast ? [.lookUp(greeting.theirRest, .rest)] : []
  }

  mutating func found(rest ids: Set<CommitID>) -> [SyncAction] {
    greeting.restHeldHere = ids
    let bits = greeting.theirRest.map(ids.contains)
    return (bits.isEmpty ? [] : message(.have(bits))) + compareRestIfKnown()
  }

  private mutating func compareRestIfKnown() -> [SyncAction] {
    guard greeting.stage == .completing, let here = greeting.restHeldHere,
      greeting.rest.isEmpty || greeting.restHeldThere != nil
    else { return [] }
    greeting.common.formUnion(here)
    greeting.common.formUnion(greeting.restHeldThere ?? [])
    return [.causalClosure(of: Array(greeting.common))]
  }

  // MARK: Searches

  /// Continues with the first unfinished search, or with the next stage if there is none.
  private mutating func search() -> [SyncAction] {
    while let first = greeting.searches.first {
      let questions = first.questions
      guard questions.isEmpty else { return [.predecessors(of: first.head, at: questions)] }
      if let common = first.common { greeting.common.insert(common) }
      greeting.searches.removeFirst()
    }
    return [.causalClosure(of: Array(greeting.common))]
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
    // The side that asks for a commit has it.
    greeting.common.formUnion(ids)
    return message(.answer(question.map(ids.contains)))
  }

  mutating func answered(_ bits: [Bool]) throws -> [SyncAction] {
    try demand(!greeting.asked.isEmpty, "it answers a question that was not asked")
    try demand(bits.count == greeting.asked.count, "it answers another question")
    let held = Set(zip(greeting.asked, bits).filter(\.1).map(\.0))
    greeting.searches[0].learn(asked: greeting.asked, held: held)
    greeting.asked = []
    return search()
  }
}
