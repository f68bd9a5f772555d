import VarveSync

/// One end of a connection inside the process that carries a number of bytes per second, each way.
actor SlowLine: ByteConnection {
  private nonisolated let incoming: AsyncStream<[UInt8]>
  private let outgoing: AsyncStream<[UInt8]>.Continuation
  private let bytesPerSecond: Double
  /// The time at which everything sent will have arrived.
  private var free = ContinuousClock.now

  private init(
    _ incoming: AsyncStream<[UInt8]>,
    _ outgoing: AsyncStream<[UInt8]>.Continuation,
    _ bytesPerSecond: Double
  ) {
    self.incoming = incoming
    self.outgoing = outgoing
    self.bytesPerSecond = bytesPerSecond
  }

  /// Returns both ends.
  static func pair(bytesPerSecond: Double) -> (SlowLine, SlowLine) {
    let (there, toThere) = AsyncStream<[UInt8]>.makeStream()
    let (here, toHere) = AsyncStream<[UInt8]>.makeStream()
    return (
      SlowLine(here, toThere, bytesPerSecond), SlowLine(there, toHere, bytesPerSecond)
    )
  }

  /// Returns the bytes as they were sent: frames are cut from them in any pieces.
  nonisolated func read(atMost byteCount: Int) async throws -> [UInt8]? {
    var iterator = incoming.makeAsyncIterator()
    return await iterator.next()
  }

  func write(_ bytes: [UInt8]) async throws {
    free = max(free, .now) + .seconds(Double(bytes.count) / bytesPerSecond)
    try await Task.sleep(until: free, clock: .continuous)
    outgoing.yield(bytes)
  }

  func close() async { outgoing.finish() }
}
