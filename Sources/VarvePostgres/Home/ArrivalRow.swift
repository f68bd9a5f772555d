import VarveCore

/// A row of the table of arrivals.
struct ArrivalRow {
  let arrival: HomeArrival
  let position: HomePosition
  let header: [UInt8]?
  let blockCount: Int64
  let byteCount: Int64
  let seal: Int64

  /// Returns the call that adds the row to a space.
  func addition(to space: SpaceID) -> PostgresCall {
    HomeStatement.addArrival(
      PostgresValue(space),
      .integer(position.number),
      .integer(Int64(arrival.kind.rawValue)),
      .integer(position.running),
      PostgresValue(arrival.commit.replica),
      .integer(arrival.commit.sequence),
      .bytes(arrival.commit.hash.bytes),
      PostgresValue(arrival.principal),
      PostgresValue(header),
      .integer(blockCount),
      .integer(byteCount),
      .integer(seal)
    )
  }

  /// Returns the call that adds several rows to a space.
  static func addition(of rows: [ArrivalRow], to space: SpaceID) -> PostgresCall {
    HomeStatement.addArrivals(
      PostgresValue(space),
      .integers(rows.map(\.position.number)),
      .integers(rows.map { Int64($0.arrival.kind.rawValue) }),
      .integers(rows.map(\.position.running)),
      .uuids(rows.map(\.arrival.commit.replica)),
      .integers(rows.map(\.arrival.commit.sequence)),
      .byteStrings(rows.map(\.arrival.commit.hash.bytes)),
      .texts(rows.map(\.arrival.principal)),
      .byteStrings(rows.map(\.header)),
      .integers(rows.map(\.blockCount)),
      .integers(rows.map(\.byteCount)),
      .integers(rows.map(\.seal))
    )
  }
}

/// A row of the table of blocks.
struct BlockRow {
  private let block: Block
  private let position: Int64
  private let index: Int64
  private let seal: Int64?

  init(_ block: Block, at position: HomePosition, index: Int64) {
    self.block = block
    self.position = position.number
    self.index = index
    seal = RowSeal.of(block, at: index)
  }

  /// Returns the call that adds the row to a space.
  func addition(to space: SpaceID) -> PostgresCall {
    HomeStatement.addBlock(
      PostgresValue(space),
      .integer(position),
      .integer(index),
      .bytes(block.salt),
      .bytes(block.digest.bytes),
      .bytes(block.stored),
      seal.map { .integer($0) } ?? .null
    )
  }

  /// Returns the call that adds several rows to a space.
  static func addition(of rows: [BlockRow], to space: SpaceID) -> PostgresCall {
    HomeStatement.addBlocks(
      PostgresValue(space),
      .integers(rows.map(\.position)),
      .integers(rows.map(\.index)),
      .byteStrings(rows.map(\.block.salt)),
      .byteStrings(rows.map(\.block.digest.bytes)),
      .byteStrings(rows.map(\.block.stored)),
      .integers(rows.map(\.seal))
    )
  }
}
