/// A hybrid logical clock as a value: it reads no wall clock and keeps no state elsewhere.
///
/// Source: Kulkarni et al., *Logical Physical Clocks*, 2014; the bound on how far a foreign stamp
/// may advance the clock is Varve's (see the Design, R11).
public struct HybridClock: Hashable, Sendable {
  /// The latest time issued or observed.
  public private(set) var latest: HybridTime

  /// The maximum lead of a foreign stamp over the wall clock with which the clock still follows it,
  /// in milliseconds.
  public static let defaultToleranceMilliseconds: Int64 = 5 * 60 * 1_000

  /// Creates a clock that has observed everything up to a time.
  public init(latest: HybridTime = .distantPast) { self.latest = latest }

  /// Returns the next stamp: the wall clock's time, or one above the latest if that is not behind
  /// it.
  public mutating func tick(wallMilliseconds: Int64) -> HybridTime {
    tick(wall: HybridTime(millisecondsSince1970: wallMilliseconds))
  }

  /// Returns the next time of a clock that is more precise than milliseconds.
  package mutating func tick(wall: HybridTime) -> HybridTime {
    latest = max(latest.successor, wall)
    return latest
  }

  /// Follows a foreign stamp. The caller withholds commits beyond the tolerance.
  public mutating func observe(_ time: HybridTime) { latest = max(latest, time) }

  /// Whether a commit with this time must be withheld for now.
  public static func isWithheld(
    _ time: HybridTime,
    wallMilliseconds: Int64,
    toleranceMilliseconds: Int64 = defaultToleranceMilliseconds
  ) -> Bool {
    time.millisecondsSince1970 > wallMilliseconds + toleranceMilliseconds
  }
}
