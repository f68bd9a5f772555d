/// Bytes that arrive in pieces and are taken from the front.
package struct ByteQueue: Sendable {
  /// The bytes, of which those before ``start`` were taken.
  package private(set) var bytes: [UInt8] = []
  /// The index of the first byte that was not taken.
  package private(set) var start = 0

  /// The number of taken bytes from which on their memory is reclaimed with the next piece.
  private static let slack = 1 << 16

  package init() {}

  /// The number of bytes that were not taken.
  package var count: Int { bytes.count - start }

  /// Appends bytes.
  package mutating func add(_ piece: some Collection<UInt8>) {
    if start > Self.slack || start == bytes.count {
      bytes.removeFirst(start)
      start = 0
    }
    bytes.append(contentsOf: piece)
  }

  /// Takes the bytes before an index.
  package mutating func take(upTo end: Int) {
    precondition(start <= end && end <= bytes.count, "only what arrived is taken, once")
    start = end
  }
}
