import CPostgres

/// libpq's connection, which is closed with the last reference.
///
/// `@unchecked Sendable`: the actor uses it, and while it connects, one queue in its stead.
final class ConnectionHandle: @unchecked Sendable {
  let pointer: OpaquePointer

  init(_ pointer: OpaquePointer) { self.pointer = pointer }

  deinit { PQfinish(pointer) }
}
