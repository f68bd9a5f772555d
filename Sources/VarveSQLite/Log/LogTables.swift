import VarveCore

/// The log of a store: its commits, blocks and chains, and the state that a writer needs of them.
///
/// It owns the tables of the log, those that list redacted and awaited commits, and the copies of
/// both. Nothing else writes these tables; `Scripts/check-house.py` lists them.
///
/// Invariants, between transactions and at the end of each:
/// - The state equals the one that loading it again gives.
/// - A commit or block in memory equals the stored one.
final class LogTables {
  let connection: Connection
  /// The state as it was last loaded, with the changes of the open transaction.
  var state = LogState()
  /// The data version the state was loaded at; nil if it must be loaded.
  private(set) var version: UInt32?
  /// Commits read recently.
  var recentCommits = RecentCommits()
  /// Blocks read recently.
  var recentBlocks = RecentBlocks()
  /// What the open transaction did to stored commits, if the log has a home.
  var news: HomeNews?
  /// The commit that was last listed among those that change lives.
  var lastLifeCommit: (n: Int64, creates: Bool)?
  /// Whether the table of those commits is known to exist.
  var knowsLifeCommits = false
  /// The data version at which it was recorded of no commit who handed it over.
  var versionWithoutHandovers: UInt32?
  /// The commit being written, if there is one.
  var pending: PendingCommit?

  /// The cryptography of the sealed space; nil if the store was opened without.
  let sealing: (any SpaceSealing)?
  /// The device's view of its sealed space when the state was last loaded; nil if the space is open.
  var view: (any SealedView)?

  init(_ connection: Connection, sealing: (any SpaceSealing)? = nil) {
    self.connection = connection
    self.sealing = sealing
  }

  // MARK: State

  /// The state as of the open transaction, loaded if another connection may have changed it.
  ///
  /// A writer refreshes it at the beginning of its transaction and uses ``state``.
  var current: LogState {
    get throws {
      try refresh()
      return state
    }
  }

  /// Returns what a caller may not do; nil if nothing limits them.
  func admission(of caller: LogCaller) -> Admission? {
    Admission(of: caller, own: state.own.replica, boundTo: state.limitingSpaces)
  }

  var own: LogState.Chain { get throws { try current.own } }
  var chains: [Int64: LogState.Chain] { get throws { try current.chains } }
  var nextRow: Int64 { get throws { try current.nextRow } }
  var lastCommit: Int64? { get throws { try current.lastCommit } }
  /// The latest stamp of an applied commit.
  var appliedTime: HybridTime { get throws { try current.appliedTime } }
  var withheldCount: Int { get throws { try current.withheldCount } }
  /// Whether any commit names cells to redact.
  var hasRedactions: Bool { get throws { try current.hasRedactions } }
  /// Whether any commit is, or was, partially replicated.
  var hasAwaited: Bool { get throws { try current.hasAwaited } }

  // MARK: Transactions

  /// Loads the state if another connection may have changed it. Requires an open transaction that
  /// has read something.
  func refresh() throws {
    assert(connection.isReading, "no transaction has read anything yet")
    let version = connection.dataVersion
    guard version != self.version else { return }
    try load(at: version)
  }

  /// Loads the state after the open transaction derived it again.
  func reload() throws {
    try load(at: connection.dataVersion)
  }

  private func load(at version: UInt32) throws {
    // Loading uses what is loaded already.
    self.version = version
    do {
      try load()
    } catch {
      self.version = nil
      throw error
    }
  }

  /// Records that the open transaction was committed, and the resulting data version.
  func noteCommitted(version: UInt32) {
    self.version = version
    pending = nil
    lastLifeCommit = nil
  }

  /// Discards everything that was read or written in a transaction that was rolled back.
  ///
  /// - Parameter state: the state before the transaction.
  func restore(_ state: LogState) {
    self.state = state
    version = nil
    pending = nil
    lastLifeCommit = nil
    knowsLifeCommits = false
    forgetCommits()
  }

  /// The state at a point in the open transaction.
  struct Mark {
    fileprivate let state: LogState
    fileprivate let news: HomeNews?
  }

  var mark: Mark { Mark(state: state, news: news) }

  /// Discards what was read or written since a point in the open transaction, which stays open.
  func goBack(to mark: Mark) {
    (state, news) = (mark.state, mark.news)
    lastLifeCommit = nil
    knowsLifeCommits = false
    forgetCommits()
  }

  /// Discards the commits and blocks in memory.
  func forgetCommits() {
    recentCommits.removeAll()
    recentBlocks.removeAll()
  }

  /// Discards blocks from which cells may have been removed since they were read.
  func forgetBlocks() { recentBlocks.removeAll() }

  // MARK: Rows and cells

  /// Takes the next row number.
  func takeRow() -> Int64 { takeRows(1) }

  /// Takes as many row numbers as given, and returns the first.
  func takeRows(_ count: Int) -> Int64 {
    defer { state.nextRow += Int64(count) }
    return state.nextRow
  }

  /// Returns the time of a cell, and whether the cell is certainly the greatest of its property or
  /// life.
  func timing(of time: HybridTime?, at place: CellPlace) -> (time: HybridTime, isNewest: Bool) {
    let stamp = place.info.summary.time
    let actual = time ?? stamp
    let isAfterOthers = stamp > state.appliedTime && actual > state.appliedTime
    // A cell dated before its commit may be less than another cell of the same commit.
    let isAfterOwn = actual >= stamp || state.stampedCommit != place.info.n
    let isNewest = isAfterOthers && isAfterOwn && actual >= state.ownTime
    noteCells(at: time, n: place.info.n)
    return (actual, isNewest)
  }

  /// Records that cells of a commit are applied, at a time of their own or at the commit's.
  func noteCells(at time: HybridTime?, n: Int64) {
    if let time {
      state.ownTime = max(state.ownTime, time)
    } else {
      state.stampedCommit = n
    }
  }

  // MARK: Deriving anew

  /// Resets what is derived from the commits, except the chains and their heads.
  func forgetDerived() {
    state.hasRedactions = false
    state.nextRow = 1
    state.appliedTime = .distantPast
    state.ownTime = .distantPast
    state.stampedCommit = 0
    lastLifeCommit = nil
    for (id, var chain) in state.chains {
      chain.appliedSequence = chain.forkSequence
      chain.appliedTime = .distantPast
      state.chains[id] = chain
    }
    forgetBlocks()
  }

  /// Adopts the chains of another log, without their commits.
  func adoptChains(of other: LogTables) {
    state.chains = other.state.chains
    for id in state.chains.keys { state.chains[id]?.head = nil }
    version = connection.dataVersion
  }
}
