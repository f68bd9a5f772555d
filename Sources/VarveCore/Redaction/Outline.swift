/// Outlines: commits with only the cells on which the present depends; the rest is *awaited*.
///
/// A store without commits requests outlines when it synchronises, so that it has the present
/// before the history. An outline lacks what a compaction up to the same moment would fold (R26),
/// so neither the present nor any conflict depends on it. Names and hashes are those of the
/// complete commits, and the digest in an outline verifies each block that arrives later.
package enum Outline {
  /// A frontier with more heads does not fit in its frame; all commits are then sent complete.
  package static let maximumHeadCount = 16_384
}

extension Commit {
  /// Whether some of the commit's cells are awaited.
  package var isOutline: Bool { blocks.contains(where: \.isOutline) }

  /// Returns the commit without the named cells, which will arrive later; itself if it has none of
  /// them.
  package func outlined(without named: RedactedCells) throws -> Commit {
    let rest = try redacted(named)
    let outlines = zip(blocks, rest.blocks).map { whole, rest in
      rest == whole ? whole : rest.asOutline
    }
    return with(outlines)
  }
}

extension Block {
  /// The block, marked as one whose missing cells are awaited.
  package var asOutline: Block {
    Block(salt: salt, digest: digest, stored: stored, isOutline: true)
  }
}

/// Consecutive commits of one chain.
package struct CommitRange: Sendable, Hashable {
  /// The last commit.
  package var last: CommitID
  /// The number of commits, at least 1.
  package var count: Int

  package init(last: CommitID, count: Int) {
    self.last = last
    self.count = count
  }

  /// Their numbers.
  package var sequences: ClosedRange<Int64> { last.sequence - Int64(count) + 1...last.sequence }
}

/// Commits whose complete blocks are awaited.
package struct AwaitedCommits: Sendable {
  package var ranges: [CommitRange] = []
  /// The place to continue at; nil if these are the last.
  package var next: Int64?

  package init(ranges: [CommitRange] = [], next: Int64? = nil) {
    self.ranges = ranges
    self.next = next
  }
}

extension Horizon {
  /// The error of reading what depends on history that has not arrived yet.
  package var isAwaited: VarveError {
    Self.awaited("the state asked for rests on history", at: "horizon \(ISO8601Text.text(time))")
  }

  /// The error of a log with a home that would receive outlines.
  package static var homeTakesWhole: VarveError {
    VarveError(.unsupported, "a log with a home accepts only whole commits")
  }

  /// Returns the error for a read of history that the store does not have yet.
  package static func awaited(
    _ what: String,
    at place: String = "the history awaited by the first synchronisation"
  ) -> VarveError {
    VarveError(
      .historyAwaited,
      "\(what) that has not arrived yet",
      at: place,
      remedy: "Synchronise again with a complete store."
    )
  }
}
