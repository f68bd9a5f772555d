import Foundation
import VarveCore
import VarveStore
import VarveTestSupport

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Keeps one large value and reads it back, and says how much memory that took.
enum LargeValue {
  /// A value of so many bytes.
  static func run(_ path: String, byteCount: Int) async throws {
    let data = bytes(byteCount)
    var store = try await Store.open(path)
    try await store.create("Film", id: "film", ["bytes": .data(data)])
    try await store.close()
    store = try await Store.open(path)
    let read = try await store.require("film")["bytes"]
    Report.line("equal \(read == .data(data))")
    try await store.close()
    var usage = rusage()
    #if canImport(Glibc)
      getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
      Report.line("peak \(usage.ru_maxrss * 1_024)")
    #else
      getrusage(RUSAGE_SELF, &usage)
      Report.line("peak \(usage.ru_maxrss)")
    #endif
  }

  /// Bytes that hardly compress.
  private static func bytes(_ count: Int) -> Data {
    var random = SplitMix64(seed: 1)
    var words = [UInt64](repeating: 0, count: (count + 7) / 8)
    for index in words.indices where index % 4 < 3 { words[index] = random.next() }
    return words.withUnsafeBytes { Data($0.prefix(count)) }
  }
}
