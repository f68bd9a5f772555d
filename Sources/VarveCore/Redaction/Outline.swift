/// Commits of which only that comes first what the present rests on; the rest is *awaited*.
///
/// A store without commits that synchronises asks for these, so that it has the present before it has
/// history. What is left out is what a compaction up to the same moment would fold (R26), so nothing
/// of the present, and no conflict, depends on it. Names and hashes are those of the whole commits,
/// and each block that comes later is proved by the digest its outline has.
package enum Outline {
  /// A frontier with more heads does not fit the frame that carries it; then all comes whole.
  package static let maximumHeadCount = 16_384
}

extension Commit {
  /// Whether cells of it are missing that are to come.
  package var isOutline: Bool { blocks.contains(where: \.isOutline) }

  /// The commit without the cells named, which are to come later; itself where it has none of them.
  package func outlined(without named: RedactedCells) throws -> Commit {
    let rest = try redacted(named)
    let outlines = zip(blocks, rest.blocks).map { whole, rest in
      rest == whole ? whole : rest.asOutline
    }
    return Commit(header: header, blocks: outlines)
  }
}

extension Block {
  /// The same, marked as one whose missing cells are to come.
  package var asOutline: Block {
    Block(salt: salt, digest: digest, stored: stored, isOutline: true)
  }
}

/// Some commits of one chain that follow one another.
package struct CommitRange: Sendable, Hashable {
  /// The last of them.
  package var last: CommitID
  /// How many there are, at least 1.
  package var count: Int

  package init(last: CommitID, count: Int) {
    self.last = last
    self.count = count
  }

  /// Their numbers.
  package var sequences: ClosedRange<Int64> { last.sequence - Int64(count) + 1...last.sequence }
}

/// Commits whose whole blocks are awaited.
package struct AwaitedCommits: Sendable {
  package var ranges: [CommitRange] = []
  /// Where to go on; nil where these are the last.
  package var next: Int64?

  package init(ranges: [CommitRange] = [], next: Int64? = nil) {
    self.ranges = ranges
    self.next = next
  }
}

extension Backend {
  /// How many commits are here only in part.
  package func partialCount() async throws -> Int {
    try await awaited(from: 0, atMost: .max).ranges.reduce(0) { $0 + $1.count }
  }
}

extension Horizon {
  /// The error of asking for what rests on history that has not come yet.
  package var isAwaited: VarveError {
    Self.awaited("the state asked for rests on history", at: "horizon \(ISO8601Text.text(time))")
  }

  /// The error of asking a store for what it does not have yet.
  package static func awaited(
    _ what: String,
    at place: String = "what the first synchronisation left out"
  ) -> VarveError {
    VarveError(
      .historyAwaited,
      "\(what) that has not come yet",
      at: place,
      remedy: "Synchronise again with a store that has all of it."
    )
  }
}
