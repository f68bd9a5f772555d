import Synchronization

#if canImport(libzstd)
import libzstd
#else
import CZstd
#endif

/// Zstandard (RFC 8878), level 1, with pooled contexts: creating one costs more than compressing a
/// small block.
package enum Zstd {
  /// The level: higher levels cost more time than they save space (see the Design).
  private static let level: Int32 = 1

  /// Returns the compressed bytes, or nil if the library fails.
  package static func compress(_ bytes: [UInt8]) -> [UInt8]? {
    let context = compressors.take { ZSTD_createCCtx() }
    guard let context else { return nil }
    defer { compressors.give(context) }
    return [UInt8](unsafeUninitializedCapacity: ZSTD_compressBound(bytes.count)) { buffer, count in
      let written = ZSTD_compressCCtx(
        context,
        buffer.baseAddress,
        buffer.count,
        bytes,
        bytes.count,
        level
      )
      count = ZSTD_isError(written) == 0 ? written : 0
    }.nilIfEmpty
  }

  /// Returns the `count` decompressed bytes, or nil if the input does not decompress to exactly
  /// that many.
  package static func decompress(_ bytes: UnsafeRawBufferPointer, count: Int) -> [UInt8]? {
    let context = decompressors.take { ZSTD_createDCtx() }
    guard let context else { return nil }
    defer { decompressors.give(context) }
    var isRight = false
    let result = [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
      let written = ZSTD_decompressDCtx(
        context,
        buffer.baseAddress,
        count,
        bytes.baseAddress,
        bytes.count
      )
      isRight = ZSTD_isError(written) == 0 && written == count
      initialized = isRight ? count : 0
    }
    return isRight ? result : nil
  }

  private static let compressors = ContextPool()
  private static let decompressors = ContextPool()
}

/// Unused contexts. Contexts have no thread affinity; each is used by one caller at a time.
private final class ContextPool: Sendable {
  private struct Free: @unchecked Sendable {
    // Raw addresses of unused contexts; the surrounding mutex gives each to one caller.
    var contexts: [OpaquePointer] = []
  }

  private let free = Mutex(Free())

  func take(or make: () -> OpaquePointer?) -> OpaquePointer? {
    let address = free.withLock { UInt(bitPattern: $0.contexts.popLast()) }
    return OpaquePointer(bitPattern: address) ?? make()
  }

  func give(_ context: OpaquePointer) {
    let address = UInt(bitPattern: context)
    free.withLock { free in
      if let context = OpaquePointer(bitPattern: address) { free.contexts.append(context) }
    }
  }
}

extension Array {
  fileprivate var nilIfEmpty: [Element]? { isEmpty ? nil : self }
}
