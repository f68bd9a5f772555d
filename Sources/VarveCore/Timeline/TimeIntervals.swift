/// A span of time, cut into intervals of equal length.
package struct TimeIntervals: Hashable, Sendable {
  package let start: HybridTime
  /// The last time of the span.
  package let end: HybridTime
  /// The number of intervals: at most the number of times in the span.
  package let count: Int
  private let length: UInt64

  /// - Requires: `start` is not after `end`, and `count` is positive.
  package init(from start: HybridTime, through end: HybridTime, count: Int) {
    precondition(start <= end && count > 0, "a span has a time and an interval")
    self.start = start
    self.end = end
    let distance = UInt64(bitPattern: end.rawValue &- start.rawValue)
    // The span of all times has one time more than a number holds; the last one is left to the
    // last interval.
    length = distance == .max ? distance : distance + 1
    self.count = Int(min(UInt64(count), length))
  }

  /// Returns the first time of an interval.
  package func start(of index: Int) -> HybridTime {
    let product = length.multipliedFullWidth(by: UInt64(index))
    let offset = UInt64(count).dividingFullWidth(product).quotient
    return HybridTime(rawValue: start.rawValue &+ Int64(bitPattern: offset))
  }

  /// Returns the last time of an interval.
  package func end(of index: Int) -> HybridTime {
    index == count - 1 ? end : HybridTime(rawValue: start(of: index + 1).rawValue - 1)
  }

  /// Returns the interval of a time in the span.
  package func index(of time: HybridTime) -> Int {
    let offset = UInt64(bitPattern: time.rawValue &- start.rawValue)
    guard offset < length else { return count - 1 }
    // The greatest index whose start is not after the time.
    var product = offset.multipliedFullWidth(by: UInt64(count))
    let (low, isCarried) = product.low.addingReportingOverflow(UInt64(count - 1))
    product = (product.high + (isCarried ? 1 : 0), low)
    return Int(length.dividingFullWidth(product).quotient)
  }
}
