public import Observation
import Synchronization
package import VarveCore

/// The commits of a window, a document or a user that can be undone and redone one by one, latest
/// first.
///
/// ```swift
/// let edits = UndoStack(store)
/// hat.color = "blue"
/// hat = try await edits.record { try await store.save(hat) }
/// try await edits.undo()
/// hat = try await store.require(hat.id)  // red
/// try await edits.redo()
/// ```
///
/// An undo is a commit of its own; see ``Store/undo(_:author:message:)``. What others wrote
/// meanwhile stays. Values in memory do not change: read them again, or show them by
/// ``LiveResults``. A context of live objects has a stack of its own, ``Objects/undo(author:message:)``.
///
/// A stack may be used from any task. Observers see ``canUndo`` and ``canRedo`` change.
public final class UndoStack: Sendable, Observable {
  /// The store.
  public let store: Store

  private let history = Mutex(UndoHistory())
  /// Serialises undos, so that two concurrent ones undo two commits.
  private let turn = Turnstile<Void>((), name: "undo")
  private let registrar = ObservationRegistrar()

  /// Creates a stack without commits.
  public init(_ store: Store) { self.store = store }

  /// Whether there is a commit to undo.
  public var canUndo: Bool {
    registrar.access(self, keyPath: \.canUndo)
    return history.withLock { !$0.undoable.isEmpty }
  }

  /// Whether there is an undone commit to redo.
  public var canRedo: Bool {
    registrar.access(self, keyPath: \.canRedo)
    return history.withLock { !$0.redoable.isEmpty }
  }

  private func change(_ body: (inout UndoHistory) -> Void) {
    registrar.withMutation(of: self, keyPath: \.canUndo) {
      registrar.withMutation(of: self, keyPath: \.canRedo) { history.withLock { body(&$0) } }
    }
  }

  // MARK: Recording

  /// Runs a closure, and records each commit that it makes in the store, by whatever verb. Commits
  /// that were undone before cannot be redone then.
  ///
  /// What belongs together in one step is one commit: write it by
  /// ``Store/write(as:author:message:at:_:)``. The latest 1,000 commits are kept. Commits that the
  /// closure made before it threw are recorded too.
  ///
  /// - Returns: the result of the closure.
  /// - Throws: the errors of the closure.
  @discardableResult
  public func record<Result>(
    isolation: isolated (any Actor)? = #isolation,
    _ body: () async throws -> Result
  ) async rethrows -> Result {
    let recorder = CommitRecorder(of: store, for: self) { [weak self] in self?.note($0.id) }
    return try await recorder.run(body)
  }

  /// Records a commit of the store.
  package func note(_ commit: CommitID) { change { $0.note(commit) } }

  // MARK: Undoing

  /// Undoes the latest recorded commit that is not undone yet. Values that were changed since are
  /// kept.
  ///
  /// - Returns: a report of what was undone and what was kept; nil if there is nothing to undo.
  /// - Throws: as ``Store/undo(_:author:message:)``; the commit can then be undone later.
  @discardableResult
  public func undo(author: String? = nil, message: String? = nil) async throws -> UndoReport? {
    try await turn.pass { _ in
      let (last, noteCount) = history.withLock { ($0.undoable.last, $0.noteCount) }
      guard let last else { return nil }
      let report = try await CommitRecorder.withoutRecording(for: self) {
        try await store.undo(last, author: author, message: message)
      }
      change {
        // A commit that was recorded meanwhile makes the undo final.
        $0.undo(last, by: report.commit?.id, isFinal: noteCount != $0.noteCount)
      }
      return report
    }
  }

  /// Redoes the commit that was undone last. Values that were changed since are kept.
  ///
  /// - Returns: a report of what was redone; nil if there is nothing to redo.
  /// - Throws: as ``undo(author:message:)``.
  @discardableResult
  public func redo(author: String? = nil, message: String? = nil) async throws -> UndoReport? {
    try await turn.pass { _ in
      guard let undo = history.withLock({ $0.redoable.last }) else { return nil }
      let report = try await CommitRecorder.withoutRecording(for: self) {
        try await store.undo(undo, author: author, message: message)
      }
      change { $0.redo(undo, by: report.commit?.id) }
      return report
    }
  }
}
