import Foundation

/// The one place that names the wall clock; everything else is given the time.
public enum SystemClock {
  /// Milliseconds since 1970, now.
  public static func millisecondsSince1970() -> Int64 {
    Int64((Date().timeIntervalSince1970 * 1_000).rounded(.down))
  }
}
