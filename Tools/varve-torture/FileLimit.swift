import Foundation
import VarveCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The size to which this process may make files grow.
enum FileLimit {
  /// Makes a file that reaches the limit an error instead of the end of the process.
  static func prepare() { signal(SIGXFSZ, SIG_IGN) }

  /// Limits the size of files to that of one.
  static func set(toSizeOf path: String) throws {
    let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int
    try set(to: size)
  }

  /// Limits the size of files; nil removes the limit.
  static func set(to byteCount: Int?) throws {
    var limit = rlimit()
    #if canImport(Glibc)
    let resource = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
    #else
    let resource = RLIMIT_FSIZE
    #endif
    getrlimit(resource, &limit)
    limit.rlim_cur = byteCount.map { rlim_t($0) } ?? limit.rlim_max
    guard setrlimit(resource, &limit) == 0 else {
      throw VarveError(.inputOutput, "the limit cannot be set")
    }
  }
}
