import Foundation
public import VarveCore

extension Validation {
  /// Adds `tooLow`, with `min`, if a value is below a range, or `tooHigh`, with `max`, if it is
  /// above it, including an end that the range excludes. A NaN, which cannot be compared, is a
  /// `mismatch`.
  ///
  /// ```swift
  /// let validation = Validation(model: "Hat")
  ///   .bounds(of: "brimSize", brimSize, 5...15)
  ///   .bounds(of: "price", price, 0..<1_000)
  ///   .bounds(of: "sold", sold, ...Date.now)
  /// ```
  ///
  /// - Parameters:
  ///   - key: the property.
  ///   - value: a number, a date, a text or any other comparable value; nil is allowed.
  ///   - range: the allowed range.
  public func bounds<Bound>(
    of key: String,
    _ value: Bound?,
    _ range: some LimitedRange<Bound>
  ) -> Validation {
    guard let value else { return self }
    let (least, greatest) = (range.leastBound, range.greatestBound)
    let isOpen = range.excludesGreatestBound
    return bounded(
      key,
      least.map { Side(order: order(value, $0), text: Self.text(of: $0)) },
      greatest.map { Side(order: order(value, $0), text: Self.text(of: $0)) },
      isOpen: isOpen
    )
  }

  /// Adds `tooLow`, with `min`, if a value is less than the minimum, or `tooHigh`, with `max`, if
  /// it is greater than the maximum. See ``bounds(of:_:_:)``.
  public func bounds<Bound: Comparable>(
    of key: String,
    _ value: Bound?,
    min: Bound? = nil,
    max: Bound? = nil
  ) -> Validation {
    guard let value else { return self }
    return bounded(
      key,
      min.map { Side(order: order(value, $0), text: Self.text(of: $0)) },
      max.map { Side(order: order(value, $0), text: Self.text(of: $0)) }
    )
  }

  /// Adds `tooLow` or `tooHigh` for a value that is out of bounds. Values are compared as in
  /// queries: numbers as numbers, all others with their own kind. A value that cannot be compared,
  /// such as a NaN or one of another kind, is a `mismatch`.
  public func bounds(
    of key: String,
    _ value: Value?,
    min: Value? = nil,
    max: Value? = nil
  ) -> Validation {
    guard let value else { return self }
    return bounded(
      key,
      min.map { Side(order: value.compared(with: $0), text: Self.text(of: $0)) },
      max.map { Side(order: value.compared(with: $0), text: Self.text(of: $0)) }
    )
  }

  /// The comparison of a value with one of its limits, nil if they cannot be compared, and the
  /// limit as text.
  struct Side {
    var order: Int?
    var text: String
  }

  func bounded(
    _ key: String,
    _ least: Side?,
    _ greatest: Side?,
    isOpen: Bool = false
  ) -> Validation {
    if let least {
      guard let order = least.order else { return adding(key: key, message: "mismatch") }
      if order < 0 { return adding(key: key, message: "tooLow", data: ["min": least.text]) }
    }
    guard let greatest else { return self }
    guard let order = greatest.order else { return adding(key: key, message: "mismatch") }
    guard order > 0 || (isOpen && order == 0) else { return self }
    return adding(key: key, message: "tooHigh", data: ["max": greatest.text])
  }

  private func order<Bound: Comparable>(_ value: Bound, _ limit: Bound) -> Int? {
    if value < limit { return -1 }
    if value > limit { return 1 }
    return value == limit ? 0 : nil
  }

  /// Returns a limit as text: dates in ISO 8601, other values by their description.
  static func text(of limit: some Any) -> String {
    if let date = limit as? Date { return Value.date(date).description }
    return String(describing: limit)
  }
}
