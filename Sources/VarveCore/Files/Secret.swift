import Foundation

/// Secret bytes. No description, error or dump shows them, and they are overwritten when the last
/// reference to them ends.
///
/// `@unchecked Sendable`: only the initializer and the deinitializer write the bytes.
package final class Secret: @unchecked Sendable {
  private let buffer: UnsafeMutableRawBufferPointer

  /// Creates a secret and lets a closure write its bytes, which are zero before.
  package init(count: Int, _ fill: (UnsafeMutableRawBufferPointer) throws -> Void) rethrows {
    buffer = .allocate(byteCount: count, alignment: 16)
    buffer.initializeMemory(as: UInt8.self, repeating: 0)
    do {
      try fill(buffer)
    } catch {
      Self.wipe(buffer)
      buffer.deallocate()
      throw error
    }
  }

  /// Copies bytes. The caller wipes its own.
  package convenience init(copying bytes: some Collection<UInt8>) {
    self.init(count: bytes.count) { $0.copyBytes(from: bytes) }
  }

  deinit {
    Self.wipe(buffer)
    buffer.deallocate()
  }

  /// The number of bytes.
  package var count: Int { buffer.count }

  /// Passes the bytes to a closure. They must not outlive it.
  package func withUnsafeBytes<Result>(
    _ body: (UnsafeRawBufferPointer) throws -> Result
  ) rethrows -> Result {
    try withExtendedLifetime(self) { try body(UnsafeRawBufferPointer(buffer)) }
  }

  /// Overwrites bytes with zeros, which the optimiser does not leave out.
  package static func wipe(_ buffer: UnsafeMutableRawBufferPointer) {
    guard let address = buffer.baseAddress else { return }
    #if canImport(Darwin)
    memset_s(address, buffer.count, 0, buffer.count)
    #elseif canImport(Glibc) || canImport(Musl)
    explicit_bzero(address, buffer.count)
    #else
    overwrite(address, buffer.count)
    #endif
  }

  /// Overwrites bytes where the system has no call for it. The compiler does not see through the call,
  /// so it takes the bytes for used.
  @inline(never)
  private static func overwrite(_ address: UnsafeMutableRawPointer, _ count: Int) {
    memset(address, 0, count)
  }
}

extension Secret: Equatable {
  /// Compares all bytes, in a time that depends only on their number.
  package static func == (left: Secret, right: Secret) -> Bool {
    guard left.count == right.count else { return false }
    return left.withUnsafeBytes { left in
      right.withUnsafeBytes { right in zip(left, right).reduce(0) { $0 | $1.0 ^ $1.1 } == 0 }
    }
  }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// Nothing of the bytes.
  package var description: String { "secret" }

  /// Nothing of the bytes.
  package var debugDescription: String { description }

  /// Nothing of the bytes.
  package var customMirror: Mirror { Mirror(self, children: [], displayStyle: .class) }
}
