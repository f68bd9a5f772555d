import Synchronization
import VarveCore

extension LogTables {
  /// Returns the names of the commits with numbers in a range, in order of arrival.
  func arrivals(after first: Int64, through last: Int64) throws -> Arrivals {
    let statement = try connection.ownStatement(
      """
      SELECT n, lineage, sequence, header FROM varve_commit
      WHERE n > ? AND n <= ? ORDER BY n
      """
    )
    statement.bind(1, first)
    statement.bind(2, last)
    return Arrivals(statement, replicas: try current.chains.mapValues(\.replica))
  }

  /// Returns the number of the commit that arrived last; 0 if there is none.
  func lastArrival() throws -> Int64 {
    try connection.integer("SELECT max(n) FROM varve_commit") ?? 0
  }
}

/// Names of commits, in order of arrival. They are what was stored, even if it was damaged since.
final class Arrivals {
  private let statement: Statement
  private let replicas: [Int64: ReplicaID]

  init(_ statement: Statement, replicas: [Int64: ReplicaID]) {
    self.statement = statement
    self.replicas = replicas
  }

  /// Returns the next commit's number and name.
  func next() throws -> (n: Int64, id: CommitID)? {
    guard try statement.step() else { return nil }
    let id = CommitID(
      replica: replicas[statement.int(1)] ?? ReplicaID(high: 0, low: 0),
      sequence: statement.int(2),
      hash: CommitHeader.hash(ofEncoded: statement.blob(3))
    )
    return (statement.int(0), id)
  }
}

/// The positions of a log, some of which are kept so that any can be computed from one nearby.
///
/// A position is a function of the commits up to it and of the incarnation, which is not kept. So what
/// is kept never becomes wrong. A reader whose snapshot is older than another's uses the earlier
/// places only.
final class ArrivalPositions: Sendable {
  /// A commit's number, and the position after it.
  private struct Mark {
    let n: Int64
    let position: HomePosition
  }

  private struct Marks {
    var kept: [Mark] = []
    /// The position after the newest commit that any reader has seen.
    var last: Mark?
  }

  /// The number of commits between two places that are kept.
  private static let distance: Int64 = 256

  private let marks = Mutex(Marks())

  /// Returns the position after the last arrival in a snapshot of the log.
  func end(of log: LogTables, incarnation: Int64) throws -> HomePosition {
    let last = try log.lastArrival()
    let start = marks.withLock { marks -> Mark? in
      if let newest = marks.last, newest.n <= last { return newest }
      return marks.kept.last { $0.n <= last }
    }
    var mark = start ?? Mark(n: 0, position: HomePosition(incarnation: 0))
    guard mark.n < last else { return mark.position.of(incarnation: incarnation) }
    let arrivals = try log.arrivals(after: mark.n, through: last)
    while let (n, id) = try arrivals.next() {
      var position = mark.position
      position.advance(past: HomeArrival(.commit, id, principal: nil))
      mark = Mark(n: n, position: position)
      if position.number % Self.distance == 0 { keep(mark) }
    }
    marks.withLock { marks in
      if (marks.last?.n ?? 0) < mark.n { marks.last = mark }
    }
    return mark.position.of(incarnation: incarnation)
  }

  private func keep(_ mark: Mark) {
    marks.withLock { marks in
      if (marks.kept.last?.n ?? 0) < mark.n { marks.kept.append(mark) }
    }
  }

  /// Returns the number of the commit before a position of the present incarnation; nil if the log
  /// never had the position.
  func number(of position: HomePosition, in log: LogTables) throws -> Int64? {
    let end = try end(of: log, incarnation: position.incarnation)
    guard position.number <= end.number else { return nil }
    let start = marks.withLock { marks -> Mark? in
      if let newest = marks.last, newest.position.number <= position.number { return newest }
      let place = marks.kept.partitioningIndex { $0.position.number > position.number }
      return place == 0 ? nil : marks.kept[place - 1]
    }
    var mark = start ?? Mark(n: 0, position: HomePosition(incarnation: 0))
    let arrivals = try log.arrivals(after: mark.n, through: .max)
    while mark.position.number < position.number, let (n, id) = try arrivals.next() {
      var next = mark.position
      next.advance(past: HomeArrival(.commit, id, principal: nil))
      mark = Mark(n: n, position: next)
    }
    return mark.position.of(incarnation: position.incarnation) == position ? mark.n : nil
  }
}

extension RandomAccessCollection where Index == Int {
  /// Returns the index of the first element that satisfies a condition that all after it satisfy
  /// too.
  fileprivate func partitioningIndex(_ belongsAfter: (Element) -> Bool) -> Int {
    var (low, high) = (startIndex, endIndex)
    while low < high {
      let middle = low + (high - low) / 2
      if belongsAfter(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
