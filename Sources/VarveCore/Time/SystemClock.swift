import Foundation

/// The one place that names the wall clock; everything else is given the time.
public enum SystemClock {
  /// Milliseconds since 1970, now.
  public static func millisecondsSince1970() -> Int64 {
    Int64((Date().timeIntervalSince1970 * 1_000).rounded(.down))
  }

  /// The time now, with what the clock shows beyond whole milliseconds.
  package static func time() -> HybridTime {
    (try? HybridTime(instant: Date())) ?? HybridTime(millisecondsSince1970: millisecondsSince1970())
  }

  /// The same to a few milliseconds, where the system has a cheaper clock for it.
  static func coarseMillisecondsSince1970() -> Int64 {
    #if canImport(Glibc) || canImport(Musl)
      var time = timespec()
      guard clock_gettime(CLOCK_REALTIME_COARSE, &time) == 0 else { return millisecondsSince1970() }
      return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
    #else
      return millisecondsSince1970()
    #endif
  }
}
