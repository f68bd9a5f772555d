import VarveCore

/// Loading what a writer must know of the log.
extension LogTables {
  /// Loads the part of the log's state that a writer needs.
  func load() throws {
    var fresh = LogState()
    try loadLineages(into: &fresh)
    // What follows reads commits.
    fresh.hasHandovers = try connection.hasTable("varve_handover")
    state = fresh
    try loadView()
    let last = try connection.statement(
      "SELECT n, lineage, next_row, header FROM varve_commit ORDER BY n DESC LIMIT 1"
    )
    if try last.step() {
      let header = try CommitHeader(encoded: last.blob(3))
      state.lastCommit = last.int(0)
      state.lastLineage = last.int(1)
      state.nextRow = last.int(2)
      state.nextBlock = last.int(0) + Int64(max(header.blockCount, 1))
    }
    last.reset()
    for id in state.chains.keys { try loadHead(of: id) }
    state.withheldCount = Int(
      try connection.integer("SELECT count(*) FROM varve_withheld") ?? 0
    )
    if let latest = try connection.integer("SELECT max(latest) FROM varve_postdated") {
      state.ownTime = HybridTime(rawValue: latest)
    }
    try loadAcknowledged()
    state.hasRedactions = try connection.hasTable("varve_redaction")
    state.hasAwaited = try connection.hasTable("varve_awaited")
    state.followsHome = try connection.metaInteger("home") != nil
    try loadLimitingSpaces()
  }

  /// Loads the addresses of the spaces in which the log's owner is no admin.
  func loadLimitingSpaces() throws {
    let statement = try connection.statement(
      "SELECT key FROM varve_meta WHERE key > 'bound ' AND key < 'bound!' AND value = 0 ORDER BY key"
    )
    defer { statement.reset() }
    state.limitingSpaces = []
    while try statement.step() {
      let key = statement.text(0)
      guard key.hasSuffix(Self.adminSuffix) else { continue }
      let address = key.dropFirst(Self.boundPrefix.count).dropLast(Self.adminSuffix.count)
      state.limitingSpaces.append(String(address))
    }
  }

  private static let boundPrefix = "bound "
  private static let adminSuffix = " admin"

  private func loadLineages(into state: inout LogState) throws {
    let statement = try connection.statement(
      "SELECT id, replica, parent, fork_sequence FROM varve_lineage"
    )
    defer { statement.reset() }
    while try statement.step() {
      let replica = try statement.bytes(1).withReader { try $0.replica() }
      state.chains[statement.int(0)] = LogState.Chain(
        id: statement.int(0),
        replica: replica,
        parent: statement.optionalInt(2),
        forkSequence: statement.int(3)
      )
    }
    state.ownChain = try connection.metaInteger("own_lineage") ?? 0
    guard let own = state.chains[state.ownChain] else {
      throw connection.damaged("the chain of this file's own commits is missing")
    }
    // Older stores do not have this entry.
    if let expected = try connection.metaInteger("own_replica"), expected != own.replica.fingerprint
    {
      throw connection.damaged("the chain of this file's own commits belongs to another replica")
    }
  }

  private func loadHead(of chainID: Int64) throws {
    guard var chain = state.chains[chainID] else { return }
    if let n = try lastCommitNumber(of: chainID) {
      let info = try commit(ofBlock: n)
      guard info.chainID == chainID, info.summary.id.replica == chain.replica else {
        throw connection.damaged("chain \(chainID) does not end with a commit of its replica")
      }
      chain.head = info.summary.id
      chain.headTime = info.summary.time
      if let applied = try lastApplied(of: chainID, atMost: info) {
        chain.appliedSequence = applied.summary.id.sequence
        chain.appliedTime = applied.summary.time
        state.appliedTime = max(state.appliedTime, applied.summary.time)
      } else {
        chain.appliedSequence = chain.forkSequence
      }
    } else {
      chain.appliedSequence = chain.forkSequence
    }
    state.chains[chainID] = chain
  }

  private func lastCommitNumber(of chainID: Int64) throws -> Int64? {
    let run = try connection.statement(
      """
      SELECT first_n FROM varve_run WHERE lineage = ? ORDER BY first_sequence DESC LIMIT 1
      """
    )
    run.bind(1, chainID)
    let first = try run.step() ? run.int(0) : nil
    run.reset()
    return try first.flatMap { try lastCommitNumber(ofRunAt: $0) }
  }

  /// Returns the newest applied commit of a chain, whose withheld commits are at its end.
  private func lastApplied(of chainID: Int64, atMost head: CommitInfo) throws -> CommitInfo? {
    var info = head
    while try isWithheld(info.n) {
      let sequence = info.summary.id.sequence - 1
      guard let chain = state.chains[chainID], sequence > chain.forkSequence,
        let n = try commitNumber(chainID: chainID, sequence: sequence)
      else { return nil }
      info = try commit(ofBlock: n)
    }
    return info
  }

  private func loadAcknowledged() throws {
    let statement = try connection.statement(
      "SELECT other, max(other_sequence) FROM varve_seen WHERE author = ? GROUP BY other"
    )
    statement.bind(1, state.ownChain)
    defer { statement.reset() }
    while try statement.step() { state.acknowledged[statement.int(0)] = statement.int(1) }
  }
}
