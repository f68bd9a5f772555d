import VarveCore

/// Arrivals and blocks on their way to the database, a few megabytes at a time.
struct ArrivalBatch {
  /// The position of the last arrival.
  private(set) var position: HomePosition
  private let space: SpaceID
  private var byteCount = 0
  private var blocks: [BlockRow] = []
  private var arrivals: [ArrivalRow] = []
  /// The arrival whose blocks are coming.
  private var open: Open?

  /// The approximate size at which a batch is sent.
  private static let targetByteCount = 4 << 20
  /// The number of rows up to which each is a statement of its own.
  private static let mostSingleRows = 8

  private struct Open {
    let arrival: HomeArrival
    let position: HomePosition
    var header: [UInt8]?
    var blockCount: Int64 = 0
    var byteCount: Int64 = 0
  }

  init(_ space: SpaceID, after position: HomePosition) {
    self.space = space
    self.position = position
  }

  /// Whether the batch should be sent before more is added.
  var isFull: Bool { byteCount >= Self.targetByteCount || arrivals.count >= 4_096 }

  mutating func add(_ part: HomePart) {
    switch part {
    case .arrival(let arrival):
      endArrival()
      position.advance(past: arrival)
      open = Open(arrival: arrival, position: position)
    case .part(.header(let header)):
      open?.header = header.encoded
      byteCount += 256
    case .record(let bytes):
      open?.header = bytes
      byteCount += bytes.count + 256
    case .part(.block(let block)):
      guard var current = open else { return }
      blocks.append(BlockRow(block, at: current.position, index: current.blockCount))
      current.blockCount += 1
      current.byteCount += Int64(block.stored.count)
      byteCount += block.stored.count + 64
      open = current
    }
  }

  /// An arrival is written after its last block.
  mutating func endArrival() {
    guard let done = open else { return }
    open = nil
    arrivals.append(
      ArrivalRow(
        arrival: done.arrival,
        position: done.position,
        header: done.header,
        blockCount: done.blockCount,
        byteCount: done.byteCount,
        seal: RowSeal.of(
          done.arrival,
          at: done.position,
          in: space,
          blockCount: done.blockCount,
          byteCount: done.byteCount
        )
      )
    )
  }

  /// Returns the calls that write what was added, and begins another batch.
  ///
  /// All calls of a batch are sent at once, so a few rows cost no more round trips than many.
  mutating func take() -> [PostgresCall] {
    defer { (blocks, arrivals, byteCount) = ([], [], 0) }
    let blockCalls =
      blocks.count <= Self.mostSingleRows
      ? blocks.map { $0.addition(to: space) } : [BlockRow.addition(of: blocks, to: space)]
    let arrivalCalls =
      arrivals.count <= Self.mostSingleRows
      ? arrivals.map { $0.addition(to: space) } : [ArrivalRow.addition(of: arrivals, to: space)]
    return blockCalls + arrivalCalls
  }
}
