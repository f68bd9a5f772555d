package import VarveCore

/// Counts commits by looking at the cells of each.
extension ReferenceReader {
  package func timeline(_ request: TimelineRequest) async throws -> Timeline {
    let commits = commits(of: request.subject)
    let times = commits.map(\.header.time)
    guard let intervals = request.intervals(first: times.min(), last: times.max()) else {
      return Timeline(intervals: [], series: [])
    }
    let spans = (0..<intervals.count).map { intervals.start(of: $0)...intervals.end(of: $0) }
    func counts(_ commits: [Commit]) -> [Int] {
      spans.map { span in commits.count { span.contains($0.header.time) } }
    }
    let all = intervals.start...intervals.end
    let named = commits.filter { all.contains($0.header.time) }
    let groups = Dictionary(grouping: named) { commit in
      switch request.grouping {
      case .author?: commit.header.author.isEmpty ? nil : commit.header.author
      case .replica?, nil: commit.header.replica.text
      }
    }
    let series = groups.map { Timeline.Series(name: $0, counts: counts($1)) }.sorted { one, two in
      one.total == two.total ? one.name ?? "" < two.name ?? "" : one.total > two.total
    }
    return Timeline(
      intervals: zip(spans, counts(commits)).map {
        .init(start: $0.lowerBound, end: $0.upperBound, count: $1)
      },
      series: request.grouping == nil ? [] : series
    )
  }

  package func commits(
    around span: ClosedRange<HybridTime>,
    of subject: Timeline.Subject
  ) async throws -> NeighboringCommits {
    neighbors(
      of: subject,
      before: { $0.header.time < span.lowerBound },
      after: { $0.header.time > span.upperBound }
    )
  }

  package func commits(
    around id: CommitID,
    of subject: Timeline.Subject
  ) async throws -> NeighboringCommits {
    let place = Self.order(of: try require(id))
    return neighbors(
      of: subject,
      before: { Self.order(of: $0) < place },
      after: { Self.order(of: $0) > place }
    )
  }

  private static func order(of commit: Commit) -> CommitOrder {
    CommitOrder(stamp: commit.header.stamp, hash: commit.id.hash)
  }

  private func neighbors(
    of subject: Timeline.Subject,
    before isBefore: (Commit) -> Bool,
    after isAfter: (Commit) -> Bool
  ) -> NeighboringCommits {
    let commits = commits(of: subject).sorted { Self.order(of: $0) < Self.order(of: $1) }
    func summary(_ commit: Commit) -> CommitSummary { CommitSummary(commit.header, id: commit.id) }
    return NeighboringCommits(
      previous: commits.last(where: isBefore).map(summary),
      next: commits.first(where: isAfter).map(summary)
    )
  }
}

extension Cell.Content {
  /// Whether the history of an entity lists the cell.
  var isOfHistory: Bool {
    switch self {
    case .life, .value, .removal, .collection: true
    case .add(let relation, _, _, _), .remove(let relation, _, _): relation.kind == .member
    }
  }
}
