import Synchronization
import VarveCore

/// Follows the heads of spaces: one connection of the pool listens for announcements, and polls
/// behind them.
///
/// Behind a pooler no session is this process's own, so nothing listens: the follower polls.
///
/// Announcements are sent outside of transactions that write, many at once: PostgreSQL orders all
/// commits of transactions that notify. Nothing correct depends on them.
final class HomeFollower: Sendable {
  private struct Follower {
    let space: SpaceID
    let continuation: AsyncStream<HomeHead>.Continuation
    var known: HomeHead?
  }

  private struct State {
    var followers: [UInt64: Follower] = [:]
    var nextID: UInt64 = 0
    var following: Task<Void, Never>?
    /// The spaces whose heads rose here, to be announced.
    var risen: Set<SpaceID> = []
    /// The number of announcements, by which a look that one of them overtook is recognised.
    var announcementCount = 0
    var announcing: Task<Void, Never>?
    /// This process's own announcements that are on their way to its listening connection.
    var echoes: [Announcement: Int] = [:]
    /// Whether a connection receives announcements.
    var isListening = false
    var isEnded = false
  }

  private let pool: PostgresPool
  private let interval: Duration
  private let patience: Duration
  private let state = Mutex(State())
  /// Called when there is a connection, which may be one to another server than the one before.
  private let connected = Mutex<@Sendable () async throws -> Void>({})
  /// Held while heads are passed on, so that they keep their order. The state must not be held
  /// then: who ends a follower holds the lock of its task, which passing a head on waits for.
  private let passing = Mutex(())

  init(_ pool: PostgresPool, _ configuration: PostgresHome.Configuration) {
    self.pool = pool
    interval = configuration.pollingInterval
    patience = configuration.patience
  }

  /// Sets what is called when there is a connection.
  func setConnected(_ body: @escaping @Sendable () async throws -> Void) {
    connected.withLock { $0 = body }
  }

  /// The head of a space, and then whenever it has changed.
  func heads(of space: SpaceID) -> AsyncStream<HomeHead> {
    AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
      let id: UInt64? = state.withLock { state in
        guard !state.isEnded else { return nil }
        state.nextID += 1
        state.followers[state.nextID] = Follower(space: space, continuation: continuation)
        if state.following == nil { state.following = Task { await self.follow() } }
        return state.nextID
      }
      guard let id else { return continuation.finish() }
      // The first head comes at once, and not after the next interval.
      let first = Task { try? await self.look(at: space) }
      continuation.onTermination = { [weak self] _ in
        first.cancel()
        self?.leave(id)
      }
    }
  }

  private func leave(_ id: UInt64) {
    let following: Task<Void, Never>? = state.withLock { state in
      state.followers[id] = nil
      guard state.followers.isEmpty else { return nil }
      defer { state.following = nil }
      return state.following
    }
    following?.cancel()
  }

  func end() async {
    let (followers, following, announcing) = state.withLock { state in
      state.isEnded = true
      defer { state.followers = [:] }
      return (Array(state.followers.values), state.following, state.announcing)
    }
    for follower in followers { follower.continuation.finish() }
    following?.cancel()
    await following?.value
    // What has risen is still announced.
    await announcing?.value
  }

  // MARK: Announcing

  /// Announces a head that this process has written.
  func announce(_ head: HomeHead, of space: SpaceID) {
    pass {
      $0.announcementCount += 1
      return [(space, head)]
    }
    state.withLock { state in
      guard !state.isEnded else { return }
      state.risen.insert(space)
      guard state.announcing == nil else { return }
      state.announcing = Task { await self.send() }
    }
  }

  /// The pause between two messages to all listeners, in which announcements gather.
  private static let gathering: Duration = .milliseconds(10)

  /// Sends what has risen, until nothing more has.
  private func send() async {
    while true {
      let spaces: Set<SpaceID> = state.withLock { state in
        defer { state.risen = [] }
        if state.risen.isEmpty { state.announcing = nil }
        return state.risen
      }
      guard !spaces.isEmpty else { return }
      let call = HomeStatement.notify(.texts(spaces.map(\.text)))
      let deadline = ContinuousClock.now + .seconds(5)
      // A follower that misses an announcement polls.
      try? await pool.use(until: deadline) { connection in
        expectEchoes(of: spaces, from: await connection.process)
        _ = try await connection.run([call], until: deadline)
      }
      try? await Task.sleep(for: Self.gathering)
    }
  }

  /// Makes the follower ignore announcements of this process. What rose here is passed on already.
  private func expectEchoes(of spaces: Set<SpaceID>, from process: Int32?) {
    state.withLock { state in
      guard state.isListening, let process else { return }
      for space in spaces { state.echoes[Announcement(process, space.text), default: 0] += 1 }
    }
  }

  /// Returns the spaces that others announced.
  private func news(among announcements: [Announcement]) -> Set<SpaceID> {
    let others = state.withLock { state in
      announcements.filter { announcement in
        guard let count = state.echoes[announcement] else { return true }
        state.echoes[announcement] = count > 1 ? count - 1 : nil
        return false
      }
    }
    return Set(others.compactMap { SpaceID($0.payload) })
  }

  /// Passes the heads that a closure returns to those who follow their spaces and do not know them.
  private func pass(_ choose: (inout State) -> [(SpaceID, HomeHead)]) {
    passing.withLock { _ in
      let news = state.withLock { state in
        var news: [(AsyncStream<HomeHead>.Continuation, HomeHead)] = []
        for (space, head) in choose(&state) {
          for (id, follower) in state.followers
          where follower.space == space && follower.known != head {
            state.followers[id]?.known = head
            news.append((follower.continuation, head))
          }
        }
        return news
      }
      for (continuation, head) in news { continuation.yield(head) }
    }
  }

  // MARK: Following

  private func follow() async {
    while !Task.isCancelled {
      do {
        try await pool.use(until: .now + patience) { connection in
          try await connected.withLock { $0 }()
          guard await connection.isPooled else { return try await listen(on: connection) }
          try await look(at: followed, on: connection)
        }
        try await Task.sleep(for: interval)
      } catch {
        // A lost connection is replaced; full jitter keeps hosts from returning all at once.
        try? await Task.sleep(for: interval * Double.random(in: 0...1))
      }
    }
  }

  /// Listens on a connection until it breaks. No other caller gets it afterwards.
  private func listen(on connection: PostgresConnection) async throws {
    defer { setListening(false) }
    do {
      _ = try await connection.run([HomeStatement.listen()], until: .now + patience)
      setListening(true)
      var spaces = followed
      while true {
        try Task.checkCancellation()
        try await look(at: spaces, on: connection)
        spaces = try await next(on: connection)
      }
    } catch {
      await connection.close()
      throw error
    }
  }

  private func setListening(_ isListening: Bool) {
    state.withLock { state in
      state.isListening = isListening
      state.echoes = [:]
    }
  }

  /// The spaces that someone follows.
  private var followed: Set<SpaceID> {
    state.withLock { Set($0.followers.values.map(\.space)) }
  }

  /// Waits for announcements, or for the interval to pass.
  private func next(on connection: PostgresConnection) async throws -> Set<SpaceID> {
    let deadline = ContinuousClock.now + interval
    while ContinuousClock.now < deadline {
      let spaces = followed.intersection(news(among: await connection.notifications()))
      guard spaces.isEmpty else { return spaces }
      try await connection.listen(until: deadline)
    }
    return followed
  }

  private func look(at space: SpaceID) async throws {
    let deadline = ContinuousClock.now + patience
    try await pool.use(until: deadline) { try await look(at: [space], on: $0) }
  }

  private func look(at spaces: Set<SpaceID>, on connection: PostgresConnection) async throws {
    guard !spaces.isEmpty else { return }
    let count = state.withLock { $0.announcementCount }
    let order = Array(spaces)
    let calls = order.map { HomeStatement.head(PostgresValue($0)) }
    let results = try await connection.run(calls, until: .now + patience)
    let known = zip(order, results).compactMap { space, result in
      (try? PostgresHead(result, of: space)).map { (space, $0.head) }
    }
    // What was read may be older than what was announced meanwhile. The next look is not.
    pass { $0.announcementCount == count ? known : [] }
  }
}
