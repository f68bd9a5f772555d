import VarveCore

/// Destroys remains of redacted bytes outside tables: in free pages, in free space within pages, in
/// deleted words of a full-text search, and in the write-ahead log.
///
/// While `secure_delete` is on, SQLite overwrites deleted bytes, but not the remains of earlier
/// updates, so the file is rewritten. This is not a transaction of the log. If another connection
/// prevents it, it remains to be done, as recorded in `varve_meta`.
extension Session {
  private static let scrubKey = "scrub"

  /// Records in the open transaction that a scrub is due.
  func noteScrub() throws { try noteScrub(.rewriting) }

  func noteScrub(_ step: ScrubStep) throws {
    try connection.setMeta(Self.scrubKey, step.rawValue)
    forgetting.scrub = step
  }

  /// Loads whether a scrub is due.
  func loadScrub() throws {
    forgetting.scrub = try connection.metaInteger(Self.scrubKey).flatMap(ScrubStep.init)
  }

  /// Resets the state after a transaction that was rolled back: it restored what it redacted.
  func rollBackScrub() {
    guard forgetting.isOn || forgetting.scrub != nil else { return }
    forgetting.isOn = false
    forgetting.scrub = nil
    try? loadScrub()
    try? connection.execute("PRAGMA secure_delete = OFF")
  }

  /// Rewrites the file. No transaction may be open.
  func rewriteFile() throws {
    for number in catalogue.layouts.keys.sorted() { try remakeWords(number) }
    finalizeStatements()
    // A copy of the whole store would be too large for memory.
    try connection.execute("PRAGMA temp_store = FILE")
    defer { try? connection.execute("PRAGMA temp_store = MEMORY") }
    try connection.execute("VACUUM")
  }

  private func remakeWords(_ typeNumber: Int64) throws {
    for tokenizer in SearchTokenizer.allCases {
      let words = "varve_search_\(WordTable.end(typeNumber, tokenizer))"
      guard try connection.hasTable(words) else { continue }
      try connection.execute("INSERT INTO \(words) (\(words)) VALUES ('rebuild')")
    }
  }

  func noteScrubbed() throws {
    try connection.removeMeta(Self.scrubKey)
    forgetting.scrub = nil
  }
}

/// The remaining step of a scrub. It is kept in the file, so that neither step is repeated while
/// another connection prevents the other.
enum ScrubStep: Int64 {
  /// The file must be rewritten.
  case rewriting = 1
  /// Only the write-ahead log must be emptied.
  case truncating = 2
}

extension SQLiteBackend {
  /// Destroys remains of redacted bytes, if there may be any and no other connection prevents it.
  /// The caller holds the lock of this process, without a transaction.
  func scrubIfNeeded(_ writer: Session) {
    writer.forgetting.isOn = false
    guard location != .inMemory, let step = writer.forgetting.scrub else { return }
    defer { try? writer.connection.execute("PRAGMA secure_delete = OFF") }
    do {
      if step == .rewriting {
        try writer.rewriteFile()
        try writer.noteScrub(.truncating)
      }
      readers.closeIdle()
      // A short read of another task is waited for once, so that a purge leaves nothing behind.
      let patience: Duration = step == .rewriting ? .milliseconds(250) : .zero
      guard checkpointer.truncate(writer.connection, patience: patience) else { return }
      try writer.noteScrubbed()
    } catch {
      // Another connection reads or writes: the next write, opening or closing tries again.
    }
  }
}
