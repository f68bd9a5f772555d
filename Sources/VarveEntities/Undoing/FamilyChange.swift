import VarveCore

/// The change of a family that an undo has to write: the difference between what holds and what
/// would hold without the undone commit, at the times for which that commit wrote.
struct FamilyChange {
  /// A time during which the target is added again; nil stands for the time of the undo.
  struct Span {
    let from: HybridTime?
    /// The time at which the add is removed again, if it is.
    var until: Bound = .none

    enum Bound {
      case none
      case now
      case at(HybridTime)
    }
  }

  let target: EntityID
  let position: ListPosition
  /// The former add, whose place the new add takes.
  let anchor: AddID
  var additions: [Span] = []
  var removals: [(add: AddID, time: HybridTime?)] = []
  /// Whether the adds are removed only if the target is erased.
  var isSpared = false
  /// Whether the additions were written.
  var isDeclared = false

  /// Whether additions remain to be written.
  var isPending: Bool { !additions.isEmpty && !isDeclared }
}

extension FamilyChange {
  /// Creates the change of a family.
  ///
  /// - Parameters:
  ///   - id: the undone commit.
  ///   - statements: what was written about the edge, or the property.
  ///   - whole: the statements for dates of all elements of the property.
  ///   - cancelled: the later commits that were undone since, and their undos.
  ///   - now: the time of the undo.
  init(
    of family: AddFamilies.Family,
    undoing id: CommitID,
    among statements: AddStatements,
    and whole: WholeStatements,
    cancelled: Set<CommitID>,
    now: HybridTime
  ) {
    func timeline(
      leavingOut isLeftOut: @escaping (CommitSummary, HybridTime) -> Bool
    ) -> AddTimeline {
      AddTimeline(family) { commit, time in
        isLeftOut(commit, time)
          || statements.followsNothing(commit, at: time, leavingOut: isLeftOut)
      }
    }
    let anchor = family.adds.last { $0.removals.contains { $0.commit.id == id } } ?? family.origin
    (target, position, self.anchor) = (anchor.target, anchor.position, anchor.add)
    let asIs = timeline { commit, _ in cancelled.contains(commit.id) }
    let undone = timeline { commit, _ in
      cancelled.contains(commit.id) || commit.id == id
    }
    // Past states still show what the commit wrote for its own time.
    let undoneSince = timeline { commit, time in
      cancelled.contains(commit.id) || commit.id == id && time != commit.time
    }
    var ends = family.adds.map { add in add.removals.map(\.time).min() }
    // At each time when something changes, as many adds are removed or added as it takes to have as
    // many as without the commit. Open additions end before stored adds do.
    for time in family.times.union(whole.times).union([now]).sorted() {
      let wanted = (time < now ? undoneSince : undone).holding(at: time)
      let isAffected = !whole.settle(time) && wanted.count != asIs.holding(at: time).count
      let present = family.adds.indices.filter { family.adds[$0].holds(at: time) }
      let held = present.filter { place in ends[place].map { time < $0 } ?? true }
      let have = held.count + additions.count(where: \.isOpen)
      let want = isAffected ? wanted.count : present.count
      var surplus = have - want
      while surplus > 0, let open = additions.lastIndex(where: \.isOpen) {
        additions[open].until = time == now ? .now : .at(time)
        surplus -= 1
      }
      let removable = held.filter { !wanted.contains($0) } + held.filter(wanted.contains)
      for place in removable.prefix(max(0, surplus)) {
        removals.append((family.adds[place].add, time == now ? nil : time))
        ends[place] = time
      }
      for _ in 0..<max(0, -surplus) {
        additions.append(Span(from: time == now ? nil : time))
      }
    }
  }

  /// Whether there is nothing to write.
  var isEmpty: Bool { additions.isEmpty && removals.isEmpty }
}

extension FamilyChange.Span {
  fileprivate var isOpen: Bool { if case .none = until { true } else { false } }

  /// Returns the time at which the add is removed again; nil if it is not.
  func end(now: HybridTime) -> HybridTime? {
    switch until {
    case .none: nil
    case .now: now
    case .at(let time): time
    }
  }
}

extension RecordedAdd {
  /// Returns whether it counts at a time.
  func holds(at moment: HybridTime) -> Bool {
    !isFromFormerLife && time <= moment && removals.allSatisfy { moment < $0.time }
  }

  /// Returns whether it counts from a time until another, or for good.
  func holds(from start: HybridTime, until end: HybridTime?) -> Bool {
    guard !isFromFormerLife, time <= start else { return false }
    return removals.allSatisfy { removal in end.map { $0 <= removal.time } ?? false }
  }
}
