import VarveCore

/// Reads arrivals in a transaction that sees one state of the database.
struct ArrivalReader {
  private let connection: KeptConnection
  private let space: SpaceID

  /// The maximum number of arrivals that are fetched at once.
  private static let pageCount: Int64 = 512
  /// The approximate size of the blocks that are fetched at once.
  private static let byteCount: Int64 = 4 << 20

  init(_ connection: KeptConnection, _ space: SpaceID) {
    self.connection = connection
    self.space = space
  }

  /// Passes the arrivals between a position and a head to the body.
  ///
  /// - Returns: false, without calling the body, if the space never had the position.
  func pass(
    after position: HomePosition?,
    upTo head: HomeHead,
    _ body: (HomePart) throws -> Void
  ) async throws -> Bool {
    if let position, try await !isKnown(position, at: head.position) { return false }
    var number = position?.number ?? 0
    while number < head.position.number {
      let page = try await run(
        HomeStatement.arrivals(
          PostgresValue(space),
          .integer(number),
          .integer(head.position.number),
          .integer(Self.pageCount)
        )
      )
      guard page.count > 0 else { throw damaged("an arrival is missing") }
      try await pass(page, after: &number, body)
    }
    return true
  }

  private func isKnown(_ position: HomePosition, at head: HomePosition) async throws -> Bool {
    guard position.incarnation == head.incarnation, (0...head.number).contains(position.number)
    else { return false }
    if position.number == head.number { return position.running == head.running }
    if position.number == 0 { return position.running == 0 }
    let rows = try await run(
      HomeStatement.running(PostgresValue(space), .integer(position.number))
    )
    return rows.count == 1 && rows.integer(0, 0) == position.running
  }

  private func pass(
    _ page: PostgresResult,
    after number: inout Int64,
    _ body: (HomePart) throws -> Void
  ) async throws {
    var row = 0
    while row < page.count {
      // Small commits share a fetch; a large one has several.
      var end = row
      var (bytes, blocks) = (Int64(0), Int64(0))
      while end < page.count, end == row || bytes + page.integer(end, 8) <= Self.byteCount {
        bytes += page.integer(end, 8)
        blocks += page.integer(end, 7)
        end += 1
      }
      var cursor = BlockCursor(
        first: page.integer(row, 0),
        last: page.integer(end - 1, 0),
        limit: bytes <= Self.byteCount ? max(1, blocks) : max(1, Self.byteCount * blocks / bytes)
      )
      for row in row..<end {
        let position = page.integer(row, 0)
        number += 1
        guard position == number else { throw damaged("an arrival is missing") }
        let arrival = try arrival(page, row)
        try body(.arrival(arrival))
        guard !page.isNull(row, 6) else { continue }
        guard arrival.kind != .record else {
          try body(.record(page.bytes(row, 6)))
          continue
        }
        try body(.part(.header(try CommitHeader(encoded: page.bytes(row, 6)))))
        for index in 0..<page.integer(row, 7) {
          try body(.part(.block(try await next(&cursor, position, index))))
        }
      }
      row = end
    }
  }

  private func arrival(_ page: PostgresResult, _ row: Int) throws -> HomeArrival {
    guard let kind = HomeArrival.Kind(rawValue: UInt8(clamping: page.integer(row, 1))) else {
      throw VarveError(
        .newerFormat,
        "the home has an arrival of kind \(page.integer(row, 1))",
        remedy: "Use a newer version of Varve."
      )
    }
    let commit = CommitID(
      replica: page.replica(row, 2),
      sequence: page.integer(row, 3),
      hash: try page.digest(row, 4)
    )
    return HomeArrival(kind, commit, principal: page.text(row, 5))
  }

  /// Blocks of consecutive arrivals, fetched some at a time.
  private struct BlockCursor {
    let first: Int64
    let last: Int64
    let limit: Int64
    var rows: PostgresResult?
    var row = 0
  }

  private func next(
    _ cursor: inout BlockCursor,
    _ position: Int64,
    _ index: Int64
  ) async throws -> Block {
    if cursor.rows.map({ cursor.row >= $0.count }) ?? true {
      cursor.rows = try await run(
        HomeStatement.blocks(
          PostgresValue(space),
          .integer(cursor.rows == nil ? cursor.first : position),
          .integer(index - 1),
          .integer(cursor.last),
          .integer(cursor.limit)
        )
      )
      cursor.row = 0
    }
    let row = cursor.row
    guard let rows = cursor.rows, row < rows.count,
      rows.integer(row, 0) == position, rows.integer(row, 1) == index
    else { throw damaged("block \(index) of arrival \(position) is missing") }
    cursor.row += 1
    return Block(
      salt: rows.bytes(row, 2),
      digest: try rows.digest(row, 3),
      stored: rows.bytes(row, 4)
    )
  }

  private func run(_ call: PostgresCall) async throws -> PostgresResult {
    try await connection.read(call)
  }

  private func damaged(_ what: String) -> VarveError {
    VarveError(
      .damaged,
      "the home of the log is damaged: \(what)",
      at: "space \(space)",
      remedy: "Restore the database from a backup."
    )
  }
}
