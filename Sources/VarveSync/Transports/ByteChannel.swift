import Synchronization

/// One side of a connection of two byte streams: a socket, a pair of pipes, the bodies of a request
/// and its response.
public protocol ByteConnection: Sendable {
  /// Returns the next bytes, at most the given number; nil at the end of the stream.
  func read(atMost byteCount: Int) async throws -> [UInt8]?

  /// Sends bytes; may wait while the other side is slow.
  func write(_ bytes: [UInt8]) async throws

  /// Closes both directions.
  func close() async
}

/// Frames over a byte connection.
package final class ByteChannel: FrameChannel {
  private let connection: any ByteConnection
  private let cutter = Mutex(FrameCutter())

  package init(_ connection: any ByteConnection) { self.connection = connection }

  package func send(_ frame: [UInt8]) async throws { try await connection.write(frame) }

  /// Must be called by one task at a time.
  package func receive() async throws -> [UInt8]? {
    while true {
      if let frame = try cutter.withLock({ try $0.next() }) { return frame }
      guard let bytes = try await connection.read(atMost: 1 << 16) else { return nil }
      cutter.withLock { $0.add(bytes) }
    }
  }

  package func close() async { await connection.close() }
}
