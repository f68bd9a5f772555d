import Foundation
import VarveCore

/// A range for the values of a property whose type is not known yet.
struct RangeOption: Sendable {
  /// One end of a range.
  struct End: Sendable {
    /// The value to compare with; nil if it cannot be stored.
    var value: Value?
    /// The end as text for messages.
    let text: String
  }

  /// The form of the ends.
  let form: PropertyForm
  private(set) var least: End?
  private(set) var greatest: End?
  let isOpen: Bool
  /// Whether values are compared as decimal numbers.
  private var isDecimal = false

  init<Bound: OrderedValue>(_ range: some LimitedRange<Bound>) {
    form = PropertyForm(of: Bound.self)
    let end = { (bound: Bound) in
      End(value: bound.propertyValue, text: Validation.text(of: bound))
    }
    least = range.leastBound.map(end)
    greatest = range.greatestBound.map(end)
    isOpen = range.excludesGreatestBound
  }

  /// Whether an end has no value to compare with.
  var lacksEnd: Bool { [least, greatest].contains { $0.map { $0.value == nil } ?? false } }

  /// Returns the range with ends of the property's own type. The end of a `Float` range is the
  /// float nearest to it, and not a double between two floats.
  func of(_ form: PropertyForm, nearest: ((Value) -> Value)?) -> RangeOption {
    var range = self
    range.isDecimal = form == .decimal || (form == .any && self.form == .decimal)
    for path in [\RangeOption.least, \.greatest] {
      guard let value = range[keyPath: path]?.value else { continue }
      var end = value
      if form == .number, case .string(let text) = value, let number = Double(text) {
        end = .double(number)
      }
      range[keyPath: path]?.value = nearest?(end) ?? end
    }
    return range
  }

  /// Adds the violation of a value, if there is one.
  func check(_ validation: Validation, _ key: String, _ value: Value?) -> Validation {
    guard let value else { return validation }
    return validation.bounded(
      key,
      least.map { Validation.Side(order: order(value, $0), text: $0.text) },
      greatest.map { Validation.Side(order: order(value, $0), text: $0.text) },
      isOpen: isOpen
    )
  }

  private func order(_ value: Value, _ end: End) -> Int? {
    guard let bound = end.value else { return nil }
    guard isDecimal else { return value.compared(with: bound) }
    return value.decimalComparand.flatMap { value in
      bound.decimalComparand.flatMap { value.compared(with: $0) }
    }
  }
}

/// A floating-point type of a property.
protocol FloatingValue: PropertyValue {}

extension FloatingValue {
  /// Returns the number of this type that is nearest to another.
  static func nearest(to value: Value) -> Value {
    Self(propertyValue: value)?.propertyValue ?? value
  }
}

extension Float: FloatingValue {}
extension Double: FloatingValue {}
extension Optional: FloatingValue where Wrapped: FloatingValue {}
