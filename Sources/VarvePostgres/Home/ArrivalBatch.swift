import VarveCore

/// Arrivals and blocks on their way to the database, a few megabytes at a time.
struct ArrivalBatch {
  /// The position of the last arrival.
  private(set) var position: HomePosition
  private let space: SpaceID
  private var byteCount = 0
  private var blocks = BlockColumns()
  private var arrivals = ArrivalColumns()
  /// The arrival whose blocks are coming.
  private var open: Open?

  /// The approximate size at which a batch is sent.
  private static let targetByteCount = 4 << 20

  private struct Open {
    let arrival: HomeArrival
    let position: HomePosition
    var header: [UInt8]?
    var blockCount: Int64 = 0
    var byteCount: Int64 = 0
  }

  private struct BlockColumns {
    var positions: [Int64] = []
    var indexes: [Int64] = []
    var salts: [[UInt8]?] = []
    var digests: [[UInt8]?] = []
    var payloads: [[UInt8]?] = []
    var seals: [Int64?] = []
  }

  private struct ArrivalColumns {
    var positions: [Int64] = []
    var kinds: [Int64] = []
    var runnings: [Int64] = []
    var replicas: [ReplicaID] = []
    var sequences: [Int64] = []
    var hashes: [[UInt8]?] = []
    var principals: [String?] = []
    var headers: [[UInt8]?] = []
    var blockCounts: [Int64] = []
    var byteCounts: [Int64] = []
    var seals: [Int64] = []
  }

  init(_ space: SpaceID, after position: HomePosition) {
    self.space = space
    self.position = position
  }

  /// Whether the batch should be sent before more is added.
  var isFull: Bool { byteCount >= Self.targetByteCount || arrivals.positions.count >= 4_096 }

  mutating func add(_ part: HomePart) {
    switch part {
    case .arrival(let arrival):
      endArrival()
      position.advance(past: arrival)
      open = Open(arrival: arrival, position: position)
    case .part(.header(let header)):
      open?.header = header.encoded
      byteCount += 256
    case .part(.block(let block)):
      guard var current = open else { return }
      blocks.positions.append(current.position.number)
      blocks.indexes.append(current.blockCount)
      blocks.salts.append(block.salt)
      blocks.digests.append(block.digest.bytes)
      blocks.payloads.append(block.stored)
      blocks.seals.append(RowSeal.of(block, at: current.blockCount))
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
    arrivals.positions.append(done.position.number)
    arrivals.kinds.append(Int64(done.arrival.kind.rawValue))
    arrivals.runnings.append(done.position.running)
    arrivals.replicas.append(done.arrival.commit.replica)
    arrivals.sequences.append(done.arrival.commit.sequence)
    arrivals.hashes.append(done.arrival.commit.hash.bytes)
    arrivals.principals.append(done.arrival.principal)
    arrivals.headers.append(done.header)
    arrivals.blockCounts.append(done.blockCount)
    arrivals.byteCounts.append(done.byteCount)
    arrivals.seals.append(
      RowSeal.of(
        done.arrival,
        at: done.position,
        in: space,
        blockCount: done.blockCount,
        byteCount: done.byteCount
      )
    )
  }

  /// Returns the calls that write what was added, and begins another batch.
  mutating func take() -> [PostgresCall] {
    var calls: [PostgresCall] = []
    if !blocks.positions.isEmpty {
      calls.append(
        HomeStatement.addBlocks(
          PostgresValue(space),
          .integers(blocks.positions),
          .integers(blocks.indexes),
          .byteStrings(blocks.salts),
          .byteStrings(blocks.digests),
          .byteStrings(blocks.payloads),
          .integers(blocks.seals)
        )
      )
    }
    if !arrivals.positions.isEmpty {
      calls.append(
        HomeStatement.addArrivals(
          PostgresValue(space),
          .integers(arrivals.positions),
          .integers(arrivals.kinds),
          .integers(arrivals.runnings),
          .uuids(arrivals.replicas),
          .integers(arrivals.sequences),
          .byteStrings(arrivals.hashes),
          .texts(arrivals.principals),
          .byteStrings(arrivals.headers),
          .integers(arrivals.blockCounts),
          .integers(arrivals.byteCounts),
          .integers(arrivals.seals)
        )
      )
    }
    (blocks, arrivals, byteCount) = (BlockColumns(), ArrivalColumns(), 0)
    return calls
  }
}
