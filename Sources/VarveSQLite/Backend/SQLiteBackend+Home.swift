import Synchronization
import VarveCore

/// An index whose log is kept at a home.
///
/// At the beginning of a turn the index applies the commits that it lacks, in a transaction of their
/// own. The next transaction adds its commits to the home before it commits the index. If the process
/// is killed in between, the index applies them at its next turn.
extension SQLiteBackend {
  /// Applies the commits of the home that this index lacks. Does nothing without a home.
  package func follow() async throws {
    guard configuration.home != nil else { return }
    try await exclusively(patienceMilliseconds: 60_000) { _ in }
  }

  /// Applies the commits that only the home has, and adds those that only the index has to the home.
  func follow(_ turn: any HomeTurn, patienceMilliseconds: Int) async throws {
    let known = try await withSession(mayBeBehind: true) { try $0.homePosition() }
    guard known != turn.end else { return }
    try await locked(patienceMilliseconds: patienceMilliseconds, publish: nil) { session in
      session.log.replaced = []
      let start = HomePosition(incarnation: turn.end.incarnation)
      var arrivals = HomeArrivals(session, known ?? start, configuration)
      if known != nil,
        try await turn.forEachPart(after: arrivals.position, { try arrivals.add($0) })
      {
        try arrivals.finish()
      } else {
        // The index followed another home, or the home was restored to an earlier state. Each may
        // lack commits of the other.
        var all = HomeArrivals(session, start, configuration)
        _ = try await turn.forEachPart(after: start) { try all.add($0) }
        try all.finish()
        try await bring(session, to: turn, but: all.ids)
      }
      try await replaceChanged(session, turn, before: .max)
      try session.setHomePosition(turn.end)
    }
    isBehind.withLock { $0 = false }
  }

  /// Adds the commits that only the index has to the home.
  private func bring(_ session: Session, to turn: any HomeTurn, but held: Set<CommitID>)
    async throws
  {
    var parts = StoredParts(session, try session.commitNumbers(from: 0), but: held)
    guard !parts.isEmpty else { return }
    try await turn.append { try parts.next() }
  }

  /// Adds the commits of a transaction to the home. Returns whether there are any: then they are
  /// written, whatever fails afterwards.
  func publish(
    _ session: Session,
    from first: Int64,
    _ turn: any HomeTurn
  ) async throws -> Bool {
    var parts = StoredParts(session, try session.commitNumbers(from: first))
    guard !parts.isEmpty else { return false }
    try await turn.append { try parts.next() }
    return true
  }

  /// Replaces, at the home, the commits whose blocks the transaction changed, and keeps the position.
  /// If that fails, the index does it when it follows the home.
  func conclude(_ session: Session, from first: Int64, _ turn: any HomeTurn) async throws {
    try await replaceChanged(session, turn, before: first)
    if turn.end != (try session.homePosition()) { try session.setHomePosition(turn.end) }
  }

  /// Replaces, at the home, the commits before a number whose blocks the transaction changed.
  private func replaceChanged(
    _ session: Session,
    _ turn: any HomeTurn,
    before first: Int64
  ) async throws {
    let blocks = session.log.replaced ?? []
    session.log.replaced = nil
    let numbers = Set(try blocks.map { try session.log.commit(ofBlock: $0).n }).filter {
      $0 < first
    }
    guard !numbers.isEmpty else { return }
    try await turn.replace(try numbers.sorted().map { try session.log.commit(number: $0) })
  }

  /// Catches up if the last write reached the home but not the index.
  func requireUpToDate() async throws {
    guard isBehind.withLock({ $0 }) else { return }
    try await follow()
  }
}

/// The intake of commits from the home.
private struct HomeArrivals {
  private var intake: Intake
  private(set) var position: HomePosition
  private(set) var ids: Set<CommitID> = []
  private let session: Session

  init(_ session: Session, _ position: HomePosition, _ configuration: SQLiteBackend.Configuration) {
    self.session = session
    self.position = position
    intake = Intake(
      session,
      wallMilliseconds: configuration.wallMilliseconds(),
      toleranceMilliseconds: configuration.toleranceMilliseconds,
      isFromHome: true
    )
  }

  mutating func add(_ part: CommitPart) throws {
    if case .header(let header) = part {
      let id = Commit(header: header, blocks: []).id
      ids.insert(id)
      position.advance(past: id)
    }
    try intake.add(part)
  }

  mutating func finish() throws {
    _ = try intake.finish()
    // They may include commits of this index's own chain.
    try session.log.reload()
  }
}

/// Stored commits, part by part.
private struct StoredParts {
  private let session: Session
  private var numbers: ArraySlice<Int64>
  private let held: Set<CommitID>
  private var open: (n: Int64, blockCount: Int64, index: Int64)?

  init(_ session: Session, _ numbers: [Int64], but held: Set<CommitID> = []) {
    self.session = session
    self.numbers = numbers[...]
    self.held = held
  }

  var isEmpty: Bool { numbers.isEmpty }

  mutating func next() throws -> CommitPart? {
    if let (n, blockCount, index) = open, index < blockCount {
      open?.index += 1
      return .block(try session.log.storedBlock(n + index))
    }
    while let n = numbers.popFirst() {
      let commit = try session.log.commit(number: n, withBlocks: false)
      guard !held.contains(commit.id) else { continue }
      open = (n, Int64(commit.header.blockCount), 0)
      return .header(commit.header)
    }
    return nil
  }
}

extension Session {
  /// The numbers of the commits from one on, in order of arrival.
  fileprivate func commitNumbers(from first: Int64) throws -> [Int64] {
    let statement = try connection.statement("SELECT n FROM varve_commit WHERE n >= ? ORDER BY n")
    statement.bind(1, first)
    defer { statement.reset() }
    var numbers: [Int64] = []
    while try statement.step() { numbers.append(statement.int(0)) }
    return numbers
  }

  /// Returns the position up to which this index has followed its home.
  fileprivate func homePosition() throws -> HomePosition? {
    guard let incarnation = try connection.metaInteger("home"),
      let number = try connection.metaInteger("home_number"),
      let running = try connection.metaInteger("home_running")
    else { return nil }
    return HomePosition(incarnation: incarnation, number: number, running: running)
  }

  fileprivate func setHomePosition(_ position: HomePosition) throws {
    try connection.setMeta("home", position.incarnation)
    try connection.setMeta("home_number", position.number)
    try connection.setMeta("home_running", position.running)
  }
}
