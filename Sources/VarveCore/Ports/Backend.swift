/// A log with its index, on which a ``Store`` is opened.
///
/// On SQLite both are in one file and share one transaction. A backend may be called from any task
/// at any time until ``close()``.
package protocol Backend: CommitLog, StateIndex {
  /// The index that follows the home of the log; nil if the backend has the log itself.
  var follower: (any HomeFollower)? { get }

  /// Copies one state of the log and the index to a new file, and checks the copy. The file has its
  /// name only once the copy is complete and free of errors.
  ///
  /// - Throws: ``VarveError``: `invalidArgument` if there is a file of the name; `damaged` if the
  ///   check finds an error; `unsupported` if the backend has no form as a file, or the program has
  ///   no encryption.
  func backUp(
    to path: String,
    _ encryption: BackupEncryption,
    _ progress: @Sendable (BackupProgress) -> Void
  ) async throws -> CheckReport

  /// Releases the file, with every lock on it, until ``resume()``. Other calls throw `suspended`
  /// meanwhile; those that run end with that error, or as they would have.
  ///
  /// - Throws: ``VarveError``: `busy` if a call did not end in time, `closed`.
  func suspend(patienceMilliseconds: Int) async throws

  /// Ends a suspension. Does nothing if there is none.
  func resume() async throws

  /// Encrypts the file anew with another key.
  ///
  /// - Throws: ``VarveError``: `notEncrypted` if the file is plain; `readOnly`, `busy`, `diskFull`.
  func changeKey(to key: StoreKey) async throws

  /// Closes the backend. Later calls throw `closed`.
  func close() async throws
}

/// A backend without a file has nothing to release.
extension Backend {
  package func suspend(patienceMilliseconds: Int) async throws {}

  package func resume() async throws {}
}

extension Backend {
  package func changeKey(to key: StoreKey) async throws {
    throw VarveError(.notEncrypted, "this backend does not encrypt")
  }

  package func backUp(
    to path: String,
    _ encryption: BackupEncryption,
    _ progress: @Sendable (BackupProgress) -> Void
  ) async throws -> CheckReport {
    throw VarveError(.unsupported, "this backend cannot be copied to a file")
  }
}
