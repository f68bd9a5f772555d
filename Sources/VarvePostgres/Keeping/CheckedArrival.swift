import VarveCore

/// The row of an arrival, as a check finds it.
struct CheckedArrival {
  let position: Int64
  let kind: Int64
  let running: Int64
  /// The event; nil if its kind is unknown, or its hash has another length than hashes have.
  let event: HomeArrival?
  let header: [UInt8]?
  let blockCount: Int64
  /// The number of blocks that the row says, which may be none that there can be.
  private let statedBlockCount: Int64
  let byteCount: Int64
  /// The seal; nil if an older host wrote the row.
  let seal: Int64?

  init(_ rows: PostgresResult, _ row: Int) {
    position = rows.integer(row, 0)
    kind = rows.integer(row, 1)
    running = rows.integer(row, 2)
    if let kind = UInt8(exactly: kind).flatMap({ HomeArrival.Kind(rawValue: $0) }),
      let hash = try? rows.digest(row, 5)
    {
      let replica = rows.replica(row, 3)
      let commit = CommitID(replica: replica, sequence: rows.integer(row, 4), hash: hash)
      event = HomeArrival(kind, commit, principal: rows.text(row, 6))
    } else {
      event = nil
    }
    header = rows.isNull(row, 7) ? nil : rows.bytes(row, 7)
    statedBlockCount = rows.integer(row, 8)
    blockCount = max(0, statedBlockCount)
    byteCount = rows.integer(row, 9)
    seal = rows.isNull(row, 10) ? nil : rows.integer(row, 10)
  }

  /// The seal that the row should have.
  func expectedSeal(_ event: HomeArrival, in space: SpaceID) -> Int64 {
    RowSeal.of(
      event,
      at: HomePosition(incarnation: 0, number: position, running: running),
      in: space,
      blockCount: statedBlockCount,
      byteCount: byteCount
    )
  }
}

/// The row of a block, as a check finds it.
struct CheckedBlock {
  let index: Int64
  let block: Block
  private let seal: Int64?

  init(_ rows: PostgresResult, _ row: Int) {
    index = rows.integer(row, 1)
    block = Block(
      salt: rows.bytes(row, 2),
      // A digest of another length is none of any content.
      digest: (try? rows.digest(row, 3)) ?? .sha256([UInt8]()),
      stored: rows.bytes(row, 4)
    )
    seal = rows.isNull(row, 5) ? nil : rows.integer(row, 5)
  }

  /// Whether something else than a host wrote a redacted block. The digest covers any other.
  ///
  /// - Parameter isSealed: whether a host wrote the arrival that seals rows.
  func isChanged(isSealed: Bool) -> Bool {
    guard block.isRedacted, isSealed || seal != nil else { return false }
    return seal != RowSeal.of(block, at: index)
  }
}

/// The blocks of a space in the order of their arrivals, fetched some at a time.
struct BlockRows {
  private let connection: KeptConnection
  private let space: SpaceID
  private var page: PostgresResult?
  private var row = 0
  private var last: (position: Int64, index: Int64) = (.min, .min)

  private static let pageCount: Int64 = 32

  init(_ connection: KeptConnection, _ space: SpaceID) {
    self.connection = connection
    self.space = space
  }

  /// Returns the position of the next block; nil at the end.
  private mutating func nextPosition() async throws -> Int64? {
    if page.map({ row >= $0.count && $0.count > 0 }) ?? true {
      page = try await connection.read(
        HomeStatement.checkBlocks(
          PostgresValue(space),
          .integer(last.position),
          .integer(last.index),
          .integer(Self.pageCount)
        )
      )
      row = 0
    }
    guard let page, row < page.count else { return nil }
    return page.integer(row, 0)
  }

  /// Returns the blocks of an arrival. Those of earlier ones were returned before.
  mutating func rows(of position: Int64) async throws -> [CheckedBlock] {
    var blocks: [CheckedBlock] = []
    while try await nextPosition() == position, let page {
      blocks.append(CheckedBlock(page, row))
      pass(page)
    }
    return blocks
  }

  /// Passes over the blocks before a position, or all if it is nil, which belong to no arrival.
  ///
  /// - Returns: their positions and numbers.
  mutating func strays(before limit: Int64?) async throws -> [(position: Int64, count: Int)] {
    var strays: [(position: Int64, count: Int)] = []
    while let position = try await nextPosition(), limit.map({ position < $0 }) ?? true, let page {
      if strays.last?.position != position { strays.append((position, 0)) }
      strays[strays.count - 1].count += 1
      pass(page)
    }
    return strays
  }

  private mutating func pass(_ page: PostgresResult) {
    last = (page.integer(row, 0), page.integer(row, 1))
    row += 1
  }
}
