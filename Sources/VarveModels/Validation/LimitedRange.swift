/// A range accepted by checks: `5...15`, `5..<15`, `5...`, `...15` or `..<15`.
///
/// The ranges of the standard library conform; no other type needs to.
public protocol LimitedRange<Bound> {
  /// The type of the bounds.
  associatedtype Bound: Comparable
  /// The lower bound, which is in the range; nil if there is none.
  var leastBound: Bound? { get }
  /// The upper bound; nil if there is none.
  var greatestBound: Bound? { get }
  /// Whether ``greatestBound`` itself is outside the range.
  var excludesGreatestBound: Bool { get }
}

extension LimitedRange {
  /// False.
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
  /// True.
  public var excludesGreatestBound: Bool { true }
}

extension PartialRangeFrom: LimitedRange {
  /// The lower bound.
  public var leastBound: Bound? { lowerBound }
  /// Nil.
  public var greatestBound: Bound? { nil }
}

extension PartialRangeThrough: LimitedRange {
  /// Nil.
  public var leastBound: Bound? { nil }
  /// The upper bound, which is in the range.
  public var greatestBound: Bound? { upperBound }
}

extension PartialRangeUpTo: LimitedRange {
  /// Nil.
  public var leastBound: Bound? { nil }
  /// The upper bound, which is not in the range.
  public var greatestBound: Bound? { upperBound }
  /// True.
  public var excludesGreatestBound: Bool { true }
}
