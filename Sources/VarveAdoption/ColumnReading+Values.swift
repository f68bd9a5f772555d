import Foundation
import VarveCore

extension ColumnReading {
  /// Returns the reading that a declared type suggests.
  init(declaredType: String) {
    let type = declaredType.uppercased()
    if type.hasPrefix("BOOL") {
      self = .boolean
    } else if type.hasPrefix("DATE") || type.hasPrefix("TIMESTAMP") {
      self = .date
    } else {
      self = .stored
    }
  }

  /// Numbers whose magnitude is at most this are dates. A date is a double, so it would not keep
  /// every digit of a larger integer, and infinity is no date.
  private static let largestNumber = 9_007_199_254_740_992.0

  /// Converts a stored value. A value that does not fit the reading is returned unchanged.
  func value(_ stored: Value) -> Value {
    switch (self, stored) {
    case (.boolean, .int(0)): .bool(false)
    case (.boolean, .int(1)): .bool(true)
    case (.date, .string(let text)), (.milliseconds, .string(let text)):
      DateText.date(text).map { .date($0) } ?? stored
    case (.date, _): number(stored).map { .date(Date(timeIntervalSince1970: $0)) } ?? stored
    case (.milliseconds, _):
      number(stored).map { .date(Date(timeIntervalSince1970: $0 / 1_000)) } ?? stored
    case (.referenceDate, _):
      number(stored).map { .date(Date(timeIntervalSinceReferenceDate: $0)) } ?? stored
    default: stored
    }
  }

  /// Returns a number from which a date can be computed, or nil.
  private func number(_ stored: Value) -> Double? {
    let number: Double
    switch stored {
    case .int(let integer):
      guard let exact = Double(exactly: integer) else { return nil }
      number = exact
    case .double(let double): number = double
    default: return nil
    }
    return abs(number) <= Self.largestNumber ? number : nil
  }
}

/// Reads dates in the forms that SQLite's functions and libraries write.
enum DateText {
  private static let secondsToReferenceDate = 978_307_200

  /// Returns the date of a text such as `2018-12-08`, `2018-12-08 14:30:00.250` or
  /// `2018-12-08T14:30:00+01:00`, or nil.
  static func date(_ text: String) -> Date? {
    var rest = text.utf8[...]
    guard let year = digits(&rest, 4), skip(&rest, "-"), let month = digits(&rest, 2),
      skip(&rest, "-"), let day = digits(&rest, 2), isDay(year, month, day)
    else { return nil }
    let days = daysSince1970(year, month, day)
    var seconds = days * 86_400 - secondsToReferenceDate
    if rest.isEmpty { return Date(timeIntervalSinceReferenceDate: Double(seconds)) }
    guard skip(&rest, " ") || skip(&rest, "T"), let hour = digits(&rest, 2), hour < 24,
      skip(&rest, ":"), let minute = digits(&rest, 2), minute < 60
    else { return nil }
    seconds += hour * 3_600 + minute * 60
    var fraction = 0.0
    if skip(&rest, ":") {
      guard let second = digits(&rest, 2), second < 60 else { return nil }
      seconds += second
      if skip(&rest, ".") {
        let places = rest.prefix { (48...57).contains($0) }
        guard let number = Double("0.\(String(decoding: places, as: UTF8.self))"), !places.isEmpty
        else { return nil }
        fraction = number
        rest = rest.dropFirst(places.count)
      }
    }
    guard let zone = zone(&rest), rest.isEmpty else { return nil }
    return Date(timeIntervalSinceReferenceDate: Double(seconds - zone) + fraction)
  }

  private static func zone(_ rest: inout Substring.UTF8View) -> Int? {
    if rest.isEmpty || skip(&rest, "Z") { return 0 }
    let sign = skip(&rest, "+") ? 1 : skip(&rest, "-") ? -1 : 0
    guard sign != 0, let hours = digits(&rest, 2), hours < 24 else { return nil }
    _ = skip(&rest, ":")
    guard let minutes = digits(&rest, 2), minutes < 60 else { return nil }
    return sign * (hours * 3_600 + minutes * 60)
  }

  private static func skip(_ rest: inout Substring.UTF8View, _ character: Unicode.Scalar) -> Bool {
    guard rest.first == UInt8(ascii: character) else { return false }
    rest = rest.dropFirst()
    return true
  }

  private static func digits(_ rest: inout Substring.UTF8View, _ count: Int) -> Int? {
    let text = rest.prefix(count)
    guard text.count == count, text.allSatisfy({ (48...57).contains($0) }) else { return nil }
    rest = rest.dropFirst(count)
    return text.reduce(0) { $0 * 10 + Int($1 - 48) }
  }

  private static func isDay(_ year: Int, _ month: Int, _ day: Int) -> Bool {
    guard (1...12).contains(month), day > 0 else { return false }
    let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    let lengths = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    return day <= lengths[month - 1]
  }

  /// Counts days in years that begin in March, so that a leap day is the last of its year.
  private static func daysSince1970(_ year: Int, _ month: Int, _ day: Int) -> Int {
    let shifted = month > 2 ? year : year - 1
    let era = (shifted >= 0 ? shifted : shifted - 399) / 400
    let yearOfEra = shifted - era * 400
    let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra - 719_468
  }
}
