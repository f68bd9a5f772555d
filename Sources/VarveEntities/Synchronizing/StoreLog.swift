import VarveCore

/// The log of a store to which foreign commits are added. It notifies observers, and the store
/// leaves a retired replica id.
struct StoreLog: CommitLogDecorator {
  private let store: Store
  /// Whether added commits are flushed to the disk before the other side is informed.
  private let isFlushed: Bool

  init(_ store: Store, isFlushed: Bool = true) {
    self.store = store
    self.isFlushed = isFlushed
  }

  var base: any CommitLog { store.backend }

  func append(_ commits: [Commit], outline: Horizon?) async throws -> AppendReport {
    try await store.takingOver { note in
      for commit in commits { note(commit.id) }
      return try await base.append(commits, outline: outline)
    }
  }

  func append(
    outline: Horizon?,
    parts next: () async throws -> CommitPart?
  ) async throws -> AppendReport {
    try await store.takingOver { note in
      try await base.append(outline: outline) {
        let part = try await next()
        if case .header(let header)? = part { note(Commit(header: header, blocks: []).id) }
        return part
      }
    }
  }

  func atDesk<Result: Sendable>(
    _ body: (any SealedDesk) throws -> Result
  ) async throws -> Result {
    let result = try await base.atDesk(body)
    await store.reportSettled()
    return result
  }

  func flush() async throws {
    if isFlushed { try await base.flush() }
  }
}

/// The log of a store to merge from. It is only read, so the store may be opened read-only.
struct SourceLog: CommitLogDecorator {
  let base: any CommitLog

  /// Returns none, because the source of a merge does not request commits.
  func awaited(from place: Int64, atMost count: Int) async throws -> AwaitedCommits {
    AwaitedCommits()
  }

  func append(_ commits: [Commit], outline: Horizon?) async throws -> AppendReport {
    precondition(commits.isEmpty, "nothing is sent to the store that is merged from")
    return AppendReport()
  }

  func flush() async throws {}
}
