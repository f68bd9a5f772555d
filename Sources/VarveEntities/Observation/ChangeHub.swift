import Synchronization
import VarveCore

/// The subscribers, and which commits they have been notified of. Performs no I/O.
final class ChangeHub: Sendable {
  private struct State {
    var channels: [ObjectIdentifier: ChangeChannel] = [:]
    /// The frontier up to which subscribers were notified; nil without subscribers, or while
    /// unknown.
    var cursor: Frontier?
    /// Local commits that were written after others of which subscribers were not notified yet.
    /// Their changes are sent when the log is read, in its order; nil if they were sent.
    var published: [CommitID: ChangeSet?] = [:]
    /// Merged commits that were not published yet.
    var merged: Set<CommitID> = []
    /// Commits that are withheld.
    var withheld: [CommitID: Commit] = [:]
    var polling: Task<Void, Never>?
    /// Whether the log cannot be polled.
    var isUnpolled = false
    var isLooking = false
    /// The number of local transactions that are about to commit and publish.
    var publishingCount = 0
    /// Whether a reader of the log left local commits for their writers to publish.
    var isPostponed = false

    /// Sends changes to the subscribers. A commit that leaves the present as it was may change past
    /// states, so it wakes those who watch.
    func send(_ changes: ChangeSet) {
      var changes = changes
      changes.resumption = resumption
      for channel in channels.values {
        if changes.isEmpty { channel.wake() } else { channel.push(changes) }
      }
    }

    /// The frontier of what subscribers were notified of: the cursor without withheld commits,
    /// which are reported when they fall due.
    private var resumption: Frontier? {
      guard let cursor, !withheld.isEmpty else { return cursor }
      let heads = cursor.heads.compactMap { head -> CommitID? in
        var head = head
        while let commit = withheld[head] {
          head = CommitID(
            replica: head.replica,
            sequence: head.sequence - 1,
            hash: commit.header.previous
          )
        }
        return head.sequence > 0 ? head : nil
      }
      return Frontier(heads)
    }

    /// Resets everything except the number of local writers about to publish.
    mutating func reset() {
      let count = publishingCount
      self = State()
      publishingCount = count
    }
  }

  private let state = Mutex(State())
  /// Serialises reads of the log for subscribers.
  let logReading = Turnstile<Void>((), name: "observation")

  /// Whether there are subscribers.
  var isActive: Bool { state.withLock { !$0.channels.isEmpty } }

  // MARK: Subscribers

  /// Adds a subscriber. Returns the frontier up to which all were notified, if known.
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

  /// Starts the task that polls for commits of other processes, if there is none.
  func keepPolling(_ start: () -> Task<Void, Never>) {
    state.withLock { if $0.polling == nil, !$0.channels.isEmpty { $0.polling = start() } }
  }

  /// Records that the log cannot be polled, because only this process can change it.
  func noteUnpolled() { state.withLock { $0.isUnpolled = true } }

  var isUnpolled: Bool { state.withLock { $0.isUnpolled } }

  // MARK: Published commits

  var cursor: Frontier? {
    get { state.withLock { $0.cursor } }
    set { state.withLock { if !$0.channels.isEmpty { $0.cursor = newValue } } }
  }

  /// Advances the cursor through these commits, and wakes those who watch. Commits that local writers
  /// published meanwhile stay covered.
  func advance(through commits: [Commit]) {
    state.withLock { state in
      state.cursor = commits.reduce(state.cursor) { $0?.including($1) }
      for channel in state.channels.values { channel.wake() }
    }
  }

  /// Notifies subscribers of changes, and advances the cursor.
  func tell(_ changes: ChangeSet, through commits: [Commit] = []) {
    state.withLock { state in
      guard !state.channels.isEmpty else { return }
      state.cursor = commits.reduce(state.cursor) { $0?.including($1) }
      state.send(changes)
    }
  }

  /// Publishes a local commit. Returns whether the log must be read.
  ///
  /// Its changes are sent at once if subscribers were notified of all commits that took effect
  /// before it, and otherwise when the log is read.
  func publish(_ draft: ChangeDraft?, _ action: ChangeAction, _ receipt: WriteReceipt) -> Bool {
    state.withLock { state in
      guard !state.channels.isEmpty else { return false }
      guard let draft else { return true }
      let commit = receipt.commit
      let changes = draft.changes(.local, action, commit)
      let chain = state.cursor?.heads.filter { $0.replica == commit.id.replica } ?? []
      let isNext = chain.count <= 1 && (chain.first?.sequence ?? 0) == commit.id.sequence - 1
      guard let cursor = state.cursor else {
        state.published[commit.id] = .some(nil)
        state.send(changes)
        return false
      }
      let isLast = receipt.applied.allSatisfy { id in
        cursor.heads.contains(id) && state.withheld[id] == nil
      }
      guard isNext, isLast else {
        state.published[commit.id] = changes
        return true
      }
      state.cursor = Frontier(cursor.heads.filter { !chain.contains($0) } + [commit.id])
      state.send(changes)
      return false
    }
  }

  /// Records that a local transaction is about to commit.
  func beginPublishing() { state.withLock { $0.publishingCount += 1 } }

  /// Records that a writer has published its commit, or that there is nothing to publish. Returns
  /// whether the log must be read for commits that were left to writers.
  func endPublishing() -> Bool {
    state.withLock { state in
      state.publishingCount -= 1
      defer { state.isPostponed = state.isPostponed && state.publishingCount > 0 }
      return state.isPostponed && state.publishingCount == 0
    }
  }

  /// Returns whether the writer of a commit of this replica in the log may be about to publish it.
  /// The log is then read again once it has.
  func postpone() -> Bool {
    state.withLock { state in
      state.isPostponed = state.publishingCount > 0
      return state.isPostponed
    }
  }

  /// Advances the cursor through a commit that its writer published, and sends its changes unless
  /// they were sent. Returns whether it was one.
  func tellPublished(_ commit: Commit) -> Bool {
    state.withLock { state in
      guard let changes = state.published.removeValue(forKey: commit.id) else { return false }
      state.cursor = state.cursor?.including(commit)
      if let changes { state.send(changes) }
      return true
    }
  }

  /// Records a commit that is about to be merged. Returns whether there are subscribers.
  func noteMerged(_ id: CommitID) -> Bool {
    state.withLock { !$0.channels.isEmpty && $0.merged.insert(id).inserted }
  }

  func forgetMerged(_ ids: [CommitID]) { state.withLock { $0.merged.subtract(ids) } }

  func takeMerged(_ id: CommitID) -> Bool { state.withLock { $0.merged.remove(id) != nil } }

  func withhold(_ commit: Commit) { state.withLock { $0.withheld[commit.id] = commit } }

  var hasWithheld: Bool { state.withLock { !$0.withheld.isEmpty } }

  /// Removes the commits that are no longer withheld. Returns them in order, and the frontier of
  /// what took effect before them.
  func takeDue(but withheld: Set<CommitID>) -> (before: Frontier, commits: [Commit]) {
    state.withLock { state in
      guard !state.withheld.isEmpty else { return (.empty, []) }
      let before = (state.cursor ?? .empty).excluding(state.withheld)
      let due = state.withheld.values.filter { !withheld.contains($0.id) }
      for commit in due { state.withheld[commit.id] = nil }
      return (before, due.sorted { $0.header.time < $1.header.time })
    }
  }

  /// Returns true to the first caller that asks to read the log in the background.
  func beginLooking() -> Bool {
    state.withLock { state in
      defer { state.isLooking = true }
      return !state.isLooking && !state.channels.isEmpty
    }
  }

  func endLooking() { state.withLock { $0.isLooking = false } }
}
