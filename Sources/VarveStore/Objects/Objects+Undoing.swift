import VarveCore

/// The commits of a context that can be undone and done again, the latest last.
struct UndoHistory {
  var undoable: [CommitID] = []
  var redoable: [CommitID] = []

  /// What was undone before a new commit is not done again.
  mutating func note(_ commit: CommitID) {
    undoable.append(commit)
    redoable.removeAll()
  }
}

extension Objects {
  /// Whether there is a commit of this context to undo.
  public var canUndo: Bool { !undoing.undoable.isEmpty }

  /// Whether there is an undone commit to do again.
  public var canRedo: Bool { !undoing.redoable.isEmpty }

  /// Undoes the latest commit of this context that is not undone, as far as nobody changed since what
  /// it did: not what others wrote, whose commits stay. Live instances are as they were before it.
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
  public func undo(author: String = "", message: String = "") async throws -> UndoReport? {
    guard let commit = undoing.undoable.last else { return nil }
    let report = try await store.undo(commit, author: author, message: message)
    undoing.undoable.removeAll { $0 == commit }
    if let undo = report.commit { undoing.redoable.append(undo.id) }
    try await refresh()
    return report
  }

  /// Does again what was undone last, as far as nobody changed it since. A save or a deletion of this
  /// context makes what was undone before final.
  ///
  /// - Returns: what was done; nil where there is nothing to do again.
  /// - Throws: as ``undo(author:message:)``.
  @discardableResult
  public func redo(author: String = "", message: String = "") async throws -> UndoReport? {
    guard let undo = undoing.redoable.last else { return nil }
    let report = try await store.undo(undo, author: author, message: message)
    undoing.redoable.removeAll { $0 == undo }
    if let redo = report.commit { undoing.undoable.append(redo.id) }
    try await refresh()
    return report
  }
}
