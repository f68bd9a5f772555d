import VarveCore

/// The session that writes a store in a file. It is closed while the store is idle.
///
/// `@unchecked Sendable`: only the holder of the store's write lock uses it.
final class WriterSlot: @unchecked Sendable {
  private let make: () throws -> Session
  private(set) var session: Session?

  init(_ session: Session, remake: @escaping @Sendable () throws -> Session) {
    self.session = session
    make = remake
  }

  /// Returns the session, opened again if it was closed.
  func open() throws -> Session {
    if let session { return session }
    let session = try make()
    self.session = session
    return session
  }

  func close() throws {
    defer { session = nil }
    try session?.close()
  }
}
