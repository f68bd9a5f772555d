import VarveCore
public import VarveEntities

extension Objects {
  /// Whether this context has a commit to undo.
  public var canUndo: Bool { undoing.canUndo }

  /// Whether there is an undone commit to redo.
  public var canRedo: Bool { undoing.canRedo }

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
    let report = try await undoing.undo(author: author, message: message)
    if report != nil { try await refresh() }
    return report
  }

  /// Redoes the commit that was undone last. Values that were changed since are kept. After a save
  /// or a deletion in this context, earlier undos cannot be redone.
  ///
  /// - Returns: a report of what was redone; nil if there is nothing to redo.
  /// - Throws: as ``undo(author:message:)``.
  @discardableResult
  public func redo(author: String? = nil, message: String? = nil) async throws -> UndoReport? {
    let report = try await undoing.redo(author: author, message: message)
    if report != nil { try await refresh() }
    return report
  }
}
