import CPostgres

/// A request to end what a connection does.
///
/// `@unchecked Sendable`: libpq permits its use on any thread.
final class CancelRequest: @unchecked Sendable {
  private let pointer: OpaquePointer

  init(_ pointer: OpaquePointer) { self.pointer = pointer }

  deinit { PQfreeCancel(pointer) }

  /// Sends it. Blocks.
  func send() {
    var text = [CChar](repeating: 0, count: 256)
    _ = PQcancel(pointer, &text, Int32(text.count))
  }
}
