import Foundation

/// Bytes that are overwritten when the last reference to them ends.
///
/// `@unchecked Sendable`: the bytes do not change until then.
package final class SecretBytes: @unchecked Sendable {
  private let bytes: UnsafeMutableRawBufferPointer

  /// Copies bytes. What they are copied from is not overwritten.
  package init(_ source: some Collection<UInt8>) {
    bytes = .allocate(byteCount: source.count, alignment: 1)
    bytes.copyBytes(from: source)
  }

  deinit {
    Self.wipe(bytes)
    bytes.deallocate()
  }

  package var count: Int { bytes.count }

  package func withBytes<Result>(
    _ body: (UnsafeRawBufferPointer) throws -> Result
  ) rethrows -> Result {
    try withExtendedLifetime(self) { try body(UnsafeRawBufferPointer(bytes)) }
  }

  /// Overwrites bytes with a function that the compiler does not leave out before they are freed.
  package static func wipe(_ bytes: UnsafeMutableRawBufferPointer) {
    guard let start = bytes.baseAddress else { return }
    #if canImport(Darwin)
    memset_s(start, bytes.count, 0, bytes.count)
    #elseif canImport(Glibc) || canImport(Musl)
    explicit_bzero(start, bytes.count)
    #else
    overwrite(start, bytes.count)
    #endif
  }

  @inline(never)
  private static func overwrite(_ start: UnsafeMutableRawPointer, _ count: Int) {
    for offset in 0..<count { start.storeBytes(of: 0, toByteOffset: offset, as: UInt8.self) }
  }
}
