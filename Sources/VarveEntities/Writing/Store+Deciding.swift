package import Foundation
package import VarveCore

/// The state that a write was decided on.
package enum DecisionBasis: Sendable, Hashable {
  /// The state that has exactly these commits, or those they cover.
  case frontier(Frontier)
  /// The state after an arrival of this store.
  case position(HomePosition)
}

/// A write was decided on a state in which what it changes was different.
package struct StaleDecision: Error, Hashable {
  /// An entity that the write changes, and that others changed since.
  package let entity: EntityID
  /// The property; nil if the entity came to life or died.
  package let key: PropertyKey?
}

/// The basis of a decision is no state that this store ever had.
package struct UnknownBasis: Error, Hashable {}

extension Store {
  /// Writes one commit unless what it changes was changed by others since the state on which it was
  /// decided. If entities die or come back, that includes what decides which ones: the ownerships
  /// and the lives of their owners. What other entities and properties became meanwhile does not
  /// matter.
  ///
  /// - Throws: ``StaleDecision``; ``UnknownBasis``; as `write`.
  /// - Complexity: that of the write, and O(cells of the commits since the state).
  package func write<Result>(
    decidedOn basis: DecisionBasis,
    as action: ChangeAction = .write,
    author: String? = nil,
    message: String? = nil,
    at time: Date? = nil,
    _ body: (WriteTransaction) async throws -> Result
  ) async throws -> Result {
    try await commit(
      as: action,
      author: author,
      message: message,
      at: time,
      undoing: nil,
      tracksChanges: true
    ) { transaction in
      // No other commit can come between: this one has the turn.
      let since = try await touched(since: basis)
      let result = try await body(transaction)
      guard !since.isEmpty, let draft = try await transaction.changes() else { return result }
      if let change = draft.overlap(with: since) { throw change }
      let lives = draft.tally.deathsAndReturns
      let cause = try await transaction.reading { try await $0.reader.cause(of: lives, in: since) }
      if let cause { throw StaleDecision(entity: cause, key: nil) }
      return result
    }.result
  }

  private func touched(since basis: DecisionBasis) async throws -> TouchedKeys {
    var touched = TouchedKeys()
    switch basis {
    case .frontier(let frontier):
      try await scan(beyond: frontier) { commit in
        for cell in try commit.cells() { touched.add(cell) }
        return true
      }
    case .position(var position):
      while true {
        guard
          let (items, next) = try await backend.arrivals(
            after: position,
            atMost: 16 << 20,
            wholeUpTo: .max
          )
        else { throw UnknownBasis() }
        for case .commit(let commit) in items {
          for cell in try commit.cells() { touched.add(cell) }
        }
        guard next.number > position.number else { break }
        position = next
      }
    }
    return touched
  }
}

/// What some commits changed.
private struct TouchedKeys {
  private(set) var lives: Set<EntityID> = []
  private var keys: [EntityID: Set<PropertyKey>] = [:]
  /// The entities whose ownerships began or ended, as owners and as what is owned.
  private(set) var owners: Set<EntityID> = []
  private(set) var owned: Set<EntityID> = []

  var isEmpty: Bool { lives.isEmpty && keys.isEmpty && owned.isEmpty }

  mutating func add(_ cell: Cell) {
    switch cell.content {
    case .life: lives.insert(cell.entity)
    case .value(let key, _, _), .removal(let key), .collection(let key):
      keys[cell.entity, default: []].insert(key)
    case .add(let relation, let target, _, _), .remove(let relation, let target, _):
      // Relations of both sides stay; only the elements of a collection belong to a property.
      if relation.kind == .member { keys[cell.entity, default: []].insert(relation.name) }
      if relation.kind == .owns {
        owners.insert(cell.entity)
        owned.insert(target)
      }
    }
  }

  func has(_ id: EntityID) -> Bool { lives.contains(id) || keys[id] != nil }

  /// Returns a property of an entity that others changed too; `.some(nil)` for its life.
  func clash(_ id: EntityID, _ written: Set<PropertyKey>) -> PropertyKey?? {
    if lives.contains(id) { return .some(nil) }
    return keys[id]?.intersection(written).min { $0.text < $1.text }.map { .some($0) }
  }
}

extension ChangeDraft {
  fileprivate func overlap(with touched: TouchedKeys) -> StaleDecision? {
    if let id = tally.lives.first(where: touched.has) { return StaleDecision(entity: id, key: nil) }
    for (id, keys) in tally.changedKeys {
      if let key = touched.clash(id, keys) { return StaleDecision(entity: id, key: key) }
    }
    return nil
  }
}

extension BackendReader {
  /// Returns an entity whose change may have decided which entities die or come back: the owner of
  /// an ownership that began or ended, what is owned by it, or an owner whose life changed.
  ///
  /// What the entities own is examined too, because it may live on only by a change of others.
  ///
  /// - Complexity: O(the owners of the entities and of what they own, at any distance).
  fileprivate func cause(
    of lives: [EntityID],
    in touched: TouchedKeys
  ) async throws -> EntityID? {
    guard !lives.isEmpty, !(touched.lives.isEmpty && touched.owned.isEmpty) else { return nil }
    if let owner = lives.first(where: touched.owners.contains) { return owner }
    var (seen, pending) = (Set(lives), lives)
    for id in lives {
      for edge in try await edges(from: id, in: nil)
      where edge.relation.kind == .owns && seen.insert(edge.target).inserted {
        pending.append(edge.target)
      }
    }
    while let id = pending.popLast() {
      if touched.lives.contains(id) || touched.owned.contains(id) { return id }
      for edge in try await edges(to: id, of: .owns) where seen.insert(edge.source).inserted {
        pending.append(edge.source)
      }
    }
    return nil
  }
}
