package import Foundation

/// Dates as SQL of callers sees them: texts that SQLite's own functions read, and that compare as
/// the dates do.
package enum SQLDate {
  /// Returns `YYYY-MM-DD HH:MM:SS.SSS` in UTC, rounded to milliseconds; nil outside the years 0 to
  /// 9999.
  package static func text(_ date: Date) -> String? {
    let milliseconds = (date.timeIntervalSince1970 * 1_000).rounded()
    guard milliseconds >= firstMillisecond, milliseconds < endMillisecond else { return nil }
    var (days, rest) = Int(milliseconds).quotientAndRemainder(dividingBy: 86_400_000)
    if rest < 0 { (days, rest) = (days - 1, rest + 86_400_000) }
    let time = [rest / 3_600_000, rest / 60_000 % 60, rest / 1_000 % 60].map { padded($0, 2) }
    let day = CivilDate(daysSince1970: days).text
    return day + " " + time.joined(separator: ":") + "." + padded(rest % 1_000, 3)
  }

  /// The beginnings of the years 0 and 10000.
  private static let firstMillisecond = -62_167_219_200_000.0
  private static let endMillisecond = 253_402_300_800_000.0
}
