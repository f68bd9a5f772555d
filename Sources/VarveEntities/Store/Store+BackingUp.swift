public import Foundation
public import VarveCore

extension Store {
  /// Copies the store to a new file while writes go on, and checks the copy.
  ///
  /// ```swift
  /// try await store.backup(to: "backups/hats-2026-11-22.varve")
  /// ```
  ///
  /// The copy is the store in one state, with its log and its history. It gets its name once it is
  /// complete and ``check(_:)`` found no error in it; before that, and after an error, there is no
  /// file of the name. The store may be in memory.
  ///
  /// The copy of an encrypted store is encrypted with the same key. With an `encryption` it has a key
  /// of its own, or none: this is how a plain store becomes an encrypted one, and the reverse.
  ///
  /// The copy is the same replica. If both are written to, a merge recognizes the fork (R12).
  ///
  /// - Parameters:
  ///   - path: the name of the new file.
  ///   - encryption: whether the copy is encrypted, and with which key.
  ///   - progress: called with the progress.
  /// - Returns: what was verified in the copy.
  /// - Throws: ``VarveError``: `invalidArgument` if there is a file of the name, `damaged` if the
  ///   store has errors, `unsupported` for a key in a program without encryption, `nestedTransaction` inside a write of this store, `inputOutput`,
  ///   `readOnly`, `diskFull`; `CancellationError`.
  /// - Complexity: O(file + cells in the log).
  @discardableResult
  public func backup(
    to path: String,
    encryption: BackupEncryption = .asStore,
    _ progress: @Sendable (BackupProgress) -> Void = { _ in }
  ) async throws -> CheckReport {
    try refuseInsideOwnWrite("backup")
    return try await backend.backUp(to: path, encryption, progress)
  }

  /// Copies the store to a new file that a URL names. See ``backup(to:encryption:_:)-(String,_,_)``.
  ///
  /// - Throws: ``VarveError``: `invalidArgument` for a URL of another scheme than `file`, and as
  ///   ``backup(to:encryption:_:)-(String,_,_)``.
  @discardableResult
  public func backup(
    to url: URL,
    encryption: BackupEncryption = .asStore,
    _ progress: @Sendable (BackupProgress) -> Void = { _ in }
  ) async throws -> CheckReport {
    try await backup(to: Self.path(of: url), encryption: encryption, progress)
  }

  /// Returns the path that a file URL names.
  package static func path(of url: URL) throws -> String {
    guard url.isFileURL, !url.path.isEmpty else {
      throw VarveError(
        .invalidArgument,
        "the URL does not name a file",
        at: url.absoluteString,
        remedy: "Use a file URL; synchronise with a store elsewhere."
      )
    }
    return url.path
  }
}
