public import Foundation
public import VarveCore

/// Commits of one replica that are stamped ahead of the clock by more than the tolerance (R11): the
/// clock of the device that wrote them was wrong, or this one is.
public struct CommitsAhead: Hashable, Sendable {
  /// The replica that wrote them.
  public let replica: ReplicaID
  /// The number of the commits.
  public let commitCount: Int
  /// The time at which the last of them takes effect everywhere.
  public let until: Date
  /// Whether they have no effect here until then. Otherwise they have one here, because this store
  /// wrote them, or merged them while its clock was ahead too; other stores withhold them.
  public let isWithheld: Bool
}

extension Store {
  /// Returns the commits that have no effect here yet, or none elsewhere, because they are stamped
  /// ahead of this computer's clock (R11).
  ///
  /// ```swift
  /// for ahead in try await store.commitsAhead() {
  ///   print(ahead.commitCount, "commits of", ahead.replica, "until", ahead.until)
  /// }
  /// ```
  ///
  /// A hash fixes the time of a commit, so it cannot be corrected: the commit takes effect when its
  /// time has come. A device whose own clock is ahead sees nothing of this until its clock is right.
  ///
  /// - Returns: by replica; of each first what is withheld here.
  /// - Throws: ``VarveError``: `nestedTransaction` inside a write of this store, `closed`.
  /// - Complexity: O(bytes of the withheld commits), and O(chains × log commits) without any other.
  public func commitsAhead() async throws -> [CommitsAhead] {
    try refuseInsideOwnWrite("commitsAhead")
    let withheld = Dictionary(
      grouping: try await commitsWithheldByTime().map(\.header),
      by: \.replica
    )
    var ahead = withheld.map { replica, headers in
      let last = headers.map(\.time).max() ?? .distantPast
      return commitsAhead(of: replica, headers.count, last, isWithheld: true)
    }
    let limit = HybridTime(
      millisecondsSince1970: configuration.wallMilliseconds() + configuration.toleranceMilliseconds
    )
    let request = TimelineRequest(
      of: .store,
      from: limit.lastOfDate.successor,
      intervalCount: 1,
      by: .replica
    )
    for (replica, count, last) in try await applied(request) {
      ahead.append(commitsAhead(of: replica, count, last, isWithheld: false))
    }
    return ahead.sorted {
      ($0.replica, $0.isWithheld ? 0 : 1) < ($1.replica, $1.isWithheld ? 0 : 1)
    }
  }

  /// Returns the commits of a span by replica, and the time of the last of them; none if their
  /// present has not arrived yet (R27).
  private func applied(
    _ request: TimelineRequest
  ) async throws -> [(replica: ReplicaID, count: Int, last: HybridTime)] {
    do {
      let timeline = try await reading { try await $0.reader.timeline(request) }
      guard let last = timeline.intervals.last?.end else { return [] }
      return timeline.series.compactMap { series in
        series.name.flatMap { ReplicaID($0) }.map { ($0, series.total, last) }
      }
    } catch let error as VarveError where error.code == .historyAwaited {
      return []
    }
  }

  private func commitsAhead(
    of replica: ReplicaID,
    _ count: Int,
    _ last: HybridTime,
    isWithheld: Bool
  ) -> CommitsAhead {
    let due = last.millisecondsSince1970 - configuration.toleranceMilliseconds
    return CommitsAhead(
      replica: replica,
      commitCount: count,
      until: HybridTime(millisecondsSince1970: due).date,
      isWithheld: isWithheld
    )
  }
}
