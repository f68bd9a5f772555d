/// The liveness of entities on a single replica, computed step by step.
///
/// It follows the text of the rules (R15, R16) and not the code under test. Each step changes the
/// stored statuses, nothing is computed from the whole graph, and the implementation is simple
/// rather than fast.
package struct NaiveOwnership {
  /// An entity's status.
  package enum Status: Hashable {
    case live
    case erased
    /// Gone with its owners.
    case dead
  }

  /// An owner and an entity that it owns.
  package struct Ownership: Hashable {
    package var owner: Int
    package var owned: Int
  }

  /// The known statuses. An entity that is missing here is unknown.
  package private(set) var statuses: [Int: Status] = [:]
  package private(set) var ownerships: Set<Ownership> = []
  /// Placeholders for the former lives of re-created entities: erased, and never restored.
  private var nextGrave = -1

  package init() {}

  package func isLive(_ entity: Int) -> Bool { statuses[entity] == .live }

  private func isGone(_ entity: Int) -> Bool {
    statuses[entity] == .erased || statuses[entity] == .dead
  }

  private func owners(of entity: Int) -> Set<Int> {
    Set(ownerships.filter { $0.owned == entity }.map(\.owner))
  }

  /// Returns everything that an ownership path from these leads to.
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
  /// Creates an unknown entity.
  package mutating func create(_ entity: Int) {
    guard statuses[entity] == nil else { return }
    statuses[entity] = .live
    keepFromDying([entity])
  }

  /// Creates an entity under the identifier of one that is gone. The former owners no longer own
  /// it, but it still owns what it owned before.
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

  /// Makes an unknown entity an owner of a live one. It counts as a live owner.
  package mutating func claim(owned: Int, by owner: Int) {
    guard statuses[owner] == nil, isLive(owned), owners(of: owner).isEmpty else { return }
    ownerships.insert(Ownership(owner: owner, owned: owned))
    keepFromDying(Set(statuses.filter { $0.value == .live }.keys))
  }

  /// Makes a live entity own one that is not gone. No entity dies by it, even if a cycle closes and
  /// includes the owner that kept its members alive from outside.
  package mutating func relate(owner: Int, owned: Int) {
    guard isLive(owner), !isGone(owned) else { return }
    ownerships.insert(Ownership(owner: owner, owned: owned))
    keepFromDying(Set(statuses.filter { $0.value == .live }.keys))
  }

  /// Ends an ownership by a live owner. No entity dies by it.
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

  /// Restores an entity that is gone, without its owners if these are gone too. Entities that died
  /// with it come back.
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
  /// The live or unknown entities that are below erased ones, and are owned only by each other and
  /// by dead or erased entities.
  private var unsupported: Set<Int> {
    var candidates = belowTheErased.filter { !isGone($0) }
    while let supported = candidates.first(where: { entity in
      owners(of: entity).contains { !isGone($0) && !candidates.contains($0) }
    }) {
      candidates.remove(supported)
    }
    return candidates
  }

  /// Removes the edges from outside into those of the entities that would die. Entities that they
  /// own, and owners that have become known, may come back to life by it.
  private mutating func keepFromDying(_ entities: Set<Int>) {
    let doomed = unsupported.intersection(entities)
    for ownership in ownerships
    where doomed.contains(ownership.owned) && !doomed.contains(ownership.owner) {
      ownerships.remove(ownership)
    }
    reviveAll()
  }

  /// Revives all dead entities that may live, one after another: those that are not below an erased
  /// one, or have a live owner.
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
