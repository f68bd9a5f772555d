import VarveCore

/// The commits of a context that can be undone and done again, the latest last.
struct UndoHistory {
  /// How many can be undone.
  static let limit = 1_000

  private(set) var undoable: [CommitID] = []
  private(set) var redoable: [CommitID] = []
  /// How many new commits there were.
  private(set) var noteCount = 0

  /// What was undone before a new commit is not done again.
  mutating func note(_ commit: CommitID) {
    undoable.append(commit)
    redoable.removeAll()
    noteCount += 1
    guard undoable.count > Self.limit else { return }
    undoable.removeFirst(undoable.count - Self.limit)
  }

  /// A commit was undone by another.
  ///
  /// - Parameter isFinal: whether it is not to be done again.
  mutating func undo(_ commit: CommitID, by undo: CommitID?, isFinal: Bool) {
    undoable.removeAll { $0 == commit }
    guard let undo else { return }
    if !isFinal { redoable.append(undo) }
  }

  /// An undo was undone by another commit.
  mutating func redo(_ undo: CommitID, by redo: CommitID?) {
    redoable.removeAll { $0 == undo }
    guard let redo else { return }
    undoable.append(redo)
  }
}

extension Objects {
  /// Whether there is a commit of this context to undo.
  public var canUndo: Bool { !undoing.undoable.isEmpty }

  /// Whether there is an undone commit to do again.
  public var canRedo: Bool { !undoing.redoable.isEmpty }

  /// Undoes the latest commit of this context that is not undone, as far as nobody changed since what
  /// it did: not what others wrote, whose commits stay. Live instances are as they were before it. The
  /// latest 1,000 commits can be undone, step by step.
  ///
  /// ```swift
  /// square.side = 5
  /// try await objects.save(square)
  /// try await objects.undo()
  /// print(square.side)  // 3
  /// ```
  ///
  /// - Returns: what was undone and what was not; nil where there is nothing to undo.
  /// - Throws: as ``Store/undo(_:author:message:)``; the commit can then be undone later.
  @discardableResult
  public func undo(author: String? = nil, message: String? = nil) async throws -> UndoReport? {
    try await undoTurn.pass { _ in
      guard let commit = undoing.undoable.last else { return nil }
      let noteCount = undoing.noteCount
      let report = try await store.undo(commit, author: author, message: message)
      // What is saved meanwhile makes it final.
      undoing.undo(commit, by: report.commit?.id, isFinal: noteCount != undoing.noteCount)
      try await refresh()
      return report
    }
  }

  /// Does again what was undone last, as far as nobody changed it since. A save or a deletion of this
  /// context makes what was undone before final.
  ///
  /// - Returns: what was done; nil where there is nothing to do again.
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
