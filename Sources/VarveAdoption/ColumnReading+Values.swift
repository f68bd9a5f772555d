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

  /// Converts a stored value. A value that does not fit the reading is returned unchanged.
  func value(_ stored: Value) -> Value {
    switch (self, stored) {
    case (.boolean, .int(0)): .bool(false)
    case (.boolean, .int(1)): .bool(true)
    case (.date, .string(let text)), (.milliseconds, .string(let text)):
      DateText.date(text).map { .date($0) } ?? stored
    case (.date, _): date(stored, Date.init(timeIntervalSince1970:)) ?? stored
    case (.milliseconds, _):
      date(stored) { Date(timeIntervalSince1970: $0 / 1_000) } ?? stored
    case (.referenceDate, _): date(stored, Date.init(timeIntervalSinceReferenceDate:)) ?? stored
    default: stored
    }
  }

  /// Returns the date that a number counts, or nil. A date is a double, so it would not keep every
  /// digit of a large integer.
  private func date(_ stored: Value, _ make: (Double) -> Date) -> Value? {
    let number: Double
    switch stored {
    case .int(let integer):
      guard let exact = Double(exactly: integer) else { return nil }
      number = exact
    case .double(let double): number = double
    default: return nil
    }
    let date = make(number)
    return DateText.years.contains(date) ? .date(date) : nil
  }
}

/// Reads dates in the forms that SQLite's functions and libraries write.
enum DateText {
  static let secondsToReferenceDate = 978_307_200

  /// The years 0 to 9999, which SQLite's functions and four digits can express.
  static let years =
    Date(timeIntervalSince1970: -62_167_219_200)..<Date(timeIntervalSince1970: 253_402_300_800)

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
    var fraction = ""
    if skip(&rest, ":") {
      guard let second = digits(&rest, 2), second < 60 else { return nil }
      seconds += second
      if skip(&rest, ".") {
        let places = rest.prefix { (48...57).contains($0) }
        guard !places.isEmpty else { return nil }
        fraction = String(decoding: places, as: UTF8.self)
        rest = rest.dropFirst(places.count)
      }
    }
    guard let zone = zone(&rest), rest.isEmpty else { return nil }
    return date(seconds: seconds - zone, fraction: fraction)
  }

  /// Returns a date from its digits, rounded once. It stays in its second: `23:59:59.9999999` is no
  /// moment of the next day, or of the year 10000.
  private static func date(seconds: Int, fraction: String) -> Date? {
    var interval = Double(seconds)
    if !fraction.isEmpty {
      let digits = seconds < 0 ? complement(fraction) : fraction
      let isBorrowed = seconds < 0 && digits.contains { $0 != "0" }
      let whole = "\((seconds + (isBorrowed ? 1 : 0)).magnitude).\(digits)"
      guard let exact = Double((seconds < 0 ? "-" : "") + whole) else { return nil }
      interval = min(exact, Double(seconds + 1).nextDown)
    }
    let date = Date(timeIntervalSinceReferenceDate: interval)
    return years.contains(date) ? date : nil
  }

  /// Returns the digits of one minus a fraction; zero stays zero.
  static func complement(_ digits: String) -> String {
    var bytes = Array(digits.utf8)
    guard let last = bytes.lastIndex(where: { $0 != UInt8(ascii: "0") }) else { return digits }
    for index in 0..<last { bytes[index] = 0x69 - bytes[index] }
    bytes[last] = 0x6A - bytes[last]
    return String(decoding: bytes, as: UTF8.self)
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
