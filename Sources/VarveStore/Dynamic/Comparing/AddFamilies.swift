import VarveCore

/// The adds of one relation out of an entity, in order, with those together that stand for each other.
///
/// An undo that takes a removal back cannot make the removed add stand: it adds the target again, in
/// the same place. Both are one family, so that whoever undoes what declared the first takes back the
/// second.
struct AddFamilies {
  struct Family {
    /// In the order they were written.
    fileprivate(set) var adds: [RecordedAdd]

    var origin: RecordedAdd { adds[0] }

    /// Who changed whether one of them stands.
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
    // Stable: of one commit, in the order of the relation.
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
  /// Whether an add of the same target and place says again what a commit had taken back: by undoing
  /// that commit, or by removing it itself to put it in order.
  fileprivate func isContinued(by add: RecordedAdd) -> Bool {
    guard let last = adds.last, last.commit.id != add.commit.id else { return false }
    return last.removals.contains { removal in
      removal.id == add.commit.undone || removal.id == add.commit.id
    }
  }
}
