public import VarveCore

extension Store {
  /// The size of the commits that are scanned at a time.
  private static let scanPartByteCount = 4 << 20

  /// Calls the body with the commits that a frontier does not cover, in order of stamp, until it
  /// returns false.
  func scan(
    beyond frontier: Frontier,
    _ body: (Commit) async throws -> Bool
  ) async throws {
    var heads = Set(frontier.heads)
    while true {
      try Task.checkCancellation()
      let part = try await backend.commits(
        beyond: Frontier(heads),
        atMost: Self.scanPartByteCount
      )
      guard !part.isEmpty else { return }
      for commit in part {
        guard try await body(commit) else { return }
        heads.remove(
          CommitID(
            replica: commit.id.replica,
            sequence: commit.id.sequence - 1,
            hash: commit.header.previous
          )
        )
        heads.insert(commit.id)
      }
    }
  }

  /// Returns a commit with its cells.
  func commit(_ id: CommitID) async throws -> Commit {
    var heads = try await frontier().heads.filter { $0.replica != id.replica }
    if let before = try await predecessor(of: id) { heads.append(before) }
    var found: Commit?
    try await scan(beyond: Frontier(heads)) { commit in
      if commit.id == id { found = commit }
      return found == nil
    }
    if let found {
      guard !found.isOutline else { throw Horizon.awaited("commit \(id) is part of history") }
      return found
    }
    throw VarveError(
      .notFound,
      "there is no commit \(id)",
      at: "commit \(id)",
      remedy: "The log lists the commits there are."
    )
  }

  /// Returns the preceding commit of the same chain; nil if there is none.
  private func predecessor(of id: CommitID) async throws -> CommitID? {
    try await backend.predecessors(of: id, at: [id.sequence - 1]).first
  }
}

extension Reading {
  /// Returns the commit whose hash begins with these hexadecimal digits.
  ///
  /// - Throws: ``VarveError``: `notFound` if there is none, `invalidArgument` if there are several
  ///   or the text is not four or more hexadecimal digits.
  /// - Complexity: O(commits).
  public func commit(named prefix: String) async throws -> CommitSummary {
    let wanted = prefix.lowercased()
    guard wanted.utf8.count >= 4, wanted.utf8.allSatisfy(\.isHexadecimalDigit) else {
      throw VarveError(
        .invalidArgument,
        "a commit is named by four or more hexadecimal digits of its hash, not by \"\(prefix)\"",
        at: "commit \"\(prefix)\"",
        remedy: "The log lists the commits there are, with their hashes."
      )
    }
    let found = try await log().filter { $0.id.hash.hexadecimal.hasPrefix(wanted) }
    if found.count == 1, let commit = found.first { return commit }
    throw found.isEmpty
      ? VarveError(
        .notFound,
        "there is no commit \(prefix)",
        at: "commit \(prefix)",
        remedy: "The log lists the commits there are."
      )
      : VarveError(
        .invalidArgument,
        "\(found.count) commits begin with \(prefix)",
        at: "commit \(prefix)",
        remedy: "Give more digits."
      )
  }
}

extension UInt8 {
  fileprivate var isHexadecimalDigit: Bool {
    switch self {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"): true
    default: false
    }
  }
}
