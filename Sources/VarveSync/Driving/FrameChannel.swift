/// One side of a connection that carries frames complete and in order, in both directions at once.
///
/// Contract: ``send(_:)`` may wait while the other side is slow to receive, and ``receive()`` may
/// be called at the same time. After ``close()`` the other side receives the frames sent before,
/// then nil.
package protocol FrameChannel: Sendable {
  /// Sends a frame.
  func send(_ frame: [UInt8]) async throws

  /// Returns the next frame; nil if the other side has closed.
  func receive() async throws -> [UInt8]?

  /// Closes both directions. Later calls do nothing.
  func close() async
}
