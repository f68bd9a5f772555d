package import Foundation

/// Reads dates as people and programs write them: ISO 8601, or a day alone.
///
/// A day alone is its first moment; a time without a zone is in UTC. Fractions of a second are kept
/// to the bit.
package enum DateReader {
  /// What a text must look like.
  package static let forms = "2018-12-08, 2018-12-08T14:30:00Z or 2018-12-08T14:30:00.250+01:00"

  /// The date a text names; nil where it names none.
  package static func read(_ text: String) -> Date? {
    let pattern =
      /(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,15}))?)?(Z|[+-]\d\d:?\d\d)?)?/
      .asciiOnlyDigits()
    guard let match = text.wholeMatch(of: pattern)?.output,
      let year = Int(match.1), let month = Int(match.2), let day = Int(match.3),
      let civil = CivilDate(year: year, month: month, day: day),
      let second = seconds(hour: match.4, minute: match.5, second: match.6),
      let zone = zoneOffset(match.8)
    else { return nil }
    let wholeSeconds = civil.daysSince1970 * 86_400 + second - zone - secondsToReferenceDate
    return date(wholeSeconds: wholeSeconds, fraction: String(match.7 ?? "0"))
  }

  /// Seconds from 1970 to 2001, where Foundation counts from.
  static let secondsToReferenceDate = 978_307_200

  private static func seconds(
    hour: Substring?,
    minute: Substring?,
    second: Substring?
  ) -> Int? {
    guard let hour = Int(hour ?? "0"), let minute = Int(minute ?? "0"),
      let second = Int(second ?? "0"), hour < 24, minute < 60, second < 60
    else { return nil }
    return hour * 3_600 + minute * 60 + second
  }

  private static func zoneOffset(_ text: Substring?) -> Int? {
    guard let text, text != "Z" else { return 0 }
    let digits = text.filter(\.isNumber)
    guard let hours = Int(digits.prefix(2)), let minutes = Int(digits.suffix(2)), hours < 24,
      minutes < 60
    else { return nil }
    return (text.hasPrefix("-") ? -1 : 1) * (hours * 3_600 + minutes * 60)
  }

  /// Rounds once, from decimal digits, so that what ``DateWriter`` writes is read to the bit.
  private static func date(wholeSeconds: Int, fraction: String) -> Date? {
    let digits = wholeSeconds < 0 ? complement(fraction) : fraction
    let borrowed = wholeSeconds < 0 && digits.contains { $0 != "0" }
    let sign = wholeSeconds < 0 ? "-" : ""
    return Double("\(sign)\((wholeSeconds + (borrowed ? 1 : 0)).magnitude).\(digits)")
      .map { Date(timeIntervalSinceReferenceDate: $0) }
  }

  /// The digits of one minus a fraction; zero stays zero.
  static func complement(_ digits: String) -> String {
    guard let value = Int(digits), value > 0 else { return digits }
    var power = 1
    for _ in digits { power *= 10 }
    return padded(power - value, digits.count)
  }
}
