public import Foundation
public import VarveCore

/// The outcome of a compaction.
public struct CompactionReport: Sendable, Hashable {
  /// The number of cells that were folded: values and removals of properties.
  public let cellCount: Int
  /// The commit of the compaction; nil if there was nothing to fold, and in a sealed space, where the
  /// membership says who folded history.
  public let commit: CommitSummary?
  /// Whether the values are folded later: in a sealed space whose membership is ordered elsewhere, once this
  /// store has synchronised with the home.
  public let isPending: Bool
}

extension Store {
  /// Folds history: of the values up to a date, keeps only those that still matter. The present and
  /// every past state from that date on stay unchanged; earlier states are gone.
  ///
  /// The values that hold at the date or may win later, those in conflict, and all lives and
  /// relations are kept. The other values are destroyed here and on every store this one
  /// synchronises with; reading an earlier state then throws ``VarveError/Code/compacted``.
  /// Histories list the remaining values. A store that was away for longer needs no special
  /// treatment: it receives what the others have kept, and its own commits are merged as always.
  ///
  /// ```swift
  /// let report = try await store.compact(before: monthsAgo)
  /// print(report.cellCount, "values folded")
  /// ```
  ///
  /// The file is rewritten to make it smaller; other stores reuse the space instead.
  ///
  /// In a sealed space the home of the membership orders a compaction. Elsewhere it waits until this store has
  /// synchronised with the home (``CompactionReport/isPending``). It has no author and no message.
  ///
  /// - Parameters:
  ///   - date: the horizon, which is in the past.
  ///   - isShrinking: whether the file is rewritten.
  ///   - author: the author of the commit; nil if there is none.
  ///   - message: the reason; nil if there is none.
  /// - Returns: the amount of folded history.
  /// - Throws: ``VarveError``: `forbidden` if the store synchronises with a space in which its owner
  ///   is no admin; `invalidArgument` if the date is not past; `timeOutOfRange`; as
  ///   ``write(as:author:message:at:_:)``.
  /// - Complexity: O(entities + cells of properties written more than once); O(bytes of the store)
  ///   if it shrinks.
  @discardableResult
  public func compact(
    before date: Date,
    shrinking isShrinking: Bool = true,
    author: String? = nil,
    message: String? = nil
  ) async throws -> CompactionReport {
    let time = try HybridTime(instant: date)
    return try await compact(shrinking: isShrinking, author, message) { _ in time }
  }

  /// Folds history older than a duration: `.seconds(90 * 86_400)` keeps 90 days. See
  /// ``compact(before:shrinking:author:message:)``.
  @discardableResult
  public func compact(
    keeping duration: Duration,
    shrinking isShrinking: Bool = true,
    author: String? = nil,
    message: String? = nil
  ) async throws -> CompactionReport {
    // The commit of the compaction must be later than the horizon.
    let kept = Double(max(1, duration.wholeMilliseconds)) / 1_000
    return try await compact(shrinking: isShrinking, author, message) { now in
      let seconds = Double(now.millisecondsSince1970) / 1_000
      return try HybridTime(instant: Date(timeIntervalSince1970: seconds - kept))
    }
  }

  /// Folds history up to the time that a closure returns.
  ///
  /// - Parameter time: receives the time of the clock that decides: the home's, or else this machine's.
  private func compact(
    shrinking isShrinking: Bool,
    _ author: String?,
    _ message: String?,
    upTo time: @escaping @Sendable (_ now: HybridTime) throws -> HybridTime
  ) async throws -> CompactionReport {
    let (folded, commit) = try await self.commit(author: author, message: message) { tx in
      try await tx.perform { writer in
        try await writer.commit.compact(upTo: try time(writer.commit.wall), shrinking: isShrinking)
      }
    }
    return CompactionReport(
      cellCount: folded.cellCount,
      commit: commit,
      isPending: !folded.isDone
    )
  }
}
