package import VarveCore

/// One event in the life of several replicas.
package enum HistoryStep: Hashable, Sendable {
  /// A replica writes one commit.
  case write(replica: Int, [Operation])
  /// A replica gets some of what another has: this many percent of the commits it lacks, the
  /// oldest first.
  case merge(from: Int, into: Int, percent: Int)
  /// Time passes.
  case advance(milliseconds: Int64)
}

/// The ways in which histories forget.
package struct Forgetting: OptionSet, Hashable, Sendable {
  package let rawValue: Int

  package init(rawValue: Int) { self.rawValue = rawValue }

  /// Entities are purged.
  package static let purges = Forgetting(rawValue: 1)
  /// History is folded.
  package static let compacts = Forgetting(rawValue: 2)
}

/// An endless random history: the same seed gives the same steps.
///
/// Identifiers, types and keys are few, so that replicas clash; own times lie around the clock's,
/// so that cells are backdated, postdated and tied.
package struct HistoryGenerator: Sendable {
  package let replicaCount: Int
  package let ids: [EntityID]
  package let keys: [PropertyKey]
  /// The ways in which the history sometimes forgets.
  package let forgetting: Forgetting
  /// Whether references are written with the edges that are paired with them.
  package let refersInPairs: Bool
  package let types: [EntityType] = ["Shop", "Hat", "Ünïcode type"]
  private var random: SplitMix64
  private var milliseconds: Int64

  /// Creates a generator.
  ///
  /// - Parameters:
  ///   - seed: the seed, which determines everything.
  ///   - replicaCount: the number of replicas.
  ///   - idCount: the number of entities to which they write.
  ///   - forgetting: the ways in which the history sometimes forgets.
  ///   - refersInPairs: whether references are written with the edges that are paired with them.
  ///   - startMilliseconds: the first time of the clock, which the generator advances.
  package init(
    seed: UInt64,
    replicaCount: Int = 3,
    idCount: Int = 10,
    forgetting: Forgetting = [],
    refersInPairs: Bool = false,
    startMilliseconds: Int64 = TestClock().now
  ) {
    random = SplitMix64(seed: seed)
    milliseconds = startMilliseconds
    self.replicaCount = replicaCount
    self.forgetting = forgetting
    self.refersInPairs = refersInPairs
    ids = (0..<idCount).map { index in
      // Half of them have the form of UUIDs, which are stored differently.
      index % 2 == 0
        ? EntityID(storage: .uuid(high: 0x0190_0000_0000_7000, low: 1 << 63 | UInt64(index)))
        : EntityID(unchecked: "entity \(index)")
    }
    keys = ["name", "size", "id", "rowid; --", "Size", ""]
  }

  /// Returns the next event.
  package mutating func next() -> HistoryStep {
    switch Int.random(in: 0..<100, using: &random) {
    case ..<25 where replicaCount > 1:
      let from = Int.random(in: 0..<replicaCount, using: &random)
      let into = (from + Int.random(in: 1..<replicaCount, using: &random)) % replicaCount
      return .merge(from: from, into: into, percent: random.chance(60) ? 100 : 50)
    case ..<40:
      let change = random.pick([1, 1, 10, 1_000, 60_000] as [Int64])
      milliseconds += change
      return .advance(milliseconds: change)
    default:
      let replica = Int.random(in: 0..<replicaCount, using: &random)
      if forgetting.contains(.compacts), random.chance(8) {
        let ago = random.pick([1, 1_000, 60_000, 86_400_000] as [Int64])
        let horizon = HybridTime(millisecondsSince1970: milliseconds - ago)
        return .write(replica: replica, [.compact(horizon)])
      }
      let count = random.pick([1, 1, 1, 2, 3, 6])
      return .write(replica: replica, (0..<count).map { _ in operation() })
    }
  }

  /// Returns a number of events.
  package mutating func steps(_ count: Int) -> [HistoryStep] { (0..<count).map { _ in next() } }

  private mutating func operation() -> Operation {
    let (id, other) = (random.pick(ids), random.pick(ids))
    if forgetting.contains(.purges), random.chance(6) { return .purge(id) }
    if refersInPairs, random.chance(20) {
      let (relation, pairing) = random.pick(RandomCommits.references)
      return .refer(id, relation, pairing, random.chance(20) ? nil : other, time: time())
    }
    switch Int.random(in: 0..<100, using: &random) {
    case ..<28: return .create(creation(id))
    case ..<46: return .set(id, assignment(random.pick(keys)), time: time())
    case ..<52: return .unset(id, random.pick(keys), time: time())
    case ..<55: return .clear(id, "members")
    case ..<75: return .relate(id, relation(), other, position())
    case ..<82: return .unrelate(id, relation(), other)
    case ..<93: return .erase(id)
    default: return .restore(id)
    }
  }

  private mutating func creation(_ id: EntityID) -> Creation {
    let values = keys.filter { _ in random.chance(40) }.map { assignment($0) }
    return Creation(
      id,
      random.pick(types),
      values,
      time: time(),
      datestamp: random.chance(10) ? time() : nil
    )
  }

  private mutating func assignment(_ key: PropertyKey) -> Assignment {
    let value = random.value(references: ids)
    return Assignment(key, value, semanticType: random.chance(15) ? "address" : nil)
  }

  /// Returns mostly nil, otherwise a time around the present, in steps coarse enough for ties.
  private mutating func time() -> HybridTime? {
    guard random.chance(20) else { return nil }
    let distance = random.pick([-86_400_000, -60_000, -1_000, 0, 1_000, 3_600_000] as [Int64])
    let now = milliseconds / 1_000 * 1_000
    return HybridTime(millisecondsSince1970: now + distance)
  }

  private mutating func relation() -> Relation {
    switch Int.random(in: 0..<10, using: &random) {
    case ..<6: Relation(.owns, random.chance(30) ? "spare" : "")
    case ..<8: Relation(.member, "members")
    default: Relation(.free, random.chance(50) ? "friend" : "")
    }
  }

  private mutating func position() -> ListPosition? {
    guard random.chance(25) else { return nil }
    return ListPosition(bytes: [UInt8.random(in: 0...3, using: &random), 128])
  }
}
