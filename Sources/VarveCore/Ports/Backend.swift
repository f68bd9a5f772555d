/// A log with its index, on which a ``Store`` is opened.
///
/// On SQLite both are in one file and share one transaction. A backend may be called from any task
/// at any time until ``close()``.
package protocol Backend: CommitLog, StateIndex {
  /// Closes the backend. Later calls throw `closed`.
  func close() async throws
}
