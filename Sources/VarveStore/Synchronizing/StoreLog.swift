import VarveCore

/// A store's log as commits of others are added to it: observers are notified, and the store leaves
/// a name that was retired.
struct StoreLog: CommitLogDecorator {
  private let store: Store
  /// Whether what was added survives a loss of power before the other side hears of it.
  private let isFlushed: Bool

  init(_ store: Store, isFlushed: Bool = true) {
    self.store = store
    self.isFlushed = isFlushed
  }

  var base: any CommitLog { store.backend }

  func append(_ commits: [Commit]) async throws -> AppendReport {
    try await store.takingOver { note in
      for commit in commits { note(commit.id) }
      return try await base.append(commits)
    }
  }

  func append(parts next: () async throws -> CommitPart?) async throws -> AppendReport {
    try await store.takingOver { note in
      try await base.append {
        let part = try await next()
        if case .header(let header)? = part { note(Commit(header: header, blocks: []).id) }
        return part
      }
    }
  }

  func flush() async throws {
    if isFlushed { try await base.flush() }
  }
}

/// The log of a store that is merged from: it is read and stays as it is, which a store opened for
/// reading only permits.
struct SourceLog: CommitLogDecorator {
  let base: any CommitLog

  /// What is missing here is not asked for.
  func awaited(from place: Int64, atMost count: Int) async throws -> AwaitedCommits {
    AwaitedCommits()
  }

  func append(_ commits: [Commit]) async throws -> AppendReport {
    precondition(commits.isEmpty, "nothing is sent to the store that is merged from")
    return AppendReport()
  }

  func flush() async throws {}
}
