public import Foundation
public import VarveCore

/// What a compaction did.
public struct CompactionReport: Sendable, Hashable {
  /// How many cells were folded: values and removals of properties.
  public let cellCount: Int
  /// The commit that says so; nil where there was nothing to fold, and everything stays readable.
  public let commit: CommitSummary?
}

extension Store {
  /// Folds history: of what properties said up to a date, only what still matters is kept. The
  /// present, and every past state from that date on, stay as they are; states before it are gone.
  ///
  /// Kept are the values that hold then or may win later, those in conflict, and all lives and
  /// relations. What goes is destroyed here and on every store this one is synchronised with, so all
  /// of them keep less, and ``VarveError/Code/compacted`` is what asking for an earlier state throws.
  /// Histories list what is left. A store that was away for longer needs nothing special: it takes
  /// what it lacks as it is kept elsewhere, and what it wrote itself is merged as always.
  ///
  /// ```swift
  /// let report = try await store.compact(before: monthsAgo)
  /// print(report.cellCount, "values folded")
  /// ```
  ///
  /// The file is written anew, so that it gets smaller; on other stores the room is used again.
  ///
  /// - Parameters:
  ///   - date: the horizon, in the past.
  ///   - isShrinking: whether the file is written anew.
  ///   - author: who writes; empty where nobody is named.
  ///   - message: why; may be empty.
  /// - Returns: how much was folded.
  /// - Throws: ``VarveError``: `invalidArgument` where the date is not past; `timeOutOfRange`; as
  ///   ``write(as:author:message:at:_:)``.
  /// - Complexity: O(entities + cells of properties written more than once); O(bytes of the store)
  ///   where it shrinks.
  @discardableResult
  public func compact(
    before date: Date,
    shrinking isShrinking: Bool = true,
    author: String = "",
    message: String = ""
  ) async throws -> CompactionReport {
    let time = try HybridTime(instant: date)
    let (count, commit) = try await self.commit(author: author, message: message) { tx in
      try await tx.perform { try await $0.writer.compact(upTo: time, shrinking: isShrinking) }
    }
    return CompactionReport(cellCount: count, commit: commit)
  }

  /// Folds history but for the time given: `.seconds(90 * 86_400)` keeps 90 days. See
  /// ``compact(before:shrinking:author:message:)``.
  @discardableResult
  public func compact(
    keeping duration: Duration,
    shrinking isShrinking: Bool = true,
    author: String = "",
    message: String = ""
  ) async throws -> CompactionReport {
    let now = Double(configuration.wallMilliseconds()) / 1_000
    // The commit that folds must be later than the horizon.
    let kept = Double(max(1, duration.wholeMilliseconds)) / 1_000
    return try await compact(
      before: Date(timeIntervalSince1970: now - kept),
      shrinking: isShrinking,
      author: author,
      message: message
    )
  }
}
