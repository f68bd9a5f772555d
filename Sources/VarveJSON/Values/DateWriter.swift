package import Foundation
package import VarveCore

/// Formats dates in UTC.
package enum DateWriter {
  /// Returns a time in ISO 8601, to the millisecond.
  package static func exact(_ time: HybridTime) -> String {
    let (seconds, milliseconds) = time.millisecondsSince1970.floorDivided(by: 1_000)
    return moment(secondsSince1970: seconds, separator: "T") + "." + padded(milliseconds, 3) + "Z"
  }

  /// Returns a time for tables: date and time, to the second.
  package static func short(_ time: HybridTime) -> String {
    let seconds = time.millisecondsSince1970.floorDivided(by: 1_000).quotient
    return moment(secondsSince1970: seconds, separator: " ")
  }

  /// Returns the day of a date.
  package static func day(_ date: Date) -> String {
    let seconds = Int64(date.timeIntervalSince1970.rounded(.down))
    return CivilDate(daysSince1970: Int(seconds.floorDivided(by: 86_400).quotient)).text
  }

  /// Returns a date in ISO 8601 with enough digits to read the same date again; nil for dates
  /// without such a text (outside the years 1 to 9999, NaN).
  package static func exact(_ date: Date) -> String? {
    let interval = date.timeIntervalSinceReferenceDate
    guard interval.isFinite, interval.magnitude < 1e12 else { return nil }
    let digits = interval.magnitude.description
    guard !digits.contains("e"), let point = digits.firstIndex(of: ".") else { return nil }
    var fraction = String(digits[digits.index(after: point)...])
    if interval < 0 { fraction = DateReader.complement(fraction) }
    let seconds = Int64(interval.rounded(.down)) + DateReader.secondsToReferenceDate
    let day = CivilDate(daysSince1970: Int(seconds.floorDivided(by: 86_400).quotient))
    guard (1...9_999).contains(day.year) else { return nil }
    let whole = moment(secondsSince1970: seconds, separator: "T")
    let text = whole + (fraction == "0" ? "" : "." + fraction) + "Z"
    return DateReader.read(text) == date ? text : nil
  }

  /// Returns a date that has no exact text: its day and time in the calendar of ISO 8601, or the number
  /// of seconds since 2001 if it is not whole or too far away.
  package static func distant(_ date: Date) -> String {
    let interval = date.timeIntervalSinceReferenceDate
    guard interval.magnitude < 1e13, interval.rounded() == interval else {
      return "\(interval) s since 2001"
    }
    let seconds = Int64(interval) + DateReader.secondsToReferenceDate
    return moment(secondsSince1970: seconds, separator: "T") + "Z"
  }

  private static func moment(secondsSince1970 seconds: Int64, separator: String) -> String {
    let (day, second) = seconds.floorDivided(by: 86_400)
    let time = [second / 3_600, second / 60 % 60, second % 60].map { padded($0, 2) }
    return CivilDate(daysSince1970: Int(day)).text + separator + time.joined(separator: ":")
  }
}

extension Int64 {
  /// Returns the quotient rounded down, and a remainder that is not negative.
  fileprivate func floorDivided(by divisor: Int64) -> (quotient: Int64, remainder: Int) {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0
      ? (quotient - 1, Int(remainder + divisor)) : (quotient, Int(remainder))
  }
}
