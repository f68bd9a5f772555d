public import Foundation

/// A point in time of a hybrid logical clock: milliseconds and a counter, in one 64-bit integer.
///
/// The upper 48 bits are signed milliseconds since 1970 (years −2490 to 6429), the lower 16 a
/// counter that distinguishes events of one millisecond. The counter of a local commit begins with
/// the fraction of the millisecond that the clock shows. The integers have the order of the times.
/// Source: Kulkarni et al., *Logical Physical Clocks*, 2014.
public struct HybridTime: Hashable, Comparable, Sendable, RawRepresentable {
  /// Milliseconds times 65,536, plus the counter.
  public let rawValue: Int64

  /// Wraps an integer.
  @inlinable public init(rawValue: Int64) { self.rawValue = rawValue }

  /// Creates a time from its parts. Milliseconds outside 48 bits are a programmer error and trap.
  public init(millisecondsSince1970: Int64, counter: UInt16 = 0) {
    precondition(
      Self.millisecondsRange.contains(millisecondsSince1970),
      "milliseconds fit 48 bits"
    )
    rawValue = millisecondsSince1970 << 16 | Int64(counter)
  }

  /// The range of milliseconds that a time can represent.
  public static let millisecondsRange: ClosedRange<Int64> = -(1 << 47)...(1 << 47) - 1

  /// The first and the last date that a time can represent (UTC), for messages.
  package static let firstDate = "-2490-03-17T21:14:04.672Z"
  package static let lastDate = "6429-10-17T02:45:55.327Z"

  /// The earliest time.
  public static let distantPast = HybridTime(rawValue: .min)
  /// The latest time.
  public static let distantFuture = HybridTime(rawValue: .max)

  /// Creates a time from a date, rounded down to whole milliseconds.
  ///
  /// - Throws: ``VarveError`` with code `timeOutOfRange` for dates outside the years −2490 to 6429.
  public init(_ date: Date) throws {
    let milliseconds = (date.timeIntervalSince1970 * 1_000).rounded(.down)
    guard milliseconds >= Double(Self.millisecondsRange.lowerBound),
      milliseconds <= Double(Self.millisecondsRange.upperBound)
    else {
      throw VarveError(
        .timeOutOfRange,
        "a date lies before \(Self.firstDate) or after \(Self.lastDate) (UTC)",
        at: "\(date.timeIntervalSince1970) seconds since 1970",
        remedy: "Use a date between the two. Dates as values of properties are not limited."
      )
    }
    let time = HybridTime(millisecondsSince1970: Int64(milliseconds))
    // Seconds are binary: a date for a whole millisecond may be one unit of precision below it, or
    // below another representation of the same millisecond.
    let next = HybridTime(rawValue: time.rawValue &+ 1 << 16)
    let hair = date.timeIntervalSince1970.ulp
    self = next > time && next.date.timeIntervalSince(date) <= hair ? next : time
  }

  /// Creates the exact instant of a date. The part beyond whole milliseconds becomes the counter,
  /// as in the stamps of local commits; it is zero for a whole millisecond.
  ///
  /// - Throws: ``VarveError`` with code `timeOutOfRange`, as ``init(_:)``.
  package init(instant date: Date) throws {
    _ = try HybridTime(date)
    let milliseconds = date.timeIntervalSinceReferenceDate * 1_000
    let nearest = Self.millisecond(milliseconds.rounded())
    // Seconds are not decimal: a millisecond is what either way of writing it gives.
    let written = Date(timeIntervalSinceReferenceDate: milliseconds.rounded() / 1_000)
    guard date != nearest.date, date != written else {
      rawValue = nearest.rawValue
      return
    }
    let floor = milliseconds.rounded(.down)
    let fraction = Int(((milliseconds - floor) * 65_536).rounded(.down))
    rawValue = Self.millisecond(floor).rawValue | Int64(UInt16(clamping: max(1, fraction)))
  }

  /// Creates the time that a clock shows.
  ///
  /// - Throws: ``VarveError`` with code `timeOutOfRange` if it is outside the years −2490 to 6429.
  package init(wallMilliseconds milliseconds: Int64) throws {
    guard Self.millisecondsRange.contains(milliseconds) else {
      throw Self.clockOutOfRange("\(milliseconds) milliseconds since 1970")
    }
    self.init(millisecondsSince1970: milliseconds)
  }

  /// The error of a clock that shows a time which no commit can have.
  static func clockOutOfRange(_ reading: String) -> VarveError {
    VarveError(
      .timeOutOfRange,
      "the clock is before \(firstDate) or after \(lastDate) (UTC)",
      at: reading,
      remedy: "Set the clock, and write again."
    )
  }

  /// Returns the end of a later millisecond, limited to the range of times.
  package func end(afterMilliseconds milliseconds: Int64) -> HybridTime {
    let (later, overflows) = millisecondsSince1970.addingReportingOverflow(milliseconds)
    let range = Self.millisecondsRange
    let bound = overflows ? range.upperBound : min(max(later, range.lowerBound), range.upperBound)
    return HybridTime(millisecondsSince1970: bound).endOfMillisecond
  }

  /// Returns a whole millisecond counted from the reference date, limited to the range of times.
  private static func millisecond(_ number: Double) -> HybridTime {
    let milliseconds = Int64(number) + referenceMilliseconds
    let range = millisecondsRange
    return HybridTime(
      millisecondsSince1970: min(max(milliseconds, range.lowerBound), range.upperBound)
    )
  }

  /// The reference date of `Date`, the beginning of 2001.
  private static let referenceMilliseconds: Int64 = 978_307_200_000

  /// The last time that belongs to a date: the end of the millisecond, or the exact instant.
  package var lastOfDate: HybridTime { counter == 0 ? endOfMillisecond : self }

  /// Milliseconds since 1970, rounded down.
  @inlinable public var millisecondsSince1970: Int64 { rawValue >> 16 }

  /// The counter, which distinguishes times of one millisecond.
  @inlinable public var counter: UInt16 { UInt16(truncatingIfNeeded: rawValue) }

  /// The date, to the millisecond.
  public var date: Date {
    Date(timeIntervalSince1970: Double(millisecondsSince1970) / 1_000)
  }

  /// The next time; the last time is its own successor.
  public var successor: HybridTime {
    HybridTime(rawValue: rawValue == .max ? .max : rawValue + 1)
  }

  /// The last time of this millisecond, with which `asOf(date)` compares if the date is a whole
  /// millisecond.
  public var endOfMillisecond: HybridTime { HybridTime(rawValue: rawValue | 0xFFFF) }

  /// Orders by time.
  @inlinable
  public static func < (left: HybridTime, right: HybridTime) -> Bool {
    left.rawValue < right.rawValue
  }
}

/// A time and the replica whose clock it was: the tie-break between replicas.
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

  /// Orders by time, then replica.
  public static func < (left: Stamp, right: Stamp) -> Bool {
    (left.time, left.replica) < (right.time, right.replica)
  }
}
