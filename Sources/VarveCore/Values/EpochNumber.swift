package import Foundation

/// A number of seconds or milliseconds since 1970, as decimal digits.
package struct EpochNumber {
  private let isNegative: Bool
  /// The digits before the decimal point.
  private let whole: String
  /// The digits after the decimal point.
  private let fraction: String

  package init(_ number: Int64) {
    isNegative = number < 0
    whole = String(number.magnitude)
    fraction = ""
  }

  /// Creates the shortest digits of a number; no digits if it has no plain form.
  package init(_ number: Double) {
    isNegative = number < 0
    let parts = number.magnitude.description.split(separator: ".")
    let isPlain = parts.count == 2 && parts.allSatisfy { $0.allSatisfy(\.isNumber) }
    whole = isPlain ? String(parts[0]) : Self.plain(number)
    fraction = isPlain && parts[1] != "0" ? String(parts[1]) : ""
  }

  /// Returns the digits of a large whole number, or an empty text for any other number without a
  /// plain form.
  private static func plain(_ number: Double) -> String {
    Int64(exactly: number).map { String($0.magnitude) } ?? (number.magnitude < 1e-4 ? "0" : "")
  }

  /// Returns the date, or nil if there are no digits or the date is too far away for any calendar.
  package func date(perSecond scale: Int64) -> Date? {
    let shift = scale == 1 ? 0 : 3
    let digits = String(repeating: "0", count: max(0, shift + 1 - whole.count)) + whole
    guard !whole.isEmpty, let seconds = Int64(digits.dropLast(shift)), seconds < Int64(1) << 50
    else { return nil }
    let rest = String(digits.suffix(shift)) + fraction
    let hasRest = rest.contains { $0 != "0" }
    let floor = isNegative ? -seconds - (hasRest ? 1 : 0) : seconds
    return DateReader.date(
      wholeSeconds: floor - DateReader.secondsToReferenceDate,
      fraction: rest.isEmpty ? "0" : isNegative ? DateReader.complement(rest) : rest
    )
  }

  /// Returns numbers that may represent a date, the simplest first. The last one is the nearest
  /// possible.
  package static func values(of date: Date, perSecond scale: Int64) -> [Value] {
    let units = date.timeIntervalSinceReferenceDate * Double(scale)
    let offset = DateReader.secondsToReferenceDate * scale
    let whole = Int64(exactly: units.rounded()).flatMap { units -> Value? in
      let (sum, isTooFar) = units.addingReportingOverflow(offset)
      return isTooFar ? nil : .int(sum)
    }
    let number = units + Double(offset)
    let rounded = [1e1, 1e2, 1e3, 1e4, 1e5, 1e6].map { (number * $0).rounded() / $0 }
    let near = rounded + [number.nextUp, number.nextDown, number]
    return [whole].compactMap(\.self) + near.filter(\.isFinite).map(Value.double)
  }
}
