/// A range that a check takes: `5...15`, `5..<15`, `5...`, `...15` or `..<15`.
///
/// The ranges of the standard library conform; nothing else needs to.
public protocol LimitedRange<Bound> {
  /// What the range is of.
  associatedtype Bound: Comparable
  /// The least that is in the range; nil where nothing is too low.
  var leastBound: Bound? { get }
  /// What nothing in the range is above; nil where nothing is too high.
  var greatestBound: Bound? { get }
  /// Whether ``greatestBound`` itself is outside the range.
  var excludesGreatestBound: Bool { get }
}

extension LimitedRange {
  /// Nothing is excluded.
  public var excludesGreatestBound: Bool { false }
}

extension ClosedRange: LimitedRange {
  /// The lower bound.
  public var leastBound: Bound? { lowerBound }
  /// The upper bound, which is in the range.
  public var greatestBound: Bound? { upperBound }
}

extension Range: LimitedRange {
  /// The lower bound.
  public var leastBound: Bound? { lowerBound }
  /// The upper bound, which is not in the range.
  public var greatestBound: Bound? { upperBound }
  /// The range ends before its upper bound.
  public var excludesGreatestBound: Bool { true }
}

extension PartialRangeFrom: LimitedRange {
  /// The lower bound.
  public var leastBound: Bound? { lowerBound }
  /// None.
  public var greatestBound: Bound? { nil }
}

extension PartialRangeThrough: LimitedRange {
  /// None.
  public var leastBound: Bound? { nil }
  /// The upper bound, which is in the range.
  public var greatestBound: Bound? { upperBound }
}

extension PartialRangeUpTo: LimitedRange {
  /// None.
  public var leastBound: Bound? { nil }
  /// The upper bound, which is not in the range.
  public var greatestBound: Bound? { upperBound }
  /// The range ends before its upper bound.
  public var excludesGreatestBound: Bool { true }
}
