public import Foundation
import VarveCore
public import VarveStore

extension Store {
  /// Loads an interchange document in one transaction, completely or not at all.
  ///
  /// From a compact or normalized document, entities that are not live are created. Live ones get
  /// the values that their history lacks; their type and datestamp stay. Values without a datestamp
  /// hold from `time`, or from now, and are written only if they differ; a second record with such
  /// values for one identifier is skipped. So loading a document again writes nothing. References
  /// may name entities that come later, or never. A full document is merged with its own authors,
  /// messages and times.
  ///
  /// The document is read as a stream. Memory use grows only by 16 bytes for each record with
  /// values without a datestamp.
  ///
  /// ```swift
  /// let report = try await store.load(DocumentSource(file: "hats.json"), author: "sam")
  /// for skipped in report.skipped { print(skipped.position, skipped.reason) }
  /// ```
  ///
  /// - Parameters:
  ///   - document: the source of the bytes, which is read while the transaction is open.
  ///   - author: the author; may be empty.
  ///   - message: the reason; may be empty.
  ///   - time: the time from which values without a datestamp hold; nil for now.
  ///   - progress: called after each record.
  /// - Returns: the outcome, with the skipped parts and the reasons.
  /// - Throws: `VarveError`: `invalidJSON` and `invalidInterchange` with line, column and byte;
  ///   `newerFormat`, `damaged` and `missingDependencies` for full documents; and as
  ///   `Store.write`; the errors of the source. In these cases nothing
  ///   is written.
  /// - Complexity: O(bytes + values × log entities).
  @discardableResult
  public func load(
    _ document: DocumentSource,
    author: String? = nil,
    message: String? = nil,
    at time: Date? = nil,
    progress: (LoadProgress) -> Void = { _ in }
  ) async throws -> LoadReport {
    guard document.format == .json else {
      throw VarveError(
        .invalidInterchange,
        "an interchange document is one JSON value, not JSON Lines",
        remedy: "Import JSON Lines by a mapping."
      )
    }
    let stream = JSONStream(document)
    let reading = DocumentReading(stream: stream)
    func tell(_ count: Int) {
      progress(
        LoadProgress(
          byteCount: stream.byteOffset,
          totalByteCount: document.byteCount,
          recordCount: count
        )
      )
    }
    switch try reading.begin() {
    case nil: return LoadReport()
    case .commits: return try await loadCommits(reading, tell)
    case .entities:
      var (report, commit) = try await self.commit(
        as: .import,
        author: author,
        message: message,
        at: time
      ) {
        var loading = RecordLoading(stream, self.rules())
        try await loading.load(into: $0, tell)
        try reading.finish()
        return loading.report
      }
      report.commit = commit
      return report
    }
  }

  private func loadCommits(
    _ reading: DocumentReading,
    _ progress: (Int) -> Void
  ) async throws -> LoadReport {
    var commits = CommitReading(reading)
    let merge: MergeReport
    do {
      merge = try await self.merge {
        try Task.checkCancellation()
        let part = try commits.next()
        progress(commits.count)
        return part
      }
    } catch let error as VarveError where error.code == .missingDependencies {
      throw VarveError(
        error.code,
        error.message,
        at: error.place,
        remedy:
          "The document lacks a commit: export it again from a complete store, or first "
          + "load a document, or merge a store, that has the missing one."
      )
    }
    var report = LoadReport()
    report.isFull = true
    report.importedCount = merge.commitCount
    report.merge = merge
    return report
  }
}
