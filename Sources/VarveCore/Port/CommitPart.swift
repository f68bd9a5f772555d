/// A part of a commit in transit: first its header, then each of its blocks in order.
///
/// A bulk commit may be larger than memory; its parts are not.
package enum CommitPart: Sendable {
  /// The start of a commit.
  case header(CommitHeader)
  /// The next block of the current commit.
  case block(Block)
}

extension Backend {
  package func forEachCommitPart(
    _ body: (CommitPart) async throws -> Void
  ) async throws {
    for commit in try await commits(beyond: .empty, atMost: .max) {
      try await body(.header(commit.header))
      for block in commit.blocks { try await body(.block(block)) }
    }
  }

  package func append(
    parts next: () async throws -> CommitPart?
  ) async throws -> AppendReport {
    var commits: [Commit] = []
    var open: (header: CommitHeader, blocks: [Block])?
    while let part = try await next() {
      switch part {
      case .header(let header):
        if let open { commits.append(Commit(header: open.header, blocks: open.blocks)) }
        open = (header, [])
      case .block(let block): open?.blocks.append(block)
      }
    }
    if let open { commits.append(Commit(header: open.header, blocks: open.blocks)) }
    return try await append(commits)
  }
}
