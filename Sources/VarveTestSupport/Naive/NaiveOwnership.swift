/// Who lives and who is dead on a single replica, worked out step by step as things happen.
///
/// Written from the text of the rules (R15, R16) and not from the code that is tested with it:
/// statuses are stored and changed by each step, nothing is ever computed from the whole, and
/// everything is as slow as it is plain.
package struct NaiveOwnership {
  /// An entity's status.
  package enum Status: Hashable {
    case live
    case erased
    /// Gone with its owners.
    case dead
  }

  /// An owner and what it owns.
  package struct Ownership: Hashable {
    package var owner: Int
    package var owned: Int
  }

  /// What is known; an entity that is not in it is one nobody has heard of.
  package private(set) var statuses: [Int: Status] = [:]
  package private(set) var ownerships: Set<Ownership> = []
  /// Stand-ins for the former lives of those re-created: erased, and never coming back.
  private var nextGrave = -1

  package init() {}

  package func isLive(_ entity: Int) -> Bool { statuses[entity] == .live }

  private func isGone(_ entity: Int) -> Bool {
    statuses[entity] == .erased || statuses[entity] == .dead
  }

  private func owners(of entity: Int) -> Set<Int> {
    Set(ownerships.filter { $0.owned == entity }.map(\.owner))
  }

  /// Everything an ownership path leads to from these.
  private func below(_ tops: Set<Int>) -> Set<Int> {
    var found: Set<Int> = []
    var last: Set<Int>
    var from = tops
    repeat {
      last = found
      found.formUnion(ownerships.filter { from.contains($0.owner) }.map(\.owned))
      from = found
    } while found != last
    return found
  }

  private var belowTheErased: Set<Int> { below(Set(statuses.filter { $0.value == .erased }.keys)) }
}

extension NaiveOwnership {
  /// Adds an entity nobody has heard of.
  package mutating func create(_ entity: Int) {
    guard statuses[entity] == nil else { return }
    statuses[entity] = .live
    keepFromDying([entity])
  }

  /// Adds an entity under the identifier of one that is gone. What owned that one owns this one
  /// no more; what that one owned is still owned by that one.
  package mutating func recreate(_ entity: Int) {
    guard isGone(entity) else { return }
    let grave = nextGrave
    nextGrave -= 1
    statuses[grave] = .erased
    for ownership in ownerships where ownership.owned == entity { ownerships.remove(ownership) }
    for ownership in ownerships where ownership.owner == entity {
      ownerships.remove(ownership)
      ownerships.insert(Ownership(owner: grave, owned: ownership.owned))
    }
    statuses[entity] = .live
  }

  /// One nobody has heard of is said to own a live entity: it counts as an owner that lives.
  package mutating func claim(owned: Int, by owner: Int) {
    guard statuses[owner] == nil, isLive(owned), owners(of: owner).isEmpty else { return }
    ownerships.insert(Ownership(owner: owner, owned: owned))
    keepFromDying(Set(statuses.filter { $0.value == .live }.keys))
  }

  /// A live entity comes to own one that is not gone; nobody dies of that, even where a circle
  /// closes and what kept its members alive from outside now is one of them.
  package mutating func relate(owner: Int, owned: Int) {
    guard isLive(owner), !isGone(owned) else { return }
    ownerships.insert(Ownership(owner: owner, owned: owned))
    keepFromDying(Set(statuses.filter { $0.value == .live }.keys))
  }

  /// A live owner gives one up; nobody dies of that.
  package mutating func renounce(owner: Int, owned: Int) {
    guard isLive(owner) else { return }
    ownerships.remove(Ownership(owner: owner, owned: owned))
    keepFromDying(Set(statuses.filter { $0.value == .live }.keys))
  }

  /// Erases a live entity, and all that nothing else keeps alive.
  package mutating func erase(_ entity: Int) {
    guard isLive(entity) else { return }
    statuses[entity] = .erased
    for entity in unsupported where isLive(entity) { statuses[entity] = .dead }
  }

  /// Brings back what is gone, away from its owners where these are gone as well; what went with
  /// it comes back too.
  package mutating func restore(_ entity: Int) {
    guard isGone(entity) else { return }
    statuses[entity] = .dead
    reviveAll()
    guard !isLive(entity) else { return }
    for ownership in ownerships where ownership.owned == entity { ownerships.remove(ownership) }
    reviveAll()
  }
}

extension NaiveOwnership {
  /// Those live or not heard of that are below the erased and have nobody but each other, the dead
  /// and the erased to own them.
  private var unsupported: Set<Int> {
    var candidates = belowTheErased.filter { !isGone($0) }
    while let supported = candidates.first(where: { entity in
      owners(of: entity).contains { !isGone($0) && !candidates.contains($0) }
    }) {
      candidates.remove(supported)
    }
    return candidates
  }

  /// Takes away the edges into those of these who would die that come from outside of them. Whom
  /// they own, or an owner come to be known, may live again by it.
  private mutating func keepFromDying(_ entities: Set<Int>) {
    let doomed = unsupported.intersection(entities)
    for ownership in ownerships
    where doomed.contains(ownership.owned) && !doomed.contains(ownership.owner) {
      ownerships.remove(ownership)
    }
    reviveAll()
  }

  /// Brings back, one after another, whoever is dead without need: not below the erased, or owned
  /// by somebody who lives.
  private mutating func reviveAll() {
    while let entity = statuses.keys.first(where: { mayLive($0) }) { statuses[entity] = .live }
  }

  private func mayLive(_ entity: Int) -> Bool {
    guard statuses[entity] == .dead else { return false }
    guard belowTheErased.contains(entity) else { return true }
    let unsupported = unsupported
    return owners(of: entity).contains { !isGone($0) && !unsupported.contains($0) }
  }
}
