import Synchronization
import VarveCore
import VarveSync

/// The server of a simulated space: a store whose process ends and starts, and replies to requests
/// without remembering them.
final class SimulatedServer: Sendable {
  /// What happened to the requests.
  struct Notes {
    /// The commits that clients know to be durable.
    var acknowledged: [CommitID] = []
    /// The commits that the server acknowledged before it went back, in replies that arrived after.
    var acknowledgedBefore: [CommitID] = []
    /// Bodies of earlier requests that hand commits over, with their clients.
    var letters: [(client: Int, space: SpaceID, bytes: [UInt8])] = []
    /// A reply that was false.
    var lie: String?
    var hasCrashed = false
    /// The clients that are bound to the space that has ended.
    var strangers: Set<Int> = []
    /// The clients that may hand over commits that purge.
    var admins: Set<Int> = []
    var tally = SpaceTally()

    /// Notes a reply that arrives: the server has the commits, unless it went back since it replied.
    ///
    /// - Parameter goBackCount: how often the server had gone back when it replied.
    mutating func acknowledge(_ commits: [CommitID], by goBackCount: Int) {
      if goBackCount == tally.goBackCount {
        acknowledged += commits
      } else {
        acknowledgedBefore += commits
      }
    }
  }

  let fault: SpaceFault?
  private let limits: SyncLimits
  private let current: Mutex<SimulatedStore>
  private let notes = Mutex(Notes())

  private static let letterCount = 30

  init(_ store: SimulatedStore, _ fault: SpaceFault?, _ limits: SyncLimits) {
    current = Mutex(store)
    self.fault = fault
    self.limits = limits
  }

  /// The store; another when the space ends and another gets its address.
  var store: SimulatedStore {
    get { current.withLock { $0 } }
    set { current.withLock { $0 = newValue } }
  }

  @discardableResult
  func note<Result>(_ body: (inout Notes) -> Result) -> Result { notes.withLock { body(&$0) } }

  /// Whether a client may hand over commits that purge.
  func isAdmin(_ client: Int) -> Bool { note { $0.admins.contains(client) } }

  // MARK: Replying

  /// Throws unless the space is the one that a request is for.
  func require(_ space: SpaceID) async throws {
    if fault != .spacesUnnamed { try await responder().require(space) }
  }

  func responder() -> SpaceResponder {
    SpaceResponder(FaultedSpaceLog(FaultyLog(store: store), fault), limits: limits)
  }

  /// Returns the bytes of a part, with all blocks of a large commit.
  func bytes(of part: SpaceResponder.Part) async throws -> [UInt8] {
    var bytes = part.head.encoded + part.records
    guard let large = part.large else { return bytes }
    note { $0.tally.largeCount += 1 }
    var index = 0
    while index < large.header.blockCount {
      let (records, next) = try await responder().blocks(of: large.id, from: index)
      bytes += records
      index = next
    }
    return bytes
  }

  /// Takes commits in.
  ///
  /// - Throws: `Lost` if the process ends meanwhile.
  func take(
    _ bytes: [UInt8],
    for space: SpaceID,
    from client: Int
  ) async throws -> TakenAnswer {
    note { notes in
      notes.letters.append((client, space, bytes))
      if notes.letters.count > Self.letterCount { notes.letters.removeFirst() }
    }
    try await require(space)
    note { notes in
      guard notes.strangers.contains(client) else { return }
      notes.lie = "binding: client \(client) handed commits to another space"
    }
    do {
      let answer = try await stored(bytes, from: client)
      try await checkDurable(answer.durable)
      note { $0.tally.parkedCount += answer.parked.count }
      return answer
    } catch let crash as SimulatedCrash where crash.store == store.number {
      note { $0.hasCrashed = true }
      guard fault == .acknowledgedEarly else { throw SimulatedNetwork.Lost() }
      var answer = TakenAnswer()
      answer.durable = Self.commits(in: bytes)
      try await checkDurable(answer.durable)
      return answer
    }
  }

  private func stored(_ bytes: [UInt8], from client: Int) async throws -> TakenAnswer {
    let takesRedactions = isAdmin(client) || fault == .redactionsTaken
    if fault == .parkedBlocksAll, !takesRedactions, try Self.hasRedaction(bytes) {
      return TakenAnswer()
    }
    let caller = LogCaller("client \(client)", takesRedactions ? .admin : .limited)
    return try await LogCaller.$current.withValue(caller) {
      var intake = try await responder().intake()
      try await intake.add(bytes)
      return try await intake.finish()
    }
  }

  private func checkDurable(_ ids: [CommitID]) async throws {
    let held = try await store.backend.held(among: ids)
    guard held.count < Set(ids).count else { return }
    note { $0.lie = "durability: the server acknowledges what it has not stored" }
  }

  // MARK: Reading bodies

  /// Returns the commits whose headers are in a body.
  static func commits(in bytes: [UInt8]) -> [CommitID] {
    headers(in: bytes).map(\.id)
  }

  private static func hasRedaction(_ bytes: [UInt8]) throws -> Bool {
    headers(in: bytes).contains { $0.header.kind == .redactions }
  }

  private static func headers(in bytes: [UInt8]) -> [Commit] {
    var reader = CommitStreamReader()
    reader.add(bytes)
    var commits: [Commit] = []
    while let record = try? reader.next() {
      if let commit = record.readable { commits.append(commit) }
    }
    return commits
  }
}
