import Foundation
import VarveCore
import VarveStore
import VarveTestSupport

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Stores one large value, reads it back, and prints the memory used.
enum LargeValue {
  /// Stores a value of a number of bytes.
  static func run(_ path: String, byteCount: Int) async throws {
    let began = peak()
    let data = bytes(byteCount)
    var store = try await Store.open(path)
    try await store.create("Film", id: "film", ["bytes": .data(data)])
    try await store.close()
    Report.line("began \(began)")
    Report.line("written \(peak())")
    store = try await Store.open(path)
    let read = try await store.require("film")["bytes"]
    Report.line("equal \(read == .data(data))")
    try await store.close()
    Report.line("peak \(peak())")
  }

  /// Returns the peak memory of the process so far, in bytes.
  private static func peak() -> Int {
    var usage = rusage()
    #if canImport(Glibc)
    getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    return Int(usage.ru_maxrss) * 1_024
    #else
    getrusage(RUSAGE_SELF, &usage)
    return Int(usage.ru_maxrss)
    #endif
  }

  /// Bytes that hardly compress.
  private static func bytes(_ count: Int) -> Data {
    var random = SplitMix64(seed: 1)
    var data = Data(count: count)
    data.withUnsafeMutableBytes { bytes in
      for index in 0..<count / 8 where index % 4 < 3 {
        bytes.storeBytes(of: random.next(), toByteOffset: index * 8, as: UInt64.self)
      }
    }
    return data
  }
}
