/// How much a log holds.
public struct LogTally: Hashable, Sendable {
  /// Commits.
  public var commitCount = 0
  /// Ordinals their cells use: roughly, how many things they did.
  public var operationCount = 0
  /// Values of properties, every version of each, with those a commit overwrote itself.
  public var valueCount = 0
  /// Removals of properties.
  public var removalCount = 0
  /// Commits that are here only in part: what they said besides is not counted, and is to come.
  public var partialCount = 0

  package init() {}

  /// Adds a commit that counts as a whole.
  package mutating func add(_ summary: CommitSummary) {
    commitCount += 1
    operationCount += summary.operationCount
  }

  /// Adds the cells of a commit that counts.
  ///
  /// - Parameters:
  ///   - time: the commit's time.
  ///   - cutoff: the latest time of a cell that counts.
  package mutating func add(cellsOf commit: Commit, notAfter cutoff: HybridTime) throws {
    let time = commit.header.time
    try commit.forEachContent { content, _ in
      for section in content.sections {
        switch section {
        case .creations(let table):
          guard table.time ?? time <= cutoff else { continue }
          valueCount += table.values.indices.count { table.values.kind(at: $0) != nil }
        case .cells(let cells):
          for cell in cells where cell.time ?? time <= cutoff { add(cell.content) }
        }
      }
    }
  }

  private mutating func add(_ content: Cell.Content) {
    switch content {
    case .value: valueCount += 1
    case .removal: removalCount += 1
    default: break
    }
  }
}

/// How far a tally is.
public struct TallyProgress: Hashable, Sendable {
  /// Commits read so far.
  public let commitCount: Int
  /// Commits in all.
  public let totalCount: Int

  package init(commitCount: Int, totalCount: Int) {
    self.commitCount = commitCount
    self.totalCount = totalCount
  }
}
