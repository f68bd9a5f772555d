import Synchronization
import VarveCore

/// The order of arrivals, in which every commit has a *place*: its number, except in the index of a
/// home that went back. Such an index numbered commits that the home got again later, at other
/// places.
extension LogTables {
  /// Returns the names of the commits with places in a range, in order of arrival.
  func arrivals(after first: Int64, through last: Int64) throws -> Arrivals {
    let isByNumber = try !connection.hasTable("varve_arrival")
    let statement = try connection.ownStatement(
      isByNumber
        ? """
        SELECT n, n, lineage, sequence, header FROM varve_commit
        WHERE n > ? AND n <= ? ORDER BY n
        """
        : """
        SELECT placed.n, c.n, c.lineage, c.sequence, c.header FROM varve_commit AS placed
        LEFT JOIN varve_arrival AS a ON a.place = placed.n
        JOIN varve_commit AS c ON c.n = coalesce(a.n, placed.n)
        WHERE placed.n > ? AND placed.n <= ? ORDER BY placed.n
        """
    )
    statement.bind(1, first)
    statement.bind(2, last)
    return Arrivals(statement, replicas: try current.chains.mapValues(\.replica))
  }

  /// Returns the last place; 0 if there is no commit.
  func lastArrival() throws -> Int64 {
    try connection.integer("SELECT max(n) FROM varve_commit") ?? 0
  }

  /// Gives all commits the places that they have at the home.
  ///
  /// - Parameter ids: the home's commits, in its order: those of this log.
  /// - Complexity: O(commits).
  func place(as ids: [CommitID]) throws {
    let numbers = try numbers(from: 0)
    let ordered = try ids.map { id in
      try number(of: id) ?? { throw connection.damaged("the index lacks a commit of its home") }()
    }
    guard numbers.count == ordered.count else {
      throw connection.damaged("the home of the log lacks a commit of its index")
    }
    let moved = zip(numbers, ordered).filter { $0 != $1 }
    if try connection.hasTable("varve_arrival") {
      try connection.execute("DELETE FROM varve_arrival")
    } else if moved.isEmpty {
      return
    }
    try connection.execute(Schema.arrivals)
    let insert = try connection.ownStatement("INSERT INTO varve_arrival (place, n) VALUES (?, ?)")
    for (place, n) in moved {
      insert.bind(1, place)
      insert.bind(2, n)
      try insert.run()
    }
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

  /// Returns the next commit's place, number and name.
  func next() throws -> (place: Int64, n: Int64, id: CommitID)? {
    guard try statement.step() else { return nil }
    let id = CommitID(
      replica: replicas[statement.int(2)] ?? ReplicaID(high: 0, low: 0),
      sequence: statement.int(3),
      hash: CommitHeader.hash(ofEncoded: statement.blob(4))
    )
    return (statement.int(0), statement.int(1), id)
  }
}

/// The positions of a log, some of which are kept so that any can be computed from one nearby.
///
/// Within an incarnation, a position is a function of the commits up to it, so what is kept never
/// becomes wrong. A reader whose snapshot is older than another's uses the earlier places only.
/// With another incarnation, which a home that went back has, commits may have other places.
final class ArrivalPositions: Sendable {
  /// A commit's place, and the position after it.
  private struct Mark {
    let place: Int64
    let position: HomePosition
  }

  private struct Marks {
    var incarnation: Int64
    var kept: [Mark] = []
    /// The position after the last place that any reader has seen.
    var last: Mark?
  }

  /// The number of commits between two places that are kept.
  private static let distance: Int64 = 256

  private let marks = Mutex(Marks(incarnation: 0))

  /// Calls a closure with the marks of an incarnation.
  private func withMarks<Result>(_ incarnation: Int64, _ body: (inout Marks) -> Result) -> Result {
    marks.withLock { marks in
      if marks.incarnation != incarnation { marks = Marks(incarnation: incarnation) }
      return body(&marks)
    }
  }

  /// Returns the position after the last arrival in a snapshot of the log.
  ///
  /// - Parameter incarnation: the incarnation in the same snapshot.
  func end(of log: LogTables, incarnation: Int64) throws -> HomePosition {
    let last = try log.lastArrival()
    let start = withMarks(incarnation) { marks -> Mark? in
      if let newest = marks.last, newest.place <= last { return newest }
      return marks.kept.last { $0.place <= last }
    }
    var mark = start ?? Mark(place: 0, position: HomePosition(incarnation: incarnation))
    guard mark.place < last else { return mark.position }
    let arrivals = try log.arrivals(after: mark.place, through: last)
    while let (place, _, id) = try arrivals.next() {
      var position = mark.position
      position.advance(past: HomeArrival(.commit, id, principal: nil))
      mark = Mark(place: place, position: position)
      if position.number % Self.distance == 0 { keep(mark) }
    }
    withMarks(incarnation) { marks in
      if (marks.last?.place ?? 0) < mark.place { marks.last = mark }
    }
    return mark.position
  }

  private func keep(_ mark: Mark) {
    withMarks(mark.position.incarnation) { marks in
      if (marks.kept.last?.place ?? 0) < mark.place { marks.kept.append(mark) }
    }
  }

  /// Returns the place of the commit before a position of the present incarnation; nil if the log
  /// never had the position.
  func place(of position: HomePosition, in log: LogTables) throws -> Int64? {
    let end = try end(of: log, incarnation: position.incarnation)
    guard position.number <= end.number else { return nil }
    let start = withMarks(position.incarnation) { marks -> Mark? in
      if let newest = marks.last, newest.position.number <= position.number { return newest }
      let place = marks.kept.partitioningIndex { $0.position.number > position.number }
      return place == 0 ? nil : marks.kept[place - 1]
    }
    let first = HomePosition(incarnation: position.incarnation)
    var mark = start ?? Mark(place: 0, position: first)
    let arrivals = try log.arrivals(after: mark.place, through: .max)
    while mark.position.number < position.number, let (place, _, id) = try arrivals.next() {
      var next = mark.position
      next.advance(past: HomeArrival(.commit, id, principal: nil))
      mark = Mark(place: place, position: next)
    }
    return mark.position == position ? mark.place : nil
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
