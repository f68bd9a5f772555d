import VarveCore

/// Destroying what is left of forgotten bytes outside tables: in free pages, in the room within
/// pages, in words of a full-text search that were deleted, and in the write-ahead log.
///
/// SQLite overwrites what is deleted while `secure_delete` is on, but not what earlier updates left,
/// so the file is written anew. That takes no transaction of the log, and where somebody else is in
/// the way it stays to be done: `varve_meta` says so.
extension Session {
  private static let scrubKey = "scrub"

  /// Notes in the open transaction that there is something to destroy.
  func noteScrub() throws { try noteScrub(.rewriting) }

  func noteScrub(_ step: ScrubStep) throws {
    try setMeta(Self.scrubKey, step.rawValue)
    scrubStep = step
  }

  /// Looks whether something was left to be destroyed.
  func loadScrub() throws {
    scrubStep = try metaInteger(Self.scrubKey).flatMap(ScrubStep.init)
  }

  /// Ends a transaction that failed: what it forgot is there again.
  func forgetNothing() {
    guard isForgetting || scrubStep != nil else { return }
    isForgetting = false
    scrubStep = nil
    try? loadScrub()
    try? connection.execute("PRAGMA secure_delete = OFF")
  }

  /// Writes the file anew. No transaction is open.
  func rewriteFile() throws {
    for number in catalogue.layouts.keys.sorted() { try remakeWords(number) }
    finalizeStatements()
    // A copy of the whole store does not belong in memory.
    try connection.execute("PRAGMA temp_store = FILE")
    defer { try? connection.execute("PRAGMA temp_store = MEMORY") }
    try connection.execute("VACUUM")
  }

  private func remakeWords(_ typeNumber: Int64) throws {
    let words = "varve_search_\(typeNumber)"
    guard try hasTable(words) else { return }
    try connection.execute("INSERT INTO \(words) (\(words)) VALUES ('rebuild')")
  }

  func noteScrubbed() throws {
    try connection.execute("DELETE FROM varve_meta WHERE key = '\(Self.scrubKey)'")
    scrubStep = nil
  }
}

/// What is left to be done: kept in the file, so that neither is done over and over while somebody is
/// in the way of the other.
enum ScrubStep: Int64 {
  /// The file is to be written anew.
  case rewriting = 1
  /// Only the write-ahead log is to be emptied.
  case truncating = 2
}

extension SQLiteBackend {
  /// Destroys what forgotten bytes are left, where there may be any and nobody is in the way. Called
  /// by who holds the lock of this process, without a transaction.
  func scrubIfNeeded() {
    writer.isForgetting = false
    guard location != .inMemory, let checkpointer, let step = writer.scrubStep else { return }
    defer { try? writer.connection.execute("PRAGMA secure_delete = OFF") }
    do {
      if step == .rewriting {
        try writer.rewriteFile()
        try writer.noteScrub(.truncating)
      }
      readers.closeIdle()
      guard checkpointer.truncate(writer.connection) else { return }
      try writer.noteScrubbed()
    } catch {
      // Somebody reads or writes: the next write, opening or closing tries again.
    }
  }
}
