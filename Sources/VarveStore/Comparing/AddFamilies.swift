import VarveCore

/// The adds of one relation out of an entity, in order, grouped by the add that they continue.
///
/// An undo of a removal cannot make the removed add count again. It adds the target again, at the
/// same position. Both adds are one family, so undoing the commit of the first also removes the
/// second.
struct AddFamilies {
  struct Family {
    /// The adds in the order in which they were written.
    fileprivate(set) var adds: [RecordedAdd]

    var origin: RecordedAdd { adds[0] }

    /// The commits that changed whether one of the adds counts.
    var commits: [CommitSummary] { adds.flatMap { [$0.commit] + $0.removals } }
  }

  /// All adds, in the order of the relation.
  let adds: [RecordedAdd]
  private(set) var all: [Family] = []

  private struct Place: Hashable {
    let target: EntityID
    let position: Position
  }

  init(_ adds: [RecordedAdd]) {
    self.adds = adds
    var places: [Place: [Int]] = [:]
    // The sort is stable: adds of one commit stay in the order of the relation.
    let written = adds.enumerated().sorted { left, right in
      left.element.commit.time == right.element.commit.time
        ? left.offset < right.offset : left.element.commit.time < right.element.commit.time
    }
    for (_, add) in written {
      let place = Place(target: add.target, position: add.position)
      let family = places[place, default: []].first { all[$0].isContinued(by: add) }
      if let family {
        all[family].adds.append(add)
      } else {
        places[place, default: []].append(all.count)
        all.append(Family(adds: [add]))
      }
    }
  }
}

extension AddFamilies.Family {
  /// Returns whether an add of the same target and position restores one that a commit removed. It
  /// does so if it undoes that commit, or if its own commit removed the add to reorder it.
  fileprivate func isContinued(by add: RecordedAdd) -> Bool {
    guard let last = adds.last, last.commit.id != add.commit.id else { return false }
    return last.removals.contains { removal in
      removal.id == add.commit.undone || removal.id == add.commit.id
    }
  }
}
