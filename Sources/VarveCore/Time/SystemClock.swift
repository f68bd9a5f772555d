import Foundation

/// The only place that reads the wall clock; all other code receives the time as an argument.
public enum SystemClock {
  /// Returns the current time in milliseconds since 1970.
  public static func millisecondsSince1970() -> Int64 {
    Int64((Date().timeIntervalSince1970 * 1_000).rounded(.down))
  }

  /// Returns the present time, including the fraction of a millisecond.
  package static func time() -> HybridTime {
    (try? HybridTime(instant: Date())) ?? HybridTime(millisecondsSince1970: millisecondsSince1970())
  }

  /// Returns the milliseconds to within a few, from a cheaper clock if the system has one.
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
