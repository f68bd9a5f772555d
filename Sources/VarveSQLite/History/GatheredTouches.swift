import VarveCore

/// The sorted touches of consecutive rows, which one statement read.
struct GatheredTouches {
  typealias Entry = RecentTouches.Entry

  private let rows: ClosedRange<Int64>
  private let entries: [Entry]

  /// The maximum number of touches. Beyond it, an entity's touches are looked up by their key and
  /// time, so that a long history costs no more than the part that is needed.
  private static let capacity = 2_048

  /// Reads the touches of some rows; returns nil if there are too many.
  init?(_ rows: ClosedRange<Int64>, _ connection: Connection) throws {
    let statement = try connection.statement(
      "SELECT row, key, time, b, ordinal FROM varve_touch WHERE row BETWEEN ? AND ? LIMIT ?"
    )
    statement.bind(1, rows.lowerBound)
    statement.bind(2, rows.upperBound)
    statement.bind(3, Int64(Self.capacity + 1))
    defer { statement.reset() }
    var entries: [Entry] = []
    while try statement.step() {
      guard entries.count < Self.capacity else { return nil }
      entries.append(
        Entry(
          row: statement.int(0),
          key: statement.int(1),
          time: statement.int(2),
          block: statement.int(3),
          ordinal: statement.int(4)
        )
      )
    }
    (self.rows, self.entries) = (rows, entries)
  }

  /// Returns the touches of a row in ascending order; nil if the row was not read.
  subscript(row: Int64) -> ArraySlice<Entry>? {
    guard rows.contains(row) else { return nil }
    let start = entries.firstIndex(from: 0) { $0.row >= row }
    return entries[start..<entries.firstIndex(from: start) { $0.row > row }]
  }

  /// Returns the touches of a row's key in ascending order; nil if the row was not read.
  subscript(row: Int64, key: Int64) -> ArraySlice<Entry>? {
    self[row].map { touches in
      touches.drop { $0.key < key }.prefix { $0.key == key }
    }
  }
}

extension [RecentTouches.Entry] {
  /// Returns the first index from a start whose element satisfies a condition that holds from some
  /// index on.
  fileprivate func firstIndex(from start: Int, where holds: (Element) -> Bool) -> Int {
    var (low, high) = (start, count)
    while low < high {
      let middle = (low + high) / 2
      if holds(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}

extension TouchIndex {
  /// Calls the body, which looks up the touches of some rows without statements of their own if
  /// they are not too many. The body writes no touches.
  func gathering<Result>(
    _ rows: ClosedRange<Int64>,
    _ body: () throws -> Result
  ) throws -> Result {
    gathered = try GatheredTouches(rows, connection)
    defer { gathered = nil }
    return try body()
  }
}
