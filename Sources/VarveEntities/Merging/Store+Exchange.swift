package import VarveCore

/// The log as a stream, for documents that contain all of it.
extension Store {
  /// Calls the body with every commit of one state of the log, part by part in order of stamp.
  package func forEachCommitPart(_ body: (CommitPart) async throws -> Void) async throws {
    try await backend.forEachCommitPart(body)
  }

  /// Adds commits that are supplied part by part until nil: all of them, or none.
  ///
  /// - Returns: the report of the new commits.
  /// - Throws: the errors of `next`, and as ``merge(from:progress:)``.
  package func merge(
    parts next: () async throws -> CommitPart?
  ) async throws -> MergeReport {
    try refuseInsideOwnWrite("merge")
    try refuseIfReadOnly()
    var report = MergeReport(try await StoreLog(self).append(parts: next))
    report.partialCount = try await backend.partialCount()
    return report
  }
}
