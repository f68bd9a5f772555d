import VarveSync

/// A connection inside one process, with the same bytes as one between two processes.
package struct InProcessChannel: FrameChannel {
  private let incoming: AsyncStream<[UInt8]>
  private let outgoing: AsyncStream<[UInt8]>.Continuation
  private let own: AsyncStream<[UInt8]>.Continuation

  /// Returns the two ends of a connection. The sessions' windows bound what is in transit.
  package static func pair() -> (InProcessChannel, InProcessChannel) {
    let (there, toThere) = AsyncStream<[UInt8]>.makeStream()
    let (here, toHere) = AsyncStream<[UInt8]>.makeStream()
    return (
      InProcessChannel(incoming: here, outgoing: toThere, own: toHere),
      InProcessChannel(incoming: there, outgoing: toHere, own: toThere)
    )
  }

  package func send(_ frame: [UInt8]) async throws { outgoing.yield(frame) }

  package func receive() async throws -> [UInt8]? {
    var iterator = incoming.makeAsyncIterator()
    return await iterator.next()
  }

  package func close() async {
    outgoing.finish()
    own.finish()
  }
}
