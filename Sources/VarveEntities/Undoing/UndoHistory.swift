import VarveCore

/// Commits that can be undone and redone one by one, latest last.
struct UndoHistory {
  /// The maximum number of commits that can be undone.
  static let limit = 1_000

  private(set) var undoable: [CommitID] = []
  private(set) var redoable: [CommitID] = []
  /// The number of new commits so far.
  private(set) var noteCount = 0

  /// Records a new commit. Commits that were undone before it cannot be redone.
  mutating func note(_ commit: CommitID) {
    undoable.append(commit)
    redoable.removeAll()
    noteCount += 1
    guard undoable.count > Self.limit else { return }
    undoable.removeFirst(undoable.count - Self.limit)
  }

  /// Records that a commit was undone by another.
  ///
  /// - Parameter isFinal: whether it cannot be redone.
  mutating func undo(_ commit: CommitID, by undo: CommitID?, isFinal: Bool) {
    undoable.removeAll { $0 == commit }
    guard let undo else { return }
    if !isFinal { redoable.append(undo) }
  }

  /// Records that an undo was undone by another commit.
  mutating func redo(_ undo: CommitID, by redo: CommitID?) {
    redoable.removeAll { $0 == undo }
    guard let redo else { return }
    undoable.append(redo)
  }
}
