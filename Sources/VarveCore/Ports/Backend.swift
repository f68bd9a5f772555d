/// A log with its index: what a ``Store`` is opened on.
///
/// On SQLite both stand in one file and share one transaction. A backend may be called from any
/// task at any time until ``close()``.
package protocol Backend: CommitLog, StateIndex {
  /// Closes the backend. Later calls throw `closed`.
  func close() async throws
}
