/// A day of the proleptic Gregorian calendar, and its number.
///
/// Source: Howard Hinnant, *chrono-Compatible Low-Level Date Algorithms*.
package struct CivilDate: Hashable {
  package var year: Int
  package var month: Int
  package var day: Int

  /// Creates the day with a number, counted from 1970-01-01.
  package init(daysSince1970: Int) {
    let shifted = daysSince1970 + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra =
      (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
    month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
  }

  /// Creates a day from its parts; nil if the calendar has no such day.
  package init?(year: Int, month: Int, day: Int) {
    self.year = year
    self.month = month
    self.day = day
    guard (1...12).contains(month), (1...31).contains(day),
      CivilDate(daysSince1970: daysSince1970) == self
    else { return nil }
  }

  /// The day's number, counted from 1970-01-01.
  package var daysSince1970: Int {
    let shiftedYear = month <= 2 ? year - 1 : year
    let era = (shiftedYear >= 0 ? shiftedYear : shiftedYear - 399) / 400
    let yearOfEra = shiftedYear - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra - 719_468
  }

  /// `YYYY-MM-DD`.
  package var text: String { "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))" }
}

/// Returns a number in decimal digits, padded with leading zeros to a length.
package func padded(_ number: Int, _ length: Int) -> String {
  let digits = String(number)
  return String(repeating: "0", count: max(0, length - digits.count)) + digits
}
