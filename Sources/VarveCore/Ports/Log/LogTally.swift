/// The contents of a log, in numbers.
public struct LogTally: Hashable, Sendable {
  /// The number of commits.
  public var commitCount = 0
  /// The number of ordinals their cells use: roughly, the number of operations.
  public var operationCount = 0
  /// The number of property values: every version, including those overwritten in the same commit.
  public var valueCount = 0
  /// The number of property removals.
  public var removalCount = 0
  /// The number of partially replicated commits, whose missing cells are not counted.
  public var partialCount = 0

  package init() {}

  /// Adds a commit that counts completely.
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

/// The progress of a tally.
public struct TallyProgress: Hashable, Sendable {
  /// The number of commits read so far.
  public let commitCount: Int
  /// The total number of commits.
  public let totalCount: Int

  package init(commitCount: Int, totalCount: Int) {
    self.commitCount = commitCount
    self.totalCount = totalCount
  }
}
