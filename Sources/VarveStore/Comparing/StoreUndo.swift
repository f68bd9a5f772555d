public import VarveCore

extension Store {
  /// Undoes a commit by a new one, as far as nobody changed since what it did.
  ///
  /// Properties get back the value they had before it, entities it created are erased, those it
  /// erased are restored, relations it declared and elements it added are taken back, and those it
  /// took back stand again where they stood. What a later commit changed stays, and so does an entity
  /// that would take with it what a later commit changed; the report lists both. What a later commit
  /// did and another undid does not count as changed: so the newest commit can be undone, then the
  /// one before. The commit stays in the history, and an undo can be undone.
  ///
  /// What the commit wrote for a time of its own is taken back at that time: past states show again
  /// what they showed before it. All else is taken back now. A conflict that the commit settled is
  /// not opened again, as an undo has seen all that was in conflict; the report says so by
  /// ``UndoReport/Reason/conflictSettled``.
  ///
  /// ```swift
  /// let report = try await store.undo(commit.id, author: "sam")
  /// for skipped in report.skipped { print("kept", skipped.entity, skipped.reason) }
  /// ```
  ///
  /// - Parameters:
  ///   - id: the commit.
  ///   - author: who undoes it.
  ///   - message: why; `undo` and the commit's name if empty.
  /// - Returns: what was undone, and what was not.
  /// - Throws: ``VarveError``: `notFound` where there is no such commit, what ``willErase(_:)``
  ///   hooks throw, and as ``write(as:author:message:at:_:)``.
  /// - Complexity: O(cells of the commit and histories of the entities it names).
  @discardableResult
  public func undo(
    _ id: CommitID,
    author: String = "",
    message: String = ""
  ) async throws -> UndoReport {
    try refuseInsideOwnWrite("undo")
    try refuseIfReadOnly()
    let written = try await commit(id)
    let (cells, time) = (try written.cells(), written.header.time)
    let reason = message.isEmpty ? "undo \(id)" : message
    var (report, commit) = try await commit(
      as: .undo,
      author: author,
      message: reason,
      at: nil,
      undoing: id
    ) { transaction in
      try await transaction.perform {
        try await Undoing(id, at: time, of: cells, by: $0).run()
      }
    }
    report.commit = commit
    return report
  }
}
