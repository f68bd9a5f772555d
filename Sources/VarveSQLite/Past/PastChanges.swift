import VarveCore

/// The entities that some commits name, by what may have changed in them.
struct PastChanges {
  /// The entities with values or creations.
  var named: Set<EntityID> = []
  /// The entities whose life or ownership is named. What they own may have changed with them.
  var turned: Set<EntityID> = []

  var isEmpty: Bool { named.isEmpty && turned.isEmpty }

  mutating func add(_ cell: Cell) {
    switch cell.content {
    case .value, .removal, .collection: named.insert(cell.entity)
    case .life: turned.insert(cell.entity)
    case .add(let relation, let target, _, let pairing):
      guard relation.kind == .owns else { return }
      turned.insert(target)
      // The entities that the source owned before.
      if pairing?.end == .source { turned.insert(cell.entity) }
    case .remove(let relation, let target, _):
      if relation.kind == .owns { turned.insert(target) }
    }
  }

  mutating func formUnion(_ other: PastChanges) {
    named.formUnion(other.named)
    turned.formUnion(other.turned)
  }
}

/// What a transaction that reads a past state has written.
struct PastNotes {
  var all = PastChanges()
  /// The part that the tables of the past state do not have yet.
  var new = PastChanges()

  mutating func add(_ cell: Cell) {
    all.add(cell)
    new.add(cell)
  }

  mutating func add(created ids: [EntityID]) {
    all.turned.formUnion(ids)
    new.turned.formUnion(ids)
  }
}

extension Session {
  /// Returns the entities that some commits name.
  ///
  /// - Parameter livesOnly: whether only changes of lives and ownerships are needed.
  /// - Complexity: O(cells of the commits).
  func changes(by commits: [Int64], livesOnly: Bool) throws -> PastChanges {
    var changes = PastChanges()
    for n in commits {
      try Task.checkCancellation()
      let createsAgain = try log.createsAgain(n)
      try log.shownCommit(number: n).forEachContent { content, _ in
        for section in content.sections {
          switch section {
          case .creations(let table):
            if createsAgain { changes.turned.formUnion(table.ids) }
            if !livesOnly { changes.named.formUnion(table.ids) }
          case .cells(let cells):
            for cell in cells { changes.add(cell) }
          }
        }
      }
    }
    if livesOnly { changes.named = [] }
    return changes
  }
}
