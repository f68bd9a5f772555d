/// One side of a connection that carries frames whole and in order, both ways at once.
///
/// Contract: ``send(_:)`` may wait while the other side is slow to receive, and ``receive()`` may
/// be called at the same time. After ``close()`` the other side receives what was sent, then nil.
package protocol FrameChannel: Sendable {
  /// Sends a frame.
  func send(_ frame: [UInt8]) async throws

  /// The next frame; nil where the other side has closed.
  func receive() async throws -> [UInt8]?

  /// Ends both directions. Later calls do nothing.
  func close() async
}
