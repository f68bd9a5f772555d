public import VarveCore

extension Store {
  /// Undoes a commit with a new one, except for changes that later commits replaced.
  ///
  /// Properties get their former values, and entities are erased if the commit created them, or
  /// restored if it erased them. Relations and elements that the commit added are removed; those it
  /// removed are added again at their positions. Data that a later commit changed stays, and so
  /// does an entity whose erasure would affect such data; the report lists both. A later change
  /// that was undone itself does not count, so commits can be undone one by one from the newest.
  /// The commit stays in the history, and an undo can be undone.
  ///
  /// An undo is a write like any other. So undoing the same commit again is skipped as
  /// ``UndoReport/Reason/changedSince``; to bring the commit back, undo the undo. An undo and what
  /// it undid count as nothing only if both are later than the commit to undo.
  ///
  /// Dated writes are undone at their dates: past states are as they were before the commit. The
  /// undo is a statement for these dates itself, so a value that is written later for an earlier
  /// date holds until them. All other writes are undone now.
  ///
  /// An entity whose creation is undone is erased. It does not become unknown again, so to-many
  /// properties that named it before leave it out. What was purged is gone from the commit too, and
  /// no undo brings it back. A conflict that the commit settled stays settled, because the undo has
  /// seen all concurrent writes; the report lists it as ``UndoReport/Reason/conflictSettled``.
  ///
  /// ```swift
  /// let report = try await store.undo(commit.id, author: "sam")
  /// for skipped in report.skipped { print("kept", skipped.entity, skipped.reason) }
  /// ```
  ///
  /// - Parameters:
  ///   - id: the commit.
  ///   - author: the author of the undo.
  ///   - message: the reason; if empty, `undo` and the commit's name.
  /// - Returns: the changes that were undone, and those that were not.
  /// - Throws: ``VarveError``: `notFound` if there is no such commit, `invalidArgument` if it only
  ///   destroyed data (a compaction, or a purge of what was dead), the errors of ``willErase(_:)``
  ///   hooks, and as ``write(as:author:message:at:_:)``.
  /// - Complexity: O(chains × log commits), and O(cells of the commit and versions of its properties
  ///   since). Of what several replicas wrote, or what it created or erased, all versions are read.
  @discardableResult
  public func undo(
    _ id: CommitID,
    author: String? = nil,
    message: String? = nil
  ) async throws -> UndoReport {
    try await undo(id, author, message) { $0 }
  }

  /// Returns what ``undo(_:author:message:)`` would do, without doing it.
  ///
  /// The undo runs in a transaction that is rolled back, so ``willErase(_:)`` hooks run.
  ///
  /// - Throws: As ``undo(_:author:message:)``.
  /// - Complexity: As ``undo(_:author:message:)``.
  public func previewUndo(_ id: CommitID) async throws -> UndoReport {
    do {
      return try await undo(id, nil, nil) { throw UndoPreview(report: $0) }
    } catch let preview as UndoPreview {
      return preview.report
    }
  }

  private func undo(
    _ id: CommitID,
    _ author: String?,
    _ message: String?,
    _ completed: (UndoReport) throws -> UndoReport
  ) async throws -> UndoReport {
    try refuseInsideOwnWrite("undo")
    try refuseIfReadOnly()
    let written = try await commit(id)
    let reason = message?.nilIfEmpty ?? "undo \(id)"
    var (report, commit) = try await commit(
      as: .undo,
      author: author,
      message: reason,
      at: nil,
      undoing: id
    ) { transaction in
      let report = try await transaction.perform {
        try await Undoing(written, by: $0).run()
      }
      guard report != UndoReport() || written.header.kind != .redactions else {
        throw Self.cannotBringBack(id)
      }
      return try completed(report)
    }
    report.commit = commit
    return report
  }

  private static func cannotBringBack(_ id: CommitID) -> VarveError {
    VarveError(
      .invalidArgument,
      "the commit destroyed data, which cannot be undone",
      at: "commit \(id)",
      remedy: "Restore a backup from before it as another store, and copy the data from there."
    )
  }
}

/// The error that rolls a previewed undo back.
private struct UndoPreview: Error {
  let report: UndoReport
}
