import VarveCore

/// The commits of a context that can be undone and redone, latest last.
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

extension Objects {
  /// Whether this context has a commit to undo.
  public var canUndo: Bool { !undoing.undoable.isEmpty }

  /// Whether there is an undone commit to redo.
  public var canRedo: Bool { !undoing.redoable.isEmpty }

  /// Undoes the latest commit of this context that is not undone yet. Values that were changed
  /// since are kept, as are the commits of others. Live instances are updated. The latest 1,000
  /// commits can be undone step by step.
  ///
  /// ```swift
  /// square.side = 5
  /// try await objects.save(square)
  /// try await objects.undo()
  /// print(square.side)  // 3
  /// ```
  ///
  /// - Returns: a report of what was undone and what was kept; nil if there is nothing to undo.
  /// - Throws: as ``Store/undo(_:author:message:)``; the commit can then be undone later.
  @discardableResult
  public func undo(author: String? = nil, message: String? = nil) async throws -> UndoReport? {
    try await undoTurn.pass { _ in
      guard let commit = undoing.undoable.last else { return nil }
      let noteCount = undoing.noteCount
      let report = try await store.undo(commit, author: author, message: message)
      // A commit that was saved meanwhile makes the undo final.
      undoing.undo(commit, by: report.commit?.id, isFinal: noteCount != undoing.noteCount)
      try await refresh()
      return report
    }
  }

  /// Redoes the commit that was undone last. Values that were changed since are kept. After a save
  /// or a deletion in this context, earlier undos cannot be redone.
  ///
  /// - Returns: a report of what was redone; nil if there is nothing to redo.
  /// - Throws: as ``undo(author:message:)``.
  @discardableResult
  public func redo(author: String? = nil, message: String? = nil) async throws -> UndoReport? {
    try await undoTurn.pass { _ in
      guard let undo = undoing.redoable.last else { return nil }
      let report = try await store.undo(undo, author: author, message: message)
      undoing.redo(undo, by: report.commit?.id)
      try await refresh()
      return report
    }
  }
}
