import VarveCore

/// A second store in a temporary file, into which the log is replayed for comparison.
final class Shadow {
  let session: Session
  private let source: Session

  init(of source: Session) throws {
    self.source = source
    session = Session(try Connection(source.connection.name.temporary, isReadOnly: false))
    // It runs no SQL of a caller, and needs no journal.
    session.connection.isDefended(false)
    try session.connection.execute("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF")
    try session.connection.execute(Schema.log)
    try session.connection.execute(Schema.derived)
    try session.connection.execute("BEGIN")
    session.isWriting = true
    session.log.adoptChains(of: source.log)
    session.log.view = source.log.view
  }

  func replay(_ n: Int64) throws {
    let info = try source.log.commit(ofBlock: n)
    let commit = try source.log.commit(number: n)
    for (index, block) in commit.blocks.enumerated() {
      try session.log.store(block, number: n + Int64(index))
    }
    try session.log.storeCommit(
      commit.header,
      bytes: commit.headerBytes,
      id: commit.id,
      n: n,
      chainID: info.chainID,
      inline: nil
    )
    guard try !source.log.isWithheld(n) else { return }
    guard try !source.log.isVoid(n) else {
      return session.log.noteApplied(commit.header, chainID: info.chainID)
    }
    try session.applyStored(commit, n: n, chainID: info.chainID)
  }

  func close() throws {
    try session.connection.execute("COMMIT")
    try session.close()
  }
}
