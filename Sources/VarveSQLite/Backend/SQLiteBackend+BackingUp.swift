import Foundation
package import VarveCore

extension SQLiteBackend {
  package func backUp(
    to path: String,
    _ encryption: BackupEncryption,
    _ progress: @Sendable (BackupProgress) -> Void
  ) async throws -> CheckReport {
    try checkOpen()
    let key = storeKey(of: encryption)
    if key != nil { try Encryption.require(at: path) }
    let file = try UnpublishedFile(path, permissions: permissions)
    do {
      let target = DatabaseName(
        path: file.partial,
        place: file.path,
        isFile: true,
        key: key.map(FileKey.init)
      )
      if (key == nil) == (name.key == nil) {
        try await copy(to: target, progress)
      } else {
        try await export(to: target, progress)
      }
      let report = try await Self.check(file, key, configuration.sealing, progress)
      try Task.checkCancellation()
      try file.publish()
      return report
    } catch {
      file.discard()
      throw error
    }
  }

  private func storeKey(of encryption: BackupEncryption) -> StoreKey? {
    switch encryption {
    case .asStore: name.key?.key
    case .key(let key): key
    case .plain: nil
    }
  }

  /// The permissions of the store's file; nil for a store in memory.
  private var permissions: mode_t? {
    guard case .file(let path) = location else { return nil }
    return UnpublishedFile.permissions(of: path)
  }

  /// Copies the store in one state. Writers go on.
  private func copy(
    to name: DatabaseName,
    _ progress: @Sendable (BackupProgress) -> Void
  ) async throws {
    try await withSession { session in
      try session.refreshCatalogue()
      let target = try Connection(name, isReadOnly: false)
      do {
        try await Self.copy(session, to: target, progress)
        target.cleansUpOnClosing(true)
      } catch {
        try? target.close()
        throw error
      }
      try target.close()
    }
  }

  /// The number of pages that are copied before others get a turn.
  private static var pagesAtOnce: Int32 { 1_024 }

  private static func copy(
    _ source: Session,
    to target: Connection,
    _ progress: @Sendable (BackupProgress) -> Void
  ) async throws {
    let copy = try DatabaseCopy(from: source.connection, to: target)
    while true {
      try source.requireRunning()
      let isUnfinished = try copy.step(pages: pagesAtOnce)
      let total = copy.pageCount
      progress(BackupProgress(.copying, done: total - copy.remainingCount, total: total))
      guard isUnfinished else { return }
      try Task.checkCancellation()
      await Task.yield()
    }
  }

  private static func check(
    _ file: UnpublishedFile,
    _ key: StoreKey?,
    _ sealing: (any SpaceSealing)?,
    _ progress: @Sendable (BackupProgress) -> Void
  ) async throws -> CheckReport {
    var configuration = Configuration()
    configuration.isReadOnly = true
    configuration.key = key
    configuration.sealing = sealing
    let copy = try await open(.file(file.partial), configuration: configuration)
    let report: CheckReport
    do {
      report = try await copy.check {
        progress(BackupProgress(.checking, done: $0.done, total: $0.total))
      }
    } catch {
      try? await copy.close()
      throw error
    }
    try await copy.close()
    guard let finding = report.findings.first else { return report }
    throw VarveError(
      .damaged,
      "the copy is not what was written to the store: \(finding)",
      at: file.path,
      remedy: "Run check on the store, and rebuild if the findings are about tables."
    )
  }
}
