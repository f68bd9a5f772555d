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
    /// For each add, the place of the add in the family that it continues; nil for none.
    fileprivate(set) var continued: [Int?]

    var origin: RecordedAdd { adds[0] }

    /// The commits that changed whether one of the adds counts.
    var commits: [CommitSummary] { adds.flatMap { [$0.commit] + $0.removals.map(\.commit) } }
  }

  /// All adds, in the order of the relation.
  let adds: [RecordedAdd]
  private(set) var all: [Family] = []

  private struct Place: Hashable {
    let target: EntityID
    let position: ListPosition
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
      let fitting = places[place, default: []].filter { all[$0].place(continuedBy: add) != nil }
      // If several families have one place, a commit continues each of them once, if possible.
      let free = fitting.first { index in
        !all[index].adds.contains { $0.commit.id == add.commit.id }
      }
      if let family = free ?? fitting.first {
        all[family].continued.append(all[family].place(continuedBy: add))
        all[family].adds.append(add)
      } else {
        places[place, default: []].append(all.count)
        all.append(Family(adds: [add], continued: [nil]))
      }
    }
  }
}

extension AddFamilies.Family {
  /// Returns the place of the last add that another add of the same target and position restores.
  /// It does so if it undoes a commit that removed the add, if its own commit removed the add to
  /// reorder it, or if it is an undo and begins when the add ends.
  fileprivate func place(continuedBy add: RecordedAdd) -> Int? {
    adds.lastIndex { former in
      former.commit.id != add.commit.id
        && former.removals.contains { removal in
          removal.commit.id == add.commit.undone || removal.commit.id == add.commit.id
            || add.commit.undone != nil && removal.time == add.time
        }
    }
  }
}
