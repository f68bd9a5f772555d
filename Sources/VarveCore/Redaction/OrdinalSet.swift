/// A set of ordinals in a commit, as ranges, because redacted cells are mostly consecutive.
package struct OrdinalSet: Sendable, Hashable {
  /// The ranges, rising and not adjacent.
  package private(set) var ranges: [Range<Int>] = []

  package init() {}

  package init(_ ordinals: some Sequence<Int>) {
    for ordinal in ordinals.sorted() { append(ordinal) }
  }

  /// Wraps ranges that rise and are not adjacent.
  package init(rising ranges: [Range<Int>]) { self.ranges = ranges }

  package var isEmpty: Bool { ranges.isEmpty }

  /// Adds an ordinal that is not below any other.
  private mutating func append(_ ordinal: Int) { append(ordinal..<ordinal + 1) }

  private mutating func append(_ range: Range<Int>) {
    guard let last = ranges.last, range.lowerBound <= last.upperBound else {
      return ranges.append(range)
    }
    ranges[ranges.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
  }

  /// Returns whether the set contains an ordinal.
  ///
  /// - Complexity: O(log ranges).
  package func contains(_ ordinal: Int) -> Bool {
    var (low, high) = (0, ranges.count)
    while low < high {
      let middle = (low + high) / 2
      if ranges[middle].upperBound <= ordinal { low = middle + 1 } else { high = middle }
    }
    return low < ranges.count && ranges[low].contains(ordinal)
  }

  /// Adds all ordinals of another set.
  package mutating func formUnion(_ other: OrdinalSet) {
    guard !ranges.isEmpty else {
      self = other
      return
    }
    let all = (ranges + other.ranges).sorted { $0.lowerBound < $1.lowerBound }
    ranges = []
    for range in all { append(range) }
  }
}

extension ByteWriter {
  /// Appends the ranges: for each its distance from the end of the previous one, and its length
  /// less one.
  package mutating func ordinalSet(_ set: OrdinalSet) {
    varint(set.ranges.count)
    var end = -1
    for range in set.ranges {
      varint(range.lowerBound - end - 1)
      varint(range.count - 1)
      end = range.upperBound
    }
  }
}

extension ByteReader {
  package mutating func ordinalSet() throws -> OrdinalSet {
    var ranges: [Range<Int>] = []
    var end = -1
    for _ in 0..<(try count(unit: 2)) {
      let (distance, length) = (try number(), try number())
      let (first, isTooFar) = (end + 1).addingReportingOverflow(distance)
      let (last, isTooLong) = first.addingReportingOverflow(length)
      guard !isTooFar, !isTooLong, last < Int.max - 1 else {
        throw damaged("an ordinal is too large")
      }
      ranges.append(first..<last + 1)
      end = last + 1
    }
    return OrdinalSet(rising: ranges)
  }
}
