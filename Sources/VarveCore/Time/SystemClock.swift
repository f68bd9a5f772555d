import Foundation

/// The only place that reads the wall clock; all other code receives the time as an argument.
public enum SystemClock {
  /// Returns the current time in milliseconds since 1970.
  public static func millisecondsSince1970() -> Int64 {
    let milliseconds = (Date().timeIntervalSince1970 * 1_000).rounded(.down)
    // A system's clock can show years that 64 bits of milliseconds cannot.
    return Int64(exactly: milliseconds) ?? (milliseconds < 0 ? .min : .max)
  }

  /// Returns the present time, including the fraction of a millisecond.
  ///
  /// - Throws: ``VarveError`` with code `timeOutOfRange` if the clock shows no such time.
  package static func time() throws -> HybridTime {
    let date = Date()
    do {
      return try HybridTime(instant: date)
    } catch {
      throw HybridTime.clockOutOfRange("\(date.timeIntervalSince1970) seconds since 1970")
    }
  }

  /// Returns the milliseconds to within a few, from a cheaper clock if the system has one.
  static func coarseMillisecondsSince1970() -> Int64 {
    #if canImport(Glibc) || canImport(Musl)
    var time = timespec()
    guard clock_gettime(CLOCK_REALTIME_COARSE, &time) == 0 else { return millisecondsSince1970() }
    let (milliseconds, overflows) = Int64(time.tv_sec).multipliedReportingOverflow(by: 1_000)
    guard !overflows else { return millisecondsSince1970() }
    return milliseconds + Int64(time.tv_nsec) / 1_000_000
    #else
    return millisecondsSince1970()
    #endif
  }
}
