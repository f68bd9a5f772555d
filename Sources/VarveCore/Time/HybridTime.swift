public import Foundation

/// A point in time of a hybrid logical clock: milliseconds and a counter, in one 64-bit integer.
///
/// The upper 48 bits are signed milliseconds since 1970 (years −2490 to 6429), the lower 16 a
/// counter that tells apart what happened in one millisecond. The integer's order is the time's.
/// Source: Kulkarni et al., *Logical Physical Clocks*, 2014.
public struct HybridTime: Hashable, Comparable, Sendable, RawRepresentable {
  /// Milliseconds times 65,536, plus the counter.
  public let rawValue: Int64

  /// Wraps an integer.
  @inlinable public init(rawValue: Int64) { self.rawValue = rawValue }

  /// A time from its parts. Milliseconds outside 48 bits are a programmer error and trap.
  public init(millisecondsSince1970: Int64, counter: UInt16 = 0) {
    precondition(
      Self.millisecondsRange.contains(millisecondsSince1970),
      "milliseconds fit 48 bits"
    )
    rawValue = millisecondsSince1970 << 16 | Int64(counter)
  }

  /// The milliseconds a time can hold.
  public static let millisecondsRange: ClosedRange<Int64> = -(1 << 47)...(1 << 47) - 1

  /// The earliest time.
  public static let distantPast = HybridTime(rawValue: .min)
  /// The latest time.
  public static let distantFuture = HybridTime(rawValue: .max)

  /// A time from a date, whole milliseconds, rounded down.
  ///
  /// - Throws: ``VarveError`` with code `timeOutOfRange` for dates outside the years −2490 to 6429.
  public init(_ date: Date) throws {
    let milliseconds = (date.timeIntervalSince1970 * 1_000).rounded(.down)
    guard milliseconds >= Double(Self.millisecondsRange.lowerBound),
      milliseconds <= Double(Self.millisecondsRange.upperBound)
    else {
      throw VarveError(
        .timeOutOfRange,
        "a date lies outside the years -2490 to 6429",
        at: "\(date.timeIntervalSince1970) seconds since 1970",
        remedy: "Store it as a date value; only datestamps are limited."
      )
    }
    let time = HybridTime(millisecondsSince1970: Int64(milliseconds))
    // Seconds are not decimal: a date that means a millisecond may lie a hair below it, or below
    // what the same millisecond gives by another way.
    let next = HybridTime(rawValue: time.rawValue &+ 1 << 16)
    let hair = date.timeIntervalSince1970.ulp
    self = next > time && next.date.timeIntervalSince(date) <= hair ? next : time
  }

  /// Milliseconds since 1970, rounded down.
  @inlinable public var millisecondsSince1970: Int64 { rawValue >> 16 }

  /// What tells apart times of one millisecond.
  @inlinable public var counter: UInt16 { UInt16(truncatingIfNeeded: rawValue) }

  /// The date, to the millisecond.
  public var date: Date {
    Date(timeIntervalSince1970: Double(millisecondsSince1970) / 1_000)
  }

  /// The next time after this one; the last of all is its own.
  public var successor: HybridTime {
    HybridTime(rawValue: rawValue == .max ? .max : rawValue + 1)
  }

  /// The last time of this millisecond: what `asOf(date)` compares with.
  public var endOfMillisecond: HybridTime { HybridTime(rawValue: rawValue | 0xFFFF) }

  /// Order of time.
  @inlinable
  public static func < (left: HybridTime, right: HybridTime) -> Bool {
    left.rawValue < right.rawValue
  }
}

/// A time and who read the clock: the tie-break between replicas.
public struct Stamp: Hashable, Comparable, Sendable {
  /// The hybrid time.
  public let time: HybridTime
  /// The replica that stamped.
  public let replica: ReplicaID

  /// Creates a stamp.
  public init(time: HybridTime, replica: ReplicaID) {
    self.time = time
    self.replica = replica
  }

  /// Order of time, then of replica.
  public static func < (left: Stamp, right: Stamp) -> Bool {
    (left.time, left.replica) < (right.time, right.replica)
  }
}
