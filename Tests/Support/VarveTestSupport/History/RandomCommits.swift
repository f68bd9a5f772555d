package import VarveCore

/// Commits of several replicas that follow no rule of local writes: lives, relations and values at
/// any time, re-creations of live entities, removals of adds that were removed already.
///
/// The meaning of a set of commits is defined for any content. Backends are compared on these
/// commits because the histories of ``HistoryGenerator`` are too regular.
package struct RandomCommits: Sendable {
  /// The commits, each after those it had seen.
  package private(set) var commits: [Commit] = []
  /// The entities they are about.
  package let ids: [EntityID]

  private var random: SplitMix64
  private var authors: [Author] = []
  private var seen: [CommitID: Set<CommitID>] = [:]
  private var adds: [CommitID: [WrittenAdd]] = [:]
  private let start: Int64

  private struct Author {
    var replica: ScriptedReplica
    var known: Set<CommitID> = []
    /// The commits that the newest commit had seen, according to its header.
    var named: Set<CommitID> = []
  }

  private struct WrittenAdd {
    var id: AddID
    var source: EntityID
    var relation: Relation
    var target: EntityID
  }

  /// - Parameters:
  ///   - seed: what decides everything but salts.
  ///   - count: how many commits there are.
  ///   - startMilliseconds: the stamp of the first.
  package init(seed: UInt64, count: Int = 9, startMilliseconds: Int64 = TestClock().now) {
    random = SplitMix64(seed: seed)
    start = startMilliseconds
    ids = (0..<4).map { EntityID(unchecked: "e\($0)") }
    authors = (1...3).map { Author(replica: ScriptedReplica($0)) }
    for number in 0..<count { write(number) }
  }

  /// Returns the commits in another order in which each is after those it had seen.
  package func shuffled(_ random: inout SplitMix64) -> [Commit] {
    var waiting = commits
    var placed: Set<CommitID> = []
    var order: [Commit] = []
    while !waiting.isEmpty {
      let ready = waiting.indices.filter { index in
        let id = waiting[index].id
        return (seen[id] ?? []).allSatisfy { $0 == id || placed.contains($0) }
      }
      let next = waiting.remove(at: random.pick(ready))
      placed.insert(next.id)
      order.append(next)
    }
    return order
  }

  /// Returns everything that a commit had seen, including itself, as a frontier.
  package func frontier(of commit: Commit) -> Frontier {
    let seen = seen[commit.id] ?? []
    let predecessors = Set(commits.filter { seen.contains($0.id) }.map(\.header.previous))
    return Frontier(seen.filter { !predecessors.contains($0.hash) })
  }
}

extension RandomCommits {
  private mutating func write(_ number: Int) {
    let index = Int.random(in: authors.indices, using: &random)
    if number > 0, random.chance(55) { learn(index) }
    var author = authors[index]
    let times = commits.filter { author.known.contains($0.id) }.map(\.header.time)
    let latest = times.max()?.millisecondsSince1970 ?? start
    // Stamps are few, so that cells are tied in time.
    let stamp = max(latest + 1, start + Int64.random(in: 0...4, using: &random))
    let known = author.known
    let heads = heads(of: known).filter { $0.replica != author.replica.id }
    let risen = heads.filter { !author.named.contains($0) }
    author.named = Set(heads)
    let lines = (0..<random.pick([1, 1, 2, 3, 5])).flatMap { _ in sayings(known) }
    let commit = author.replica.commit(at: stamp, seen: risen, lines)
    seen[commit.id] = known.union([commit.id])
    author.known = known.union([commit.id])
    authors[index] = author
    note(lines, of: commit)
    commits.append(commit)
  }

  /// Adds everything that a commit had seen to what an author has seen.
  private mutating func learn(_ index: Int) {
    let commit = random.pick(commits)
    authors[index].known.formUnion(seen[commit.id] ?? [])
  }

  /// Returns the newest commit of each replica among some.
  private func heads(of known: Set<CommitID>) -> [CommitID] {
    var newest: [ReplicaID: CommitID] = [:]
    for id in known where newest[id.replica].map({ $0.sequence < id.sequence }) ?? true {
      newest[id.replica] = id
    }
    return newest.values.sorted()
  }

  private mutating func note(_ lines: [ScriptedReplica.Line], of commit: Commit) {
    for (ordinal, line) in lines.enumerated() {
      guard case .add(let relation, let target, _, _) = line.content else { continue }
      let id = AddID(commit: commit.id, ordinal: ordinal)
      adds[commit.id, default: []].append(
        WrittenAdd(id: id, source: line.entity, relation: relation, target: target)
      )
    }
  }

  /// Returns a random change. For a reference, it includes the edge that is paired with it.
  private mutating func sayings(_ known: Set<CommitID>) -> [ScriptedReplica.Line] {
    guard random.chance(25) else { return [line(known)] }
    let (relation, pairing) = random.pick(Self.references)
    let (holder, time) = (random.pick(ids), time())
    let other = random.chance(20) ? nil : random.pick(ids)
    let value = other.map {
      Cell.Content.value(pairing.key, .reference($0), semanticType: "reference")
    }
    let isSource = pairing.end == .source
    let add = Cell.Content.add(
      relation,
      target: isSource ? other ?? holder : holder,
      position: nil,
      pairing: Pairing(pairing.key, at: pairing.end, isVoid: other == nil)
    )
    return [
      holder.says(value ?? .removal(pairing.key), at: time),
      (isSource ? holder : other ?? holder).says(add, at: time),
    ]
  }

  /// The references that edges are paired with.
  package static let references: [(relation: Relation, pairing: Pairing)] = [
    (Relation(.owns, "sites"), Pairing("site", at: .target)),
    (Relation(.owns, "part"), Pairing("part", at: .source)),
    (Relation(.free, "likes"), Pairing("liked", at: .target)),
    (Relation(.free, "friend"), Pairing("friend", at: .source)),
  ]

  private mutating func line(_ known: Set<CommitID>) -> ScriptedReplica.Line {
    let id = random.pick(ids)
    switch Int.random(in: 0..<100, using: &random) {
    case ..<12:
      return id.says(.life(.created(random.pick(["A", "B"]), datestamp: nil)), at: time())
    case ..<30: return id.says(.life(rebirth()), at: time())
    case ..<42: return id.says(.life(.erased), at: time())
    case ..<50: return id.says(.life(.restored), at: time())
    case ..<62: return id.has("k", .int(Int64.random(in: 0...2, using: &random)), at: time())
    case ..<65: return id.says(.removal(random.pick(["k", "m"])), at: time())
    case ..<68: return id.says(.collection("m"), at: time())
    case ..<90:
      return id.says(.add(relation(), target: random.pick(ids), position: nil), at: time())
    default: return removal(known) ?? id.says(.life(.restored), at: time())
    }
  }

  private mutating func rebirth() -> Life {
    let datestamp = random.chance(20) ? time() : nil
    return .recreated(
      random.pick(["A", "B"]),
      datestamp: datestamp.map { HybridTime(millisecondsSince1970: $0) }
    )
  }

  private mutating func relation() -> Relation {
    switch Int.random(in: 0..<10, using: &random) {
    case ..<7: Relation(.owns, random.chance(20) ? "spare" : "")
    case ..<9: Relation(.member, "m")
    default: Relation(.free, "friend")
    }
  }

  /// Returns the removal of one or two adds between the same ends, seen or not: a commit that names
  /// an add depends on it.
  private mutating func removal(_ known: Set<CommitID>) -> ScriptedReplica.Line? {
    let written = commits.filter { known.contains($0.id) }.flatMap { adds[$0.id] ?? [] }
    guard !written.isEmpty else { return nil }
    let one = random.pick(written)
    let same = written.filter {
      $0.source == one.source && $0.relation == one.relation && $0.target == one.target
    }
    let named = random.chance(70) ? same.map(\.id) : [one.id]
    return one.source.says(.remove(one.relation, target: one.target, adds: named), at: time())
  }

  /// Mostly nil, else one of few times near the commits', so that cells are backdated, postdated,
  /// tied.
  private mutating func time() -> Int64? {
    random.chance(40) ? start + random.pick([-5_000, -1_000, 0, 1, 2, 3, 1_000] as [Int64]) : nil
  }
}
