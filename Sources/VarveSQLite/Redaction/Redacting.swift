import VarveCore

/// Removes cells from stored blocks and from what is derived from them.
extension Session {
  /// Applies the redactions in a block, one by one.
  ///
  /// - Parameter first: the place of the first among the block's redactions.
  func apply(_ redactions: [Redaction], block: Int64, first: Int = 0) throws {
    for (index, redaction) in redactions.enumerated() {
      try log.note(redaction, block: block, place: first + index)
      guard let chainID = try log.chainHolding(redaction.commit),
        let n = try log.commitNumber(chainID: chainID, sequence: redaction.commit.sequence)
      else { continue }
      try redact(n, RedactedCells(redaction.parts))
      try log.noteExplained(n)
    }
  }

  /// Applies the redactions of a stored commit.
  func applyRedactions(of header: CommitHeader, n: Int64) throws {
    guard header.kind == .redactions else { return }
    if let horizon = try header.horizon {
      try log.note(horizon, n: n)
    } else {
      try noteScrub()
    }
    for b in n..<n + Int64(header.blockCount) {
      guard let content = try log.cells(ofBlock: b) else { continue }
      try apply(content.redactions, block: b)
    }
  }

  /// Removes cells from a stored commit.
  ///
  /// - Complexity: O(cells of the blocks that contain any, log of the others).
  func redact(_ n: Int64, _ named: RedactedCells) throws {
    let info = try log.commit(ofBlock: n)
    let count = try log.commit(number: n, withBlocks: false).header.blockCount
    var finder = BlockFinder(session: self, first: n, count: count)
    while let b = try finder.next(in: named.ordinals) {
      guard let dropped = try redactBlock(b, named) else { continue }
      if try !log.isWithheld(n) { try forget(dropped, info: info, block: b) }
    }
  }

  /// Removes cells from one block, and returns them.
  private func redactBlock(_ b: Int64, _ named: RedactedCells) throws -> [Cell]? {
    let content = try log.content(ofBlock: b)
    guard let (rest, dropped) = content.redacted(named) else { return nil }
    try beginForgetting()
    let payloads = rest.payloads()
    try log.replace(b, by: Block(redacting: try log.storedBlock(b), to: payloads[0]))
    if payloads.count == 1, let chunkCount = content.chunkCount {
      for chunk in b + 1...b + Int64(chunkCount) {
        try log.replace(chunk, by: Block(emptying: try log.storedBlock(chunk)))
      }
    }
    return dropped
  }

  /// Makes deletions in this transaction overwrite the bytes from here on, and other connections
  /// discard the blocks they have cached.
  func beginForgetting() throws {
    guard !forgetting.isOn else { return }
    forgetting.isOn = true
    try connection.execute("PRAGMA secure_delete = ON")
    try catalogue.noteChange()
  }
}
