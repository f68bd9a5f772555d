import Synchronization
import VarveCore

/// Who wants to be told of changes, and what they have been told of: the part without I/O.
final class ChangeHub: Sendable {
  private struct State {
    var channels: [ObjectIdentifier: ChangeChannel] = [:]
    /// Everything up to here was told; nil while nobody listens, or until it is known.
    var cursor: Frontier?
    /// Local commits told before those that come before them.
    var published: Set<CommitID> = []
    /// Commits that came by a merge and are not told yet.
    var merged: Set<CommitID> = []
    /// Commits that do not count yet.
    var withheld: [CommitID: Commit] = [:]
    var polling: Task<Void, Never>?
    var isLooking = false
    /// Local transactions about to be committed that will be told of by their writers.
    var publishingCount = 0
    /// Whether somebody who read the log left local commits to them.
    var isPostponed = false

    /// Forgets all but who is about to tell.
    mutating func reset() {
      let count = publishingCount
      self = State()
      publishingCount = count
    }
  }

  private let state = Mutex(State())
  /// Whoever reads the log for subscribers does so alone.
  let turn = Turnstile<Void>((), name: "observation")

  /// Whether anybody listens.
  var isActive: Bool { state.withLock { !$0.channels.isEmpty } }

  // MARK: Subscribers

  /// Adds a subscriber; answers how far all were told, if that is known.
  func add(_ channel: ChangeChannel) -> Frontier? {
    state.withLock { state in
      state.channels[ObjectIdentifier(channel)] = channel
      return state.cursor
    }
  }

  func remove(_ channel: ChangeChannel) {
    let task = state.withLock { state -> Task<Void, Never>? in
      state.channels[ObjectIdentifier(channel)] = nil
      guard state.channels.isEmpty else { return nil }
      defer { state.reset() }
      return state.polling
    }
    task?.cancel()
  }

  /// Ends all subscriptions.
  func finish(_ error: (any Error)? = nil) {
    let (channels, task) = state.withLock { state in
      defer { state.reset() }
      return (Array(state.channels.values), state.polling)
    }
    task?.cancel()
    for channel in channels { channel.finish(error) }
  }

  /// Keeps the task that looks out for other processes, if there is none.
  func keepPolling(_ start: () -> Task<Void, Never>) {
    state.withLock { if $0.polling == nil, !$0.channels.isEmpty { $0.polling = start() } }
  }

  // MARK: What was told

  var cursor: Frontier? {
    get { state.withLock { $0.cursor } }
    set { state.withLock { if !$0.channels.isEmpty { $0.cursor = newValue } } }
  }

  /// Moves on: these were told of. What local writers told of meanwhile stays told of.
  func advance(through commits: [Commit]) {
    state.withLock { $0.cursor = commits.reduce($0.cursor) { $0?.including($1) } }
  }

  /// Tells of changes, and moves on.
  func tell(_ changes: ChangeSet, through commits: [Commit] = []) {
    state.withLock { state in
      guard !state.channels.isEmpty else { return }
      state.cursor = commits.reduce(state.cursor) { $0?.including($1) }
      guard !changes.isEmpty else { return }
      for channel in state.channels.values { channel.push(changes) }
    }
  }

  /// Tells of a local commit; answers whether the log must be looked at.
  func publish(_ draft: ChangeDraft?, _ action: ChangeAction, _ commit: CommitSummary) -> Bool {
    state.withLock { state in
      guard !state.channels.isEmpty else { return false }
      guard let draft else { return true }
      let changes = draft.changes(.local, action, commit)
      if !changes.isEmpty { for channel in state.channels.values { channel.push(changes) } }
      let chain = state.cursor?.heads.filter { $0.replica == commit.id.replica } ?? []
      let isNext = chain.count <= 1 && (chain.first?.sequence ?? 0) == commit.id.sequence - 1
      guard let cursor = state.cursor, isNext else {
        state.published.insert(commit.id)
        return state.cursor != nil
      }
      state.cursor = Frontier(cursor.heads.filter { !chain.contains($0) } + [commit.id])
      return false
    }
  }

  /// Notes that a local transaction is about to be committed.
  func beginPublishing() { state.withLock { $0.publishingCount += 1 } }

  /// Notes that its writer has told of it, or that there is nothing to tell; answers whether the log
  /// must be looked at for what was left to him.
  func endPublishing() -> Bool {
    state.withLock { state in
      state.publishingCount -= 1
      defer { state.isPostponed = state.isPostponed && state.publishingCount > 0 }
      return state.isPostponed && state.publishingCount == 0
    }
  }

  /// Whether a commit of this replica that stands in the log may be one whose writer is about to tell of
  /// it; then somebody looks again when he has.
  func postpone() -> Bool {
    state.withLock { state in
      state.isPostponed = state.publishingCount > 0
      return state.isPostponed
    }
  }

  /// Whether a commit was told of already.
  func takePublished(_ id: CommitID) -> Bool { state.withLock { $0.published.remove(id) != nil } }

  /// Notes a commit about to come by a merge; answers whether anybody listens.
  func noteMerged(_ id: CommitID) -> Bool {
    state.withLock { !$0.channels.isEmpty && $0.merged.insert(id).inserted }
  }

  func forgetMerged(_ ids: [CommitID]) { state.withLock { $0.merged.subtract(ids) } }

  func takeMerged(_ id: CommitID) -> Bool { state.withLock { $0.merged.remove(id) != nil } }

  func withhold(_ commit: Commit) { state.withLock { $0.withheld[commit.id] = commit } }

  var hasWithheld: Bool { state.withLock { !$0.withheld.isEmpty } }

  /// The commits that count now and did not before.
  func takeDue(but withheld: Set<CommitID>) -> [Commit] {
    state.withLock { state in
      let due = state.withheld.values.filter { !withheld.contains($0.id) }
      for commit in due { state.withheld[commit.id] = nil }
      return due.sorted { $0.header.time < $1.header.time }
    }
  }

  /// Answers true for the first who wants to look at the log in the background.
  func beginLooking() -> Bool {
    state.withLock { state in
      defer { state.isLooking = true }
      return !state.isLooking && !state.channels.isEmpty
    }
  }

  func endLooking() { state.withLock { $0.isLooking = false } }
}
